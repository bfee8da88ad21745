//! Many runs at once.

use std::time::Duration;

use crate::common::{deadline, patient, run_with, sh};
use becket_process::{CancellationToken, Chunk, Control, End, Limits, Runner};
use becket_testkit::proc::{self, Marker, wait_until};

const MANY: usize = 200;

// rules: H3, H4, Q1
#[test]
fn two_hundred_at_once_leave_no_descriptor_no_thread_and_no_zombie() {
    let _alone = crate::alone();
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    runtime.block_on(async {
        // The runtime opens some descriptors at its first use.
        all_at_once("exit 0", 1, &patient(), End::Exited(0)).await;
        let (descriptors, threads) = (proc::open_descriptors(), proc::threads());
        all_at_once("cat >/dev/null; echo done; exit 3", MANY, &patient(), End::Exited(3)).await;
        let hasty = Limits { term_grace: Duration::from_millis(200), ..deadline(2000) };
        all_at_once("trap '' TERM; sleep 1000 & sleep 1000", MANY / 4, &hasty, End::TimedOut).await;
        all_talked_to().await;
        // A thread stays on the list for a moment after its last action.
        assert!(wait_until(|| proc::threads() <= threads), "{} threads, before {threads}", proc::threads());
        assert_eq!(proc::open_descriptors(), descriptors);
        assert_eq!(proc::zombies(), Vec::<u32>::new());
    });
}

async fn all_at_once(script: &'static str, count: usize, limits: &Limits, end: End) {
    let (marker, runner) = (Marker::new(), Runner::new());
    let tasks = (0..count).map(|_| {
        let (runner, limits) = (runner.clone(), limits.clone());
        let command = sh(&marker, script).stdin(vec![b'x'; 100_000]);
        tokio::spawn(async move { run_with(&runner, &command, &limits).await })
    });
    for task in tasks.collect::<Vec<_>>() {
        assert_eq!(task.await.unwrap().end, end);
    }
    runner.all_gone().await;
    assert!(marker.alive().is_empty());
}

async fn all_talked_to() {
    let (marker, runner) = (Marker::new(), Runner::new());
    let tasks = (0..MANY / 2).map(|number| {
        let (runner, command) = (runner.clone(), sh(&marker, "read answer; exit $answer"));
        tokio::spawn(async move {
            let (control, token, limits) = (Control::with_open_stdin(), CancellationToken::new(), patient());
            let _pause = control.pause();
            let own = control.clone();
            let mut sink = |_: Chunk<'_>| ();
            let run = runner.run_with(&command, &limits, &token, control, &mut sink);
            let answer = async {
                tokio::task::yield_now().await;
                assert!(own.write(format!("{number}\n")));
            };
            (number, tokio::join!(run, answer).0.unwrap().end)
        })
    });
    for task in tasks.collect::<Vec<_>>() {
        let (number, end) = task.await.unwrap();
        assert_eq!(end, End::Exited(number as i32));
    }
}
