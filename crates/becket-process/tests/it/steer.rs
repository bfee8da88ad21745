//! Limits that are controlled from outside: pauses, new limits, and the events that end a run anyway (law 7).

use std::time::Duration;

use crate::common::{deadline, patient, run_steered, run_with, sh};
use becket_process::{CancellationToken, Chunk, Control, End, Limits, Runner};
use becket_testkit::proc::Marker;

const SOON: Duration = Duration::from_millis(300);
/// A time that only a failing test takes.
const LATE: Duration = Duration::from_secs(20);

// rule: Q2
#[tokio::test]
async fn the_limit_stands_still_while_a_pause_is_held_and_then_goes_on() {
    let (marker, control) = (Marker::new(), Control::new());
    let own = control.clone();
    let mut pauses = vec![control.pause()];
    let resume = async {
        // Nested, and not in order: the last one counts.
        pauses.push(own.pause());
        for _ in 0..2 {
            tokio::time::sleep(2 * SOON).await;
            pauses.remove(0);
        }
    };
    let (limits, command) =
        (Limits { deadline: Some(SOON), ..Limits::default() }, sh(&marker, "exec sleep 1000"));
    let (runner, token, mut sink) = (Runner::new(), CancellationToken::new(), |_: Chunk<'_>| ());
    let run = runner.run_with(&command, &limits, &token, control, &mut sink);
    let (finished, ()) = tokio::join!(run, resume);
    let finished = finished.unwrap();
    assert_eq!(finished.end, End::TimedOut);
    // The whole limit was left.
    assert!(finished.elapsed >= 5 * SOON && finished.elapsed < LATE, "{:?}", finished.elapsed);
    runner.all_gone().await;
    assert!(marker.alive().is_empty());
}

// rule: Q2
#[tokio::test]
async fn a_pause_that_comes_before_the_run_looks_at_the_clock_counts() {
    // Within the limit, and past it: the host was busy, so the run had no turn to notice the end.
    for is_within in [true, false] {
        let control = Control::new();
        let own = control.clone();
        let command = sh(&Marker::new(), "sleep 3; exit 3");
        let (limits, mut sink) = (deadline(2000), |_: Chunk<'_>| ());
        let run = run_steered(&command, &limits, control, &mut sink);
        let busy = async {
            let pause = is_within.then(|| own.pause());
            std::thread::sleep(Duration::from_millis(2500));
            (pause, own.pause())
        };
        let (finished, _pauses) = tokio::join!(run, busy);
        assert_eq!(finished.end, End::Exited(3), "within the limit: {is_within}");
    }
}

// rules: A2, H4
#[tokio::test]
async fn a_new_limit_replaces_the_old_one() {
    let long = Duration::from_secs(60);
    // The old limit, the new one when the process prints, and the result.
    for (case, old, new, end) in [
        ("none becomes one", None, SOON, End::TimedOut),
        ("long becomes short", Some(long), SOON, End::TimedOut),
        ("zero is now", Some(long), Duration::ZERO, End::TimedOut),
        ("short becomes long", Some(Duration::from_millis(2500)), long, End::Exited(3)),
        ("short becomes none", Some(Duration::from_millis(2500)), Duration::MAX, End::Exited(3)),
    ] {
        let (marker, runner, control) = (Marker::new(), Runner::new(), Control::new());
        let script = if end == End::TimedOut { "echo; exec sleep 1000" } else { "echo; sleep 3; exit 3" };
        let own = control.clone();
        let mut sink = move |_: Chunk<'_>| own.limit_from_now(new);
        let limits = Limits { deadline: old, ..Limits::default() };
        let (command, token) = (sh(&marker, script), CancellationToken::new());
        let finished = runner.run_with(&command, &limits, &token, control, &mut sink).await.unwrap();
        assert_eq!(finished.end, end, "{case}");
        assert!(finished.elapsed < LATE, "{case}");
        runner.all_gone().await;
        assert!(marker.alive().is_empty(), "{case}");
    }
}

// rules: A2, Q2
#[tokio::test]
async fn a_new_limit_of_a_paused_run_counts_from_when_it_goes_on() {
    let (marker, control) = (Marker::new(), Control::new());
    let own = control.clone();
    let pause = own.pause();
    own.limit_from_now(SOON);
    let resume = async {
        tokio::time::sleep(3 * SOON).await;
        drop(pause);
    };
    let command = sh(&marker, "exec sleep 1000");
    let (limits, mut sink) = (patient(), |_: Chunk<'_>| ());
    let run = run_steered(&command, &limits, control, &mut sink);
    let (finished, ()) = tokio::join!(run, resume);
    assert_eq!(finished.end, End::TimedOut);
    assert!(finished.elapsed >= 4 * SOON && finished.elapsed < LATE, "{:?}", finished.elapsed);
}

// rule: A2
#[tokio::test]
async fn a_limit_that_is_set_before_the_start_is_kept() {
    let control = Control::new();
    control.limit_from_now(SOON);
    let command = sh(&Marker::new(), "exec sleep 1000");
    let finished = run_steered(&command, &patient(), control, &mut |_| ()).await;
    assert_eq!(finished.end, End::TimedOut);
    assert!(finished.elapsed < LATE);
}

// rules: Q2, H4
#[tokio::test]
async fn law_7_an_exit_ends_a_paused_run_and_the_pause_may_outlive_it() {
    let control = Control::with_open_stdin();
    let pause = control.pause();
    let command = sh(&Marker::new(), "sleep 0.6; exit 3");
    let limits = Limits { deadline: Some(SOON), ..Limits::default() };
    let finished = run_steered(&command, &limits, control.clone(), &mut |_| ()).await;
    assert_eq!(finished.end, End::Exited(3));
    control.limit_from_now(SOON);
    drop(control.pause());
    drop(pause);
    control.close_stdin();
    assert!(!control.write("late"));
}

// rules: Q2, H4
#[tokio::test]
async fn law_7_the_token_ends_a_paused_run() {
    let (marker, runner, token) = (Marker::new(), Runner::new(), CancellationToken::new());
    let control = Control::with_open_stdin();
    let (own, stop) = (control.clone(), token.clone());
    let mut pause = None;
    let mut sink = |_: Chunk<'_>| {
        pause = Some(own.pause());
        stop.cancel();
    };
    let command = sh(&marker, "echo; exec sleep 1000");
    let finished = runner.run_with(&command, &patient(), &token, control, &mut sink).await.unwrap();
    assert_eq!(finished.end, End::Cancelled);
    runner.all_gone().await;
    assert!(marker.alive().is_empty());
}

// rules: Q2, H4
#[tokio::test]
async fn law_7_a_dropped_run_is_ended_whatever_its_control_does() {
    let (marker, runner, token) = (Marker::new(), Runner::new(), CancellationToken::new());
    let control = Control::with_open_stdin();
    let _pause = control.pause();
    let command = sh(&marker, "trap '' TERM; setsid sleep 1000 & sleep 1000");
    let (limits, mut sink) = (patient(), |_: Chunk<'_>| ());
    let mut run = Box::pin(runner.run_with(&command, &limits, &token, control.clone(), &mut sink));
    while marker.alive().len() < 3 {
        let _ = tokio::time::timeout(Duration::from_millis(5), &mut run).await;
    }
    drop(run);
    assert!(!control.write("late"));
    runner.all_gone().await;
    assert!(marker.alive().is_empty());
}

// rules: Q2, H4
#[tokio::test]
async fn law_7_a_pause_holds_neither_the_grace_of_the_pipes_nor_what_bounds_it() {
    let hour = Duration::from_secs(3600);
    for (case, limit, drain_grace) in [("the grace", hour, SOON), ("the limit", 10 * SOON, hour)] {
        let (marker, control) = (Marker::new(), Control::new());
        let _pause = control.pause();
        let limits = Limits { deadline: Some(limit), drain_grace, ..Limits::default() };
        // The process that has the pipes open ends in time, even if the test fails.
        let command = sh(&marker, "sleep 60 & exit 2");
        let finished = run_steered(&command, &limits, control.clone(), &mut |_| ()).await;
        assert_eq!(finished.end, End::Exited(2), "{case}");
        assert!(finished.pipes_held && finished.elapsed < LATE, "{case}: {:?}", finished.elapsed);
        for pid in marker.alive() {
            let pid = rustix::process::Pid::from_raw(pid as i32).unwrap();
            rustix::process::kill_process(pid, rustix::process::Signal::KILL).unwrap();
        }
    }
}

// rules: A2, H4
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_run_may_go_on_in_another_task_with_a_new_limit() {
    for (limit, end) in [(SOON, End::TimedOut), (Duration::from_secs(60), End::Exited(3))] {
        let (marker, runner, control) = (Marker::new(), Runner::new(), Control::with_open_stdin());
        let (command, own, owner) =
            (sh(&marker, "echo first; read a; exit 3"), control.clone(), runner.clone());
        let (say, mut said) = tokio::sync::mpsc::unbounded_channel();
        let mut run = Box::pin(async move {
            let (limits, token) = (patient(), CancellationToken::new());
            let mut sink = move |chunk: Chunk<'_>| say.send(chunk.bytes.to_vec()).unwrap();
            owner.run_with(&command, &limits, &token, control, &mut sink).await.unwrap()
        });
        tokio::select! {
            finished = &mut run => panic!("{finished:?}"),
            first = said.recv() => assert_eq!(first.unwrap(), b"first\n"),
        }
        own.limit_from_now(limit);
        let task = tokio::spawn(run);
        if end != End::TimedOut {
            assert!(own.write("go\n"));
        }
        let finished = task.await.unwrap();
        assert_eq!((finished.end, &finished.stdout.bytes[..]), (end, &b"first\n"[..]));
        runner.all_gone().await;
        assert!(marker.alive().is_empty());
    }
}

// rule: H4
#[tokio::test]
async fn a_run_without_a_control_is_steered_by_nobody() {
    let finished = run_with(&Runner::new(), &sh(&Marker::new(), "exec sleep 1000"), &deadline(300)).await;
    assert_eq!(finished.end, End::TimedOut);
}
