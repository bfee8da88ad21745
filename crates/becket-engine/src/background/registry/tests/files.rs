//! Files that other processes can see.

use super::*;
use crate::background::{BackgroundFile, Owner, RecordedHook};
use std::fs;

fn listed(place: &Place) -> Vec<BackgroundFile> {
    background_in(&place.temp.path().join("session")).unwrap()
}

fn hooks(place: &Place) -> Vec<RecordedHook> {
    listed(place).into_iter().map(|one| one.hook.unwrap()).collect()
}

fn write(place: &Place, name: &str, text: &str) {
    let directory = place.temp.path().join("session/background");
    fs::create_dir_all(&directory).unwrap();
    fs::write(directory.join(name), text).unwrap();
}

#[tokio::test]
async fn a_pending_hook_is_seen_from_outside_and_goes_with_its_end() {
    // rule: A5
    let place = place();
    assert_eq!(hooks(&place), []);
    let mut levers: Vec<Lever> = (0..34).map(|_| place.adopt(adopted("s", "make lint")).1).collect();
    let seen = hooks(&place);
    assert_eq!(seen.len(), 34);
    assert_eq!(seen.iter().filter(|hook| hook.state == PendingState::Waiting).count(), 2);
    let (hook, own) = (&seen[0], std::process::id());
    assert_eq!((hook.session.as_str(), hook.event.as_str(), hook.pid), ("s", "PreToolUse", own));
    assert_eq!((hook.label.as_str(), hook.source.as_str()), ("make lint", "user"));
    assert_eq!((hook.location.as_str(), hook.limit.as_secs()), ("/settings.json:1:1", 60));
    assert_eq!(hook.owner, Owner::Alive);
    assert!(hook.since <= std::time::SystemTime::now());
    let ids: HashSet<String> = seen.iter().map(|hook| hook.id.clone()).collect();
    let pending = place.background.pending(None);
    assert!(pending.iter().all(|one| ids.contains(&one.id.to_string())));
    levers.remove(0).ends(0, "", "");
    levers.remove(0).ends(0, "", "");
    place.left(32).await;
    soon(async {
        while hooks(&place).iter().any(|hook| hook.state == PendingState::Waiting) {
            tokio::task::yield_now().await;
        }
    })
    .await;
    assert_eq!(hooks(&place).len(), 32);
    levers.into_iter().for_each(|lever| lever.ends(0, "", ""));
    soon(place.background.over(&session("s"))).await;
    assert_eq!(fs::read_dir(place.temp.path().join("session/background")).unwrap().count(), 0);
}

#[cfg(unix)]
#[tokio::test]
async fn only_the_user_may_read_it() {
    // rule: A5
    use std::os::unix::fs::PermissionsExt;
    let place = place();
    let (_, _lever) = place.adopt(adopted("s", "make lint"));
    let mode = |path: &std::path::Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&listed(&place)[0].file), 0o600);
    assert_eq!(mode(&place.temp.path().join("session/background")), 0o700);
}

#[tokio::test]
async fn a_file_that_can_not_be_written_is_a_warning_and_no_obstacle() {
    // rule: A5
    let place = place();
    fs::create_dir(place.temp.path().join("session")).unwrap();
    fs::write(place.temp.path().join("session/background"), "in the way").unwrap();
    let (_, lever) = place.adopt(adopted("s", "make lint"));
    lever.ends(0, r#"{"systemMessage": "done"}"#, "");
    let results = place.results("s").await;
    assert_eq!(results[0].contexts, ["done"]);
    assert_eq!(results[0].warnings.len(), 1, "{:?}", results[0].warnings);
    assert!(results[0].warnings[0].contains("other processes can't see this hook"));
    assert!(background_in(&place.temp.path().join("session")).is_err(), "and a reader is told, too");
}

fn record(pid: u32, started: &str) -> String {
    format!(
        r#"{{"id": "1-1", "session": "s", "event": "Stop", "label": "x", "source": "user", "location": "y",
            "state": "running", "since_ms": 18446744073709551615, "limit_ms": 5, "of a later version": [],
            "owner": {{"pid": {pid}, "started": {started}}}}}"#
    )
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn what_a_process_left_behind_is_told_from_what_lives() {
    // rule: A5
    let place = place();
    let mut gone = std::process::Command::new("true").spawn().unwrap();
    let zombie = gone.id();
    let is_zombie = || fs::read_to_string(format!("/proc/{zombie}/stat")).unwrap().contains(") Z ");
    assert!(becket_testkit::proc::wait_until(is_zombie));
    let own = std::process::id();
    for (name, pid, started, owner) in [
        ("a.json", zombie, "null", Owner::Gone),
        ("b.json", own, "null", Owner::Alive),
        ("c.json", own, "1", Owner::Gone),
        ("d.json", 1, "null", Owner::Alive),
        ("e.json", 0, "null", Owner::Gone),
        ("f.json", u32::MAX, "null", Owner::Gone),
        ("g.json", 0x7fff_ffff, "null", Owner::Gone),
    ] {
        write(&place, name, &record(pid, started));
        let seen = listed(&place);
        let one = seen.iter().find(|one| one.file.ends_with(name)).unwrap();
        let hook = one.hook.as_ref().unwrap();
        assert_eq!((hook.pid, hook.owner), (pid, owner), "{name}");
    }
    gone.wait().unwrap();
}

#[tokio::test]
async fn files_of_somebody_else_are_listed_as_such_and_spoil_nothing() {
    // rule: A5
    let place = place();
    let (_, _lever) = place.adopt(adopted("s", "make lint"));
    write(&place, "a.json", "{\"id\": 7}");
    write(&place, "b.json", "");
    write(&place, "c.json", &"x".repeat((1 << 20) + 1));
    write(&place, "notes.txt", "not looked at");
    write(&place, ".1-1.new", "half of it");
    fs::create_dir(place.temp.path().join("session/background/d.json")).unwrap();
    let (bad, good): (Vec<BackgroundFile>, Vec<BackgroundFile>) =
        listed(&place).into_iter().partition(|one| one.hook.is_err());
    assert_eq!(good.len(), 1);
    let why: Vec<String> = bad.into_iter().map(|one| one.hook.unwrap_err().to_string()).collect();
    assert_eq!(why.len(), 4, "{why:?}");
    for (why, part) in
        why.iter().zip(["no background hook", "no background hook", "is larger", "not a regular"])
    {
        assert!(why.contains(part), "{why}");
    }
}

#[cfg(unix)]
#[tokio::test]
async fn links_are_not_followed_and_pipes_not_waited_for() {
    // rule: A5
    let place = place();
    write(&place, "real.txt", &record(1, "null"));
    let directory = place.temp.path().join("session/background");
    std::os::unix::fs::symlink(directory.join("real.txt"), directory.join("link.json")).unwrap();
    let pipe = std::process::Command::new("mkfifo").arg(directory.join("pipe.json")).status().unwrap();
    assert!(pipe.success());
    let seen = listed(&place);
    assert_eq!(seen.len(), 2);
    assert!(seen.iter().all(|one| one.hook.as_ref().unwrap_err().to_string().contains("not a regular file")));
}
