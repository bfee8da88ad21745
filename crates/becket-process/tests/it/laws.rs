//! Laws 1 to 6 of the crate, each with real programs.
#![expect(clippy::unwrap_used, reason = "a test helper fails by panicking")]

use std::time::Duration;

use crate::common::{MIB, deadline, patient, run, run_with, sh};
use becket_process::{ByteCap, CancellationToken, End, Limits, Runner, Stream};
use becket_testkit::proc::Marker;
use bytes::Bytes;

fn pattern(length: usize) -> Bytes {
    (0..length).map(|index| (index % 251) as u8).collect()
}

// rule: H3
#[tokio::test]
async fn law_1_stdin_is_fed_while_both_outputs_are_drained() {
    let marker = Marker::new();
    // Both outputs fill up long before stdin is read to its end: feeding and draining in sequence would hang.
    let input = pattern(10 * MIB);
    let limits =
        Limits { stdout_cap: ByteCap::bytes(32 * MIB), stderr_cap: ByteCap::bytes(32 * MIB), ..patient() };
    let finished = run(&sh(&marker, "tee /dev/stderr").stdin(input.clone()), &limits).await;
    assert_eq!(finished.end, End::Exited(0));
    assert!(finished.stdout.bytes == input && finished.stderr.bytes == input);
    assert!(!finished.pipes_held);
}

// rules: H3, H4
#[tokio::test]
async fn law_2_feeding_draining_and_waiting_share_the_deadline() {
    let cases = [
        ("feeding", "sleep 1000", 10 * MIB),
        ("draining", "yes", 0),
        ("draining stderr", "yes >&2", 0),
        ("waiting", "exec <&- >&- 2>&-; exec sleep 1000", 0),
        ("all", "yes & yes >&2 & exec sleep 1000", 10 * MIB),
    ];
    for (state, script, input) in cases {
        let marker = Marker::new();
        let runner = Runner::new();
        let command = sh(&marker, script).stdin(pattern(input));
        let finished = run_with(&runner, &command, &deadline(300)).await;
        assert_eq!(finished.end, End::TimedOut, "{state}");
        assert!(finished.elapsed >= Duration::from_millis(300), "{state}");
        assert!(finished.elapsed < Duration::from_secs(20), "{state}");
        runner.all_gone().await;
        assert!(marker.alive().is_empty(), "{state}");
    }
}

// rule: H3
#[tokio::test]
async fn law_3_draining_goes_on_past_the_cap_and_counts() {
    for (cap, total) in [(0, 200_000), (1, 200_000), (4096, 4096), (4096, 4097), (MIB, 30 * MIB)] {
        let marker = Marker::new();
        let script = format!("head -c {total} /dev/zero; head -c {total} /dev/zero >&2; exit 5");
        let cap = ByteCap::bytes(cap);
        let limits = Limits { stdout_cap: cap, stderr_cap: cap, ..patient() };
        let finished = run(&sh(&marker, &script), &limits).await;
        assert_eq!(finished.end, End::Exited(5));
        for captured in [&finished.stdout, &finished.stderr] {
            assert_eq!(captured.bytes.len(), cap.get().min(total));
            assert_eq!(captured.total, total as u64);
            assert_eq!(captured.truncated(), total > cap.get());
        }
    }
}

// rule: H3
#[tokio::test]
async fn law_3_the_sink_sees_what_is_kept_and_nothing_else() {
    let marker = Marker::new();
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let script = "head -c 300000 /dev/urandom; head -c 1000 /dev/urandom >&2";
    let limits = Limits { stdout_cap: ByteCap::bytes(100_000), ..patient() };
    let mut sink = |chunk: becket_process::Chunk<'_>| {
        let stream = if chunk.stream == Stream::Stdout { &mut out } else { &mut err };
        assert!(!chunk.bytes.is_empty());
        stream.extend_from_slice(chunk.bytes);
    };
    let token = CancellationToken::new();
    let finished = Runner::new().run(&sh(&marker, script), &limits, &token, &mut sink).await.unwrap();
    assert!(out == finished.stdout.bytes && err == finished.stderr.bytes);
    assert_eq!((out.len(), err.len()), (100_000, 1000));
}

// rule: H3
#[tokio::test]
async fn law_4_a_stdin_that_is_closed_or_never_read_is_no_error() {
    for size in [0, 1, 65_536, 65_537, 10 * MIB] {
        for (script, code) in [("exit 0", 0), ("exec <&-; echo ok; exit 2", 2), ("sleep 0.05; exit 3", 3)] {
            let marker = Marker::new();
            let finished = run(&sh(&marker, script).stdin(pattern(size)), &patient()).await;
            assert_eq!(finished.end, End::Exited(code), "{size} bytes into `{script}`");
        }
    }
}

// rule: H3
#[tokio::test]
async fn law_4_stdin_is_closed_after_the_input() {
    for size in [0, 10, 65_536, 65_537, 200_000] {
        let marker = Marker::new();
        let finished = run(&sh(&marker, "wc -c").stdin(pattern(size)), &patient()).await;
        assert_eq!(String::from_utf8_lossy(&finished.stdout.bytes).trim(), size.to_string());
    }
}

// rule: H3
#[tokio::test]
async fn law_5_the_process_leads_a_session_without_a_terminal() {
    let marker = Marker::new();
    let finished = run(&sh(&marker, "cat /proc/$$/stat"), &patient()).await;
    let text = String::from_utf8(finished.stdout.bytes.to_vec()).unwrap();
    let fields: Vec<&str> = text.rsplit_once(')').unwrap().1.split_whitespace().collect();
    let pid = text.split(' ').next().unwrap();
    let (group, session, terminal) = (fields[2], fields[3], fields[4]);
    assert_eq!((group, session, terminal), (pid, pid, "0"));
}

// rule: H4
#[tokio::test]
async fn law_5_the_group_is_ended_and_not_the_leader_alone() {
    let cases = [
        ("children", "sleep 1000 & sleep 1000 & wait", 3),
        ("parents that have ended", "(sleep 1000 &); (sleep 1000 &); exec sleep 1000", 3),
        ("deaf to SIGTERM", "trap '' TERM; sleep 1000 & while :; do sleep 1000; done", 3),
        ("a deaf child of a leader that hears", "(trap '' TERM; exec sleep 1000) & wait", 2),
        ("stopped", "sleep 1000 & kill -STOP $!; kill -STOP $$", 2),
        ("gone into a session of its own", "setsid sleep 1000 & exec sleep 1000", 2),
        ("and its children", "setsid sh -c 'sleep 1000 & sleep 1000 & wait' & exec sleep 1000", 4),
        ("job control, orphaned", "bash -c 'set -m; sleep 1000 & exit'; exec sleep 1000", 2),
    ];
    for (case, script, alive) in cases {
        let marker = Marker::new();
        let runner = Runner::new();
        let token = CancellationToken::new();
        let limits = Limits { term_grace: Duration::from_millis(300), ..patient() };
        let command = sh(&marker, script);
        let mut sink = |_: becket_process::Chunk<'_>| ();
        let run = runner.run(&command, &limits, &token, &mut sink);
        let watch = async {
            let started = || marker.alive().len() == alive;
            becket_testkit::wait::until("the processes start", started).await;
            token.cancel();
        };
        let (finished, ()) = tokio::join!(run, watch);
        assert_eq!(finished.unwrap().end, End::Cancelled, "{case}");
        runner.all_gone().await;
        assert!(marker.alive().is_empty(), "{case}");
    }
}

// rule: H4
#[tokio::test]
async fn law_6_a_process_ends_when_it_ends_even_if_another_holds_its_pipes() {
    let marker = Marker::new();
    let runner = Runner::new();
    let limits = Limits { drain_grace: Duration::from_millis(200), ..patient() };
    let script = "(sleep 0.05; echo late; exec sleep 1000) & echo early; exit 2";
    let finished = run_with(&runner, &sh(&marker, script), &limits).await;
    assert_eq!(finished.end, End::Exited(2));
    assert!(finished.stdout.bytes.starts_with(b"early\n"));
    assert!(finished.pipes_held);
    assert!(finished.elapsed < Duration::from_secs(20));
    // It outlives a process that exited normally, and is left alone.
    assert_eq!(runner.ending(), 0);
    marker.wait_for(1);
    end_all(&marker);
}

// rule: H4
#[tokio::test]
async fn law_6_what_comes_within_the_grace_counts() {
    let marker = Marker::new();
    let limits = Limits { drain_grace: Duration::from_secs(60), ..patient() };
    let finished = run(&sh(&marker, "(sleep 0.2; echo late) & echo early; exit 2"), &limits).await;
    assert_eq!(finished.end, End::Exited(2));
    assert_eq!(finished.stdout.bytes, "early\nlate\n");
    assert!(!finished.pipes_held);
}

// rule: H4
#[tokio::test]
async fn law_6_the_grace_ends_at_the_deadline_and_the_exit_still_counts() {
    let marker = Marker::new();
    let limits = Limits { drain_grace: Duration::from_secs(600), ..deadline(1000) };
    let finished = run(&sh(&marker, "sleep 1000 & exit 2"), &limits).await;
    assert_eq!(finished.end, End::Exited(2));
    assert!(finished.pipes_held && finished.elapsed < Duration::from_secs(20));
    end_all(&marker);
}

fn end_all(marker: &Marker) {
    for pid in marker.alive() {
        let pid = rustix::process::Pid::from_raw(pid as i32).unwrap();
        rustix::process::kill_process(pid, rustix::process::Signal::KILL).unwrap();
    }
    marker.wait_for(0);
}
