//! Interactive runs: stdin that stays open, the data written to it, and its end.

use std::future::Future;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use crate::common::{MIB, deadline, patient, run_steered, sh};
use becket_process::{
    ByteCap, CancellationToken, Chunk, Command, Control, End, Limits, Program, Runner, SinkLimit, Stream,
};
use becket_testkit::proc::Marker;
use bytes::Bytes;

// rules: Q1, H3
#[tokio::test]
async fn what_is_written_follows_the_input_and_then_comes_the_end() {
    // The last lengths fill the pipe before the process starts.
    for length in [0, 1, 65_535, 65_536, 300_000] {
        let marker = Marker::new();
        let command = sh(&marker, "head -c $N >/dev/null; echo asks; read a; echo got $a; cat")
            .env("N", length.to_string())
            .stdin(vec![b'x'; length]);
        let control = Control::with_open_stdin();
        let own = control.clone();
        let mut said = Vec::new();
        let mut sink = move |chunk: Chunk<'_>| {
            said.extend_from_slice(chunk.bytes);
            match said.as_slice() {
                b"asks\n" => assert!(own.write("") && own.write("ans") && own.write("wer\n")),
                b"asks\ngot answer\n" => {
                    assert!(own.write("rest") && own.write("") && own.write(" of it"));
                    own.close_stdin();
                    own.close_stdin();
                    assert!(!own.write("late"));
                }
                _ => (),
            }
        };
        let finished = run_steered(&command, &patient(), control, &mut sink).await;
        assert_eq!(finished.end, End::Exited(0));
        assert_eq!(finished.stdout.bytes, "asks\ngot answer\nrest of it", "after {length} bytes of input");
    }
}

// rule: Q1
#[tokio::test]
async fn answers_that_are_there_before_the_question_are_kept() {
    let control = Control::with_open_stdin();
    assert!(control.write("one\n") && control.write("two\n"));
    assert!(!format!("{control:?}{:?}", control.pause()).contains("two"));
    control.close_stdin();
    let command = sh(&Marker::new(), "cat").stdin("input\n");
    let finished = run_steered(&command, &patient(), control, &mut |_| ()).await;
    assert_eq!(finished.stdout.bytes, "input\none\ntwo\n");
}

// rule: Q1
#[tokio::test]
async fn stdin_is_closed_after_the_input_unless_it_is_to_stay_open() {
    let control = Control::new();
    assert!(!control.write("never"));
    let command = sh(&Marker::new(), "cat").stdin("input\n");
    let finished = run_steered(&command, &patient(), control.clone(), &mut |_| ()).await;
    assert_eq!(finished.stdout.bytes, "input\n");
}

// rule: Q1
#[tokio::test]
async fn when_nobody_is_left_to_write_the_reader_sees_the_end() {
    // Before the start: the control passed to the run does not count.
    let command = sh(&Marker::new(), "cat; exit 3").stdin("input");
    let finished = run_steered(&command, &patient(), Control::with_open_stdin(), &mut |_| ()).await;
    assert_eq!((finished.end, &finished.stdout.bytes[..]), (End::Exited(3), &b"input"[..]));
    // During the run: each clone counts, a pause does not, and data that was written still arrives.
    let control = Control::with_open_stdin();
    let mut owners = vec![control.clone(), control.clone()];
    let _pause = control.pause();
    let mut sink = move |chunk: Chunk<'_>| {
        assert_eq!(chunk.bytes.last(), Some(&b'\n'));
        if let Some(own) = owners.pop() {
            assert!(own.write("again\n"));
        }
    };
    let command = sh(&Marker::new(), "while read line; do echo $line; done; exit 4").stdin("input\n");
    let finished = run_steered(&command, &patient(), control, &mut sink).await;
    assert_eq!(finished.end, End::Exited(4));
    assert_eq!(finished.stdout.bytes, "input\nagain\nagain\n");
}

// rule: Q1
#[tokio::test]
async fn the_end_of_the_input_wakes_a_run_that_waits() {
    for is_closed in [true, false] {
        let control = Control::with_open_stdin();
        let own = control.clone();
        let (say, said) = tokio::sync::oneshot::channel();
        let mut say = Some(say);
        let mut sink = |_: Chunk<'_>| say.take().unwrap().send(()).unwrap();
        let command = sh(&Marker::new(), "echo waits; cat; exit 3");
        let limits = patient();
        let run = run_steered(&command, &limits, control, &mut sink);
        let later = async {
            said.await.unwrap();
            tokio::time::sleep(Duration::from_millis(50)).await;
            if is_closed {
                own.close_stdin();
                return Some(own);
            }
            None
        };
        let (finished, _kept) = tokio::join!(run, later);
        assert_eq!(finished.end, End::Exited(3), "closed: {is_closed}");
    }
}

// rules: Q1, H3
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn more_than_the_pipes_hold_goes_in_while_the_output_is_drained() {
    for (pieces, size) in [(1, 10 * MIB), (40, 300_001), (20_000, 100)] {
        let marker = Marker::new();
        let limits = Limits { stdout_cap: ByteCap::bytes(32 * MIB), ..patient() };
        let control = Control::with_open_stdin();
        let own = control.clone();
        let sent: Vec<Bytes> = (0..pieces).map(|number| Bytes::from(vec![number as u8; size])).collect();
        let expected = sent.concat();
        let writer = tokio::task::spawn_blocking(move || sent.into_iter().all(|piece| own.write(piece)));
        let finished = run_steered(&sh(&marker, "cat"), &limits, control, &mut |_| ()).await;
        assert!(writer.await.unwrap());
        assert_eq!(finished.end, End::Exited(0));
        assert!(finished.stdout.bytes == expected, "{pieces} pieces of {size} bytes");
    }
}

// rules: Q1, H3
#[tokio::test]
async fn a_write_to_one_that_reads_no_longer_is_no_error() {
    for script in ["exec <&-; echo now; sleep 0.3; echo again; exit 2", "echo now; exit 2"] {
        let control = Control::with_open_stdin();
        let own = control.clone();
        let mut sink = move |chunk: Chunk<'_>| {
            let is_known = chunk.bytes == b"again\n";
            for _ in 0..100 {
                assert!(!(own.write(vec![b'x'; 10_000]) && is_known));
            }
        };
        let finished = run_steered(&sh(&Marker::new(), script), &patient(), control, &mut sink).await;
        assert_eq!(finished.end, End::Exited(2), "`{script}`");
    }
}

// rules: Q1, H4
#[tokio::test]
async fn one_that_never_reads_holds_up_nobody_and_ends_at_its_deadline() {
    let (marker, runner, token) = (Marker::new(), Runner::new(), CancellationToken::new());
    let control = Control::with_open_stdin();
    let own = control.clone();
    let command = sh(&marker, "exec sleep 1000");
    let (limits, mut sink) = (deadline(400), |_: Chunk<'_>| ());
    let run = runner.run_with(&command, &limits, &token, control, &mut sink);
    let push = async {
        for _ in 0..1000 {
            assert!(own.write(vec![b'x'; 10_000]));
        }
    };
    let (finished, ()) = tokio::join!(run, push);
    assert_eq!(finished.unwrap().end, End::TimedOut);
    assert!(!own.write("late"));
    runner.all_gone().await;
    assert!(marker.alive().is_empty());
}

/// Bytes that count their drops.
struct DropCounter(Arc<AtomicUsize>);

impl AsRef<[u8]> for DropCounter {
    fn as_ref(&self) -> &[u8] {
        &[b'x'; 300_000]
    }
}

impl Drop for DropCounter {
    fn drop(&mut self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

// rules: Q1, H4
#[tokio::test]
async fn nothing_of_the_queue_outlives_the_run() {
    const QUEUED: usize = 3;
    let cancelled = CancellationToken::new();
    cancelled.cancel();
    let token = CancellationToken::new;
    let missing = Command::new(Program::exec("/no/such/program", [""; 0]), "/");
    let marker = Marker::new();
    for (case, command, token, limits) in [
        ("exited", sh(&marker, "exit 0"), token(), patient()),
        ("timed out", sh(&marker, "exec sleep 1000"), token(), deadline(200)),
        ("dropped", sh(&marker, "exec sleep 1000"), token(), patient()),
        ("cancelled before", sh(&marker, "exit 0"), cancelled, patient()),
        ("not started", missing, token(), patient()),
    ] {
        let (dropped, control, runner) =
            (Arc::new(AtomicUsize::new(0)), Control::with_open_stdin(), Runner::new());
        for _ in 0..QUEUED {
            assert!(control.write(Bytes::from_owner(DropCounter(dropped.clone()))));
        }
        let mut sink = |_: Chunk<'_>| ();
        let run = runner.run_with(&command, &limits, &token, control.clone(), &mut sink);
        let patience = if case == "dropped" { Duration::from_millis(100) } else { Duration::from_secs(30) };
        let finished = tokio::time::timeout(patience, run).await;
        assert_eq!(finished.is_err(), case == "dropped");
        assert_eq!(dropped.load(Ordering::Relaxed), QUEUED, "{case}");
        assert!(!control.write("late"), "{case}");
        runner.all_gone().await;
    }
    assert!(marker.alive().is_empty());
}

// rule: Q1
#[tokio::test]
async fn an_open_stdin_with_nothing_to_write_costs_nothing() {
    let control = Control::with_open_stdin();
    let (runner, token, limits) = (Runner::new(), CancellationToken::new(), patient());
    let command = sh(&Marker::new(), "sleep 0.5; exit 3").stdin("input");
    let mut sink = |_: Chunk<'_>| ();
    let run = runner.run_with(&command, &limits, &token, control.clone(), &mut sink);
    let mut run = std::pin::pin!(run);
    let mut polls = 0;
    let counted = std::future::poll_fn(|context| {
        polls += 1;
        run.as_mut().poll(context)
    });
    assert_eq!(counted.await.unwrap().end, End::Exited(3));
    assert!(polls < 30, "{polls} polls");
}

// rule: Q1
#[tokio::test]
async fn a_control_steers_its_first_run_only() {
    let control = Control::with_open_stdin();
    for script in ["exit 0", "cat"] {
        let command = sh(&Marker::new(), script).stdin("input");
        let finished = run_steered(&command, &patient(), control.clone(), &mut |_| ()).await;
        assert_eq!(finished.end, End::Exited(0), "`{script}`");
    }
    // Also while that one runs: the second sees the end of its input at once, the first does not.
    let control = Control::with_open_stdin();
    let marker = Marker::new();
    let (first, second) = (sh(&marker, "read a; echo $a"), sh(&marker, "cat"));
    let (one, limits) = (control.clone(), patient());
    let task = tokio::spawn(async move { run_steered(&first, &patient(), one, &mut |_| ()).await });
    becket_testkit::wait::until("the command starts", || !marker.alive().is_empty()).await;
    let finished = run_steered(&second, &limits, control.clone(), &mut |_| ()).await;
    assert_eq!(finished.stdout.bytes, "");
    assert!(control.write("to the first\n"));
    assert_eq!(task.await.unwrap().stdout.bytes, "to the first\n");
}

// rule: H3
#[tokio::test]
async fn the_sink_receives_captured_bytes_or_all() {
    const LENGTH: usize = 3_000_000;
    for (limit, cap, seen) in [
        (SinkLimit::Capped, 0, 0),
        (SinkLimit::Capped, 1000, 1000),
        (SinkLimit::Unlimited, 0, LENGTH),
        (SinkLimit::Unlimited, 1000, LENGTH),
        (SinkLimit::Unlimited, 2 * LENGTH, LENGTH),
    ] {
        let cap = ByteCap::bytes(cap);
        let limits = Limits { sink: limit, stdout_cap: cap, stderr_cap: cap, ..patient() };
        let command = sh(&Marker::new(), "tee /dev/stderr");
        let control = Control::with_open_stdin();
        let sent: Bytes = (0..LENGTH).map(|index| (index % 251) as u8).collect();
        control.write(sent.clone());
        control.close_stdin();
        let (mut out, mut err) = (Vec::new(), Vec::new());
        let mut sink = |chunk: Chunk<'_>| {
            assert!(!chunk.bytes.is_empty());
            let stream = if chunk.stream == Stream::Stdout { &mut out } else { &mut err };
            stream.extend_from_slice(chunk.bytes);
        };
        let finished = run_steered(&command, &limits, control, &mut sink).await;
        for (stream, captured) in [(&out, &finished.stdout), (&err, &finished.stderr)] {
            assert!(stream[..] == sent[..seen], "{limit:?} with {cap:?}");
            assert!(captured.bytes[..] == sent[..cap.get().min(LENGTH)]);
            assert_eq!(captured.total, LENGTH as u64);
        }
    }
}

// rules: Q1, H4
#[tokio::test]
async fn nothing_is_taken_for_a_process_that_has_ended_though_its_pipes_are_held() {
    let control = Control::with_open_stdin();
    let own = control.clone();
    let mut sink = move |_: Chunk<'_>| assert!(!own.write("late"));
    let limits = Limits { drain_grace: Duration::from_secs(60), ..patient() };
    let command = sh(&Marker::new(), "(sleep 0.5; echo late) & exit 2");
    let finished = run_steered(&command, &limits, control, &mut sink).await;
    assert_eq!((finished.end, &finished.stdout.bytes[..]), (End::Exited(2), &b"late\n"[..]));
}
