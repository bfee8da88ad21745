//! Two processes that use the same session.

use crate::hard::place::{GO_ON, GONE_ON, Place, hook, hooks, id};
use becket_testkit::messages_api::Turn;
use becket_testkit::proc::wait_until;

// rules: L2, D10
#[test]
fn a_session_that_is_worked_in_is_not_resumed_by_another_process_but_forked() {
    let settings = hooks(&[(
        "UserPromptSubmit",
        vec![hook("case \"$(cat)\" in *Wait*) touch waits; while [ ! -e go ]; do sleep 0.01; done;; esac")],
    )]);
    let place = Place::with(&settings, |_| Turn::text("First."));
    let id = id(7);
    let ended = place.run(&["--session-id", &id, "Work."]).run();
    assert_eq!(ended.stdout, "First.\n", "{ended:?}");
    let mut holder = place.start(&["--resume", &id, "Wait."]);
    assert!(wait_until(|| place.env.project().join("waits").exists()));
    for arguments in [&["--resume", &*id, GO_ON][..], &["--continue", GO_ON]] {
        let ended = place.run(arguments).run();
        assert_eq!((ended.code, ended.stdout.as_str()), (Some(1), ""), "{ended:?}");
        for said in ["in use by another process", "fork the session", &id] {
            assert!(ended.stderr.contains(said), "{said}: {ended:?}");
        }
    }
    let forked = place.run(&["--resume", &id, "--fork-session", GO_ON]).run();
    assert_eq!((forked.code, forked.stdout.trim_end()), (Some(0), GONE_ON), "{forked:?}");
    place.env.write("project/go", "");
    assert_eq!(holder.wait().expect("it is ours").code(), Some(0));
    place.goes_on(&id, "nobody holds it any more");
    place.nobody_is_left();
}

// rules: L2, D10
#[test]
fn of_many_that_resume_at_once_one_wins_and_all_say_so() {
    let place = Place::with(&hooks(&[]), |_| Turn::text("First."));
    let id = id(8);
    assert_eq!(place.run(&["--session-id", &id, "Work."]).run().code, Some(0));
    let ended: Vec<_> = std::thread::scope(|scope| {
        let run = || place.run(&["--resume", &id, GO_ON]).run();
        let all: Vec<_> = (0..8).map(|_| scope.spawn(run)).collect();
        all.into_iter().map(|one| one.join().expect("it has said why")).collect()
    });
    let done =
        ended.iter().filter(|ended| ended.code == Some(0) && ended.stdout.trim_end() == GONE_ON).count();
    let refused =
        ended.iter().filter(|ended| ended.code == Some(1) && ended.stderr.contains("in use")).count();
    assert!(done >= 1 && done + refused == ended.len(), "{ended:?}");
    let asked =
        place.whole(&id, "after all").iter().filter(|message| format!("{message:?}").contains(GO_ON)).count();
    assert_eq!(asked, done, "each that won is in the transcript, and no other");
    place.goes_on(&id, "after all");
}
