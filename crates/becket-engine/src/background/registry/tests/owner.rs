//! A dropped owner ends everything that it owns: the engine its tasks and processes, a runtime its tasks.

use super::*;
#[cfg(target_os = "linux")]
use becket_process::{Command, Limits, Program, Runner};
#[cfg(target_os = "linux")]
use becket_testkit::proc::{Marker, wait_until};

/// Adopts a real process that never ends by itself and carries the marker.
#[cfg(target_os = "linux")]
fn adopt_process(place: &Place, runner: &Runner, marker: &Marker) {
    let adopted = adopted("s", "process");
    let (name, value) = marker.env();
    let script = "trap 'exit 0' TERM; while :; do sleep 0.05; done";
    let command = Command::new(Program::shell(script), "/tmp").env("PATH", "/usr/bin:/bin").env(name, value);
    let (runner, cancel) = (runner.clone(), adopted.cancel.clone());
    place.background.adopt(adopted, move || {
        async move {
            let limit = Duration::from_secs(600);
            let limits = Limits { deadline: Some(limit), ..Limits::default() };
            BackgroundEnd::of(runner.run(&command, &limits, &cancel, &mut |_| ()).await, limit)
        }
        .boxed()
    });
}

#[cfg(target_os = "linux")]
#[tokio::test(flavor = "multi_thread")]
async fn nothing_outlives_the_engine() {
    // rules: A5, H4
    let (place, runner, marker) = (place(), Runner::new(), Marker::new());
    let metrics = tokio::runtime::Handle::current().metrics();
    let before = metrics.num_alive_tasks();
    for _ in 0..3 {
        adopt_process(&place, &runner, &marker);
    }
    let levers: Vec<Lever> = (0..60).map(|_| place.adopt(adopted("s", "waits")).1).collect();
    assert!(wait_until(|| marker.alive().len() >= 3));
    assert_eq!(metrics.num_alive_tasks(), before + 63);
    let (wakes, clone) = (place.background.wakes(), place.background.clone());
    drop(place.background);
    assert_eq!(clone.pending(None).len(), 63, "a clone is the same registry");
    drop(clone);
    soon(runner.all_gone()).await;
    assert!(wait_until(|| metrics.num_alive_tasks() == before), "{} tasks", metrics.num_alive_tasks());
    marker.wait_for(0);
    assert_eq!(soon(wakes.next()).await, None, "the stream of wakes ends with the engine");
    assert_eq!(background_in(&place.temp.path().join("session")).unwrap().len(), 0);
    drop(levers);
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn the_end_of_a_session_ends_its_processes_and_reports_them() {
    // rules: A5, H4
    let (place, runner, marker) = (place(), Runner::new(), Marker::new());
    adopt_process(&place, &runner, &marker);
    soon(async {
        becket_testkit::wait::until("the process runs", || !marker.alive().is_empty()).await;
    })
    .await;
    let results = soon(place.background.end(&session("s"))).await;
    soon(runner.all_gone()).await;
    assert_eq!((results.len(), results[0].outcome), (1, Status::Cancelled));
    marker.wait_for(0);
}

#[test]
fn the_end_of_a_runtime_is_a_result_and_holds_nobody_up() {
    // rule: A5
    let place = place();
    let runtime = Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    let levers: Vec<Lever> = {
        let _inside = runtime.enter();
        (0..40).map(|_| place.adopt(adopted("s", "cut short")).1).collect()
    };
    drop(runtime);
    assert!(place.background.pending(None).is_empty());
    let results = place.background.collect(&session("s"));
    assert_eq!(results.len(), 40);
    assert!(results.iter().all(|result| result.outcome == Status::Cancelled));
    let next = Builder::new_current_thread().enable_all().build().unwrap();
    next.block_on(async {
        let (_, lever) = place.adopt(adopted("s", "next"));
        lever.ends(0, r#"{"systemMessage": "done"}"#, "");
        assert_eq!(place.results("s").await[0].contexts, ["done"], "there is room again");
    });
    drop(levers);
}

#[test]
fn adopting_outside_a_runtime_is_the_hosts_mistake_and_still_a_result() {
    // rule: A5
    let place = place();
    let background = place.background.clone();
    let outside =
        std::thread::spawn(move || background.adopt(adopted("s", "lost"), || panic!("never called")));
    assert!(outside.join().is_err());
    assert_eq!(place.background.collect(&session("s"))[0].outcome, Status::Cancelled);
    assert!(place.background.pending(None).is_empty());
}
