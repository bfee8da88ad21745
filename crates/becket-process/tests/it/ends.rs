//! Ends of a run: at the deadline, by the token in every state, by a dropped future, by a panic, by an exit.
#![expect(clippy::unwrap_used, reason = "a test helper fails by panicking")]

use std::future::Future;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use crate::common::{MIB, deadline, patient, run, run_with, sh};
use becket_process::{
    CancellationToken, Chunk, Command, Control, Descendants, End, FinishedRun, Limits, Program, Runner,
    SpawnError,
};
use becket_testkit::proc::{Marker, PATIENCE};
use becket_testkit::wait::holds_for;

type Outcome = Result<FinishedRun, SpawnError>;

fn is_send<T: Send>(value: T) -> T {
    value
}

/// Cancels `run` as soon as `count` processes carry the marker, and a little later than that.
async fn cancel_once_alive(
    run: impl Future<Output = Outcome>,
    token: &CancellationToken,
    marker: &Marker,
    count: usize,
) -> FinishedRun {
    let watch = async {
        becket_testkit::wait::until("the processes start", || marker.alive().len() >= count).await;
        holds_for(Duration::from_millis(50), || marker.alive().len() >= count).await;
        token.cancel();
    };
    tokio::join!(run, watch).0.unwrap()
}

// rule: H4
#[tokio::test]
async fn each_way_to_end_by_itself_is_told() {
    for (script, end) in [
        ("exit 0", End::Exited(0)),
        ("exit 2", End::Exited(2)),
        ("exit 255", End::Exited(255)),
        ("kill -9 $$", End::Signaled(9)),
        ("kill -15 $$", End::Signaled(15)),
        ("kill -13 $$", End::Signaled(13)),
    ] {
        let finished = run(&sh(&Marker::new(), script), &patient()).await;
        assert_eq!(finished.end, end, "`{script}`");
        assert_eq!(finished.end.is_success(), script == "exit 0");
    }
}

// rule: H4
#[tokio::test]
async fn the_host_is_released_at_the_deadline_and_the_ending_goes_on() {
    let (marker, runner) = (Marker::new(), Runner::new());
    let limits = Limits { term_grace: Duration::from_secs(3), ..deadline(300) };
    let script = "trap '' TERM; echo said; while :; do sleep 1000; done";
    let start = Instant::now();
    let finished = run_with(&runner, &sh(&marker, script), &limits).await;
    let released = start.elapsed();
    assert_eq!(finished.end, End::TimedOut);
    // Still reported, although it decides nothing.
    assert_eq!(finished.stdout.bytes, "said\n");
    assert_eq!(runner.ending(), 1);
    assert!(!marker.alive().is_empty());
    runner.all_gone().await;
    assert!(released < Duration::from_secs(3), "released after {released:?}, with the grace");
    assert_eq!(runner.ending(), 0);
    assert!(marker.alive().is_empty());
    // Nothing was ended, nothing to wait for.
    runner.all_gone().await;
}

// rule: H4
#[tokio::test]
async fn there_is_time_to_clean_up_between_sigterm_and_sigkill() {
    let slow =
        "trap 'sleep 0.2; echo bye; echo bye >&2; : >\"$MARK\"; exit' TERM; while :; do sleep 0.01; done";
    // The grace belongs to the group: a leader that exits at once does not shorten it for the others.
    for script in
        [slow.to_owned(), format!("({slow}) & wait"), String::from("(setsid sh -c \"$SLOW\") & wait")]
    {
        let dir = tempfile::tempdir().unwrap();
        let (marker, runner) = (Marker::new(), Runner::new());
        let command = sh(&marker, &script).env("SLOW", slow).env("MARK", dir.path().join("clean"));
        let limits = Limits { term_grace: Duration::from_secs(20), ..deadline(500) };
        assert_eq!(run_with(&runner, &command, &limits).await.end, End::TimedOut);
        runner.all_gone().await;
        assert!(dir.path().join("clean").exists(), "`{script}`");
    }
}

// rule: H4
#[tokio::test]
async fn a_token_that_fired_before_starts_nothing() {
    let token = CancellationToken::new();
    token.cancel();
    // A program that can't be started would be an error if it were tried.
    let command = Command::new(Program::exec("/no/such/program", [""; 0]), "/");
    let finished = Runner::new().run(&command, &patient(), &token, &mut |_| ()).await.unwrap();
    assert_eq!(finished.end, End::Cancelled);
}

// rule: H4
#[tokio::test]
async fn the_token_ends_a_run_in_every_state() {
    for (state, script, input, alive) in [
        ("feeding", "exec sleep 1000", 10 * MIB, 1),
        ("draining", "exec yes", 0, 1),
        ("draining stderr", "exec yes >&2", 0, 1),
        ("waiting", "exec <&- >&- 2>&-; exec sleep 1000", 0, 1),
        ("waiting for all", "yes & exec sleep 1000", 10 * MIB, 2),
    ] {
        let (marker, runner, token) = (Marker::new(), Runner::new(), CancellationToken::new());
        let command = sh(&marker, script).stdin(vec![b'x'; input]);
        let (limits, mut sink) = (patient(), |_: Chunk<'_>| ());
        let run = runner.run(&command, &limits, &token, &mut sink);
        let finished = cancel_once_alive(run, &token, &marker, alive).await;
        assert_eq!(finished.end, End::Cancelled, "{state}");
        runner.all_gone().await;
        assert!(marker.alive().is_empty(), "{state}");
    }
}

// rule: H4
#[tokio::test]
async fn the_token_cuts_the_grace_of_the_pipes_and_the_exit_counts() {
    let (marker, runner, token) = (Marker::new(), Runner::new(), CancellationToken::new());
    let command = sh(&marker, "sleep 30 & echo no; exit 2");
    let limits = Limits { drain_grace: Duration::from_secs(600), deadline: None, ..Limits::default() };
    let mut sink = |_: Chunk<'_>| ();
    let run = runner.run(&command, &limits, &token, &mut sink);
    let watch = async {
        // Only the child that holds the pipes is left.
        let only_sleep_is_left = || matches!(marker.alive()[..], [pid] if is_sleep(pid));
        becket_testkit::wait::until("only the child is left", only_sleep_is_left).await;
        assert!(holds_for(Duration::from_millis(50), only_sleep_is_left).await);
        token.cancel();
    };
    let (finished, ()) = tokio::join!(run, watch);
    let finished = finished.unwrap();
    assert_eq!((finished.end, &finished.stdout.bytes[..]), (End::Exited(2), &b"no\n"[..]));
    assert!(finished.pipes_held && finished.elapsed < Duration::from_secs(20));
    assert_eq!(runner.ending(), 0);
}

fn is_sleep(pid: u32) -> bool {
    std::fs::read_to_string(format!("/proc/{pid}/comm")).is_ok_and(|name| name.trim() == "sleep")
}

// rule: H4
#[tokio::test]
async fn the_token_during_the_grace_of_sigterm_changes_nothing() {
    let (marker, runner, token) = (Marker::new(), Runner::new(), CancellationToken::new());
    let command = sh(&marker, "trap '' TERM; while :; do sleep 1000; done");
    let limits = Limits { term_grace: Duration::from_millis(500), ..deadline(200) };
    let finished = runner.run(&command, &limits, &token, &mut |_| ()).await.unwrap();
    assert_eq!(finished.end, End::TimedOut);
    token.cancel();
    runner.all_gone().await;
    assert!(marker.alive().is_empty());
}

// rule: H4
#[tokio::test]
async fn a_dropped_future_kills_the_group_and_those_who_left_it() {
    let (marker, runner) = (Marker::new(), Runner::new());
    let command = sh(&marker, "trap '' TERM; setsid sleep 1000 & sleep 1000 & sleep 1000");
    let (limits, token, mut sink) = (patient(), CancellationToken::new(), |_: Chunk<'_>| ());
    let mut run = Box::pin(is_send(runner.run(&command, &limits, &token, &mut sink)));
    while marker.alive().len() < 4 {
        let _ = tokio::time::timeout(Duration::from_millis(5), &mut run).await;
    }
    drop(run);
    runner.all_gone().await;
    assert!(marker.alive().is_empty());
}

// rule: H4
#[test]
fn a_runtime_that_is_shut_down_leaves_nobody() {
    let (marker, runner) = (Marker::new(), Runner::new());
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    let (command, owner) = (sh(&marker, "sleep 1000 & exec sleep 1000"), runner.clone());
    runtime.spawn(async move { run_with(&owner, &command, &patient()).await });
    // Timed out just before: its grace outlives the runtime.
    let deaf = sh(&marker, "trap '' TERM; while :; do sleep 1000; done");
    let limits = Limits { term_grace: Duration::from_millis(500), ..deadline(200) };
    runtime.block_on(run_with(&runner, &deaf, &limits));
    marker.wait_for(4);
    runtime.shutdown_timeout(PATIENCE);
    let last = tokio::runtime::Builder::new_current_thread().build().unwrap();
    last.block_on(runner.all_gone());
    assert!(marker.alive().is_empty());
}

// rule: H4
#[tokio::test]
async fn a_panic_of_the_sink_passes_through_and_leaves_nobody() {
    let (marker, runner) = (Marker::new(), Runner::new());
    let (command, owner) = (sh(&marker, "sleep 1000 & echo now; exec sleep 1000"), runner.clone());
    let task = tokio::spawn(async move {
        let token = CancellationToken::new();
        owner.run(&command, &patient(), &token, &mut |_| panic!("on purpose")).await
    });
    assert!(task.await.unwrap_err().is_panic());
    runner.all_gone().await;
    assert!(marker.alive().is_empty());
    // The thread's buffer was lost in the panic: the next run makes a new one.
    let finished = run(&sh(&marker, "echo fine"), &patient()).await;
    assert_eq!(finished.stdout.bytes, "fine\n");
}

// rule: H3
#[tokio::test]
async fn a_process_that_closes_its_stdout_and_goes_on_is_waited_for() {
    let script = "echo first; exec >&-; sleep 0.2; echo last >&2; exit 4";
    let finished = run(&sh(&Marker::new(), script), &patient()).await;
    assert_eq!(finished.end, End::Exited(4));
    assert_eq!((&finished.stdout.bytes[..], &finished.stderr.bytes[..]), (&b"first\n"[..], &b"last\n"[..]));
}

// rule: H3
#[tokio::test]
async fn a_limit_past_the_end_of_time_is_none() {
    let limits = Limits { deadline: Some(Duration::MAX), drain_grace: Duration::MAX, ..Limits::default() };
    assert_eq!(run(&sh(&Marker::new(), "exit 3"), &limits).await.end, End::Exited(3));
}

// rules: H3, H4
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_run_may_be_moved_to_a_task_and_between_threads() {
    let marker = Marker::new();
    let tasks = (0..20).map(|number| {
        let command = sh(&marker, "cat; exit 9").stdin(format!("{number}"));
        tokio::spawn(async move { run(&command, &patient()).await })
    });
    for (number, task) in tasks.collect::<Vec<_>>().into_iter().enumerate() {
        let finished = task.await.unwrap();
        assert_eq!((finished.end, finished.stdout.bytes), (End::Exited(9), number.to_string().into()));
    }
}

/// Returns a command that ends with everything that it has started.
fn adopted(marker: &Marker, script: &str, kept: &[&str]) -> Command {
    let kept = kept.iter().map(|name| (*name).to_owned()).collect();
    sh(marker, script).descendants(Descendants::Adopted { kept })
}

/// Returns the processes whose command line contains a text, including those that cleared their environment.
fn running(text: &str) -> Vec<u32> {
    let ids = std::fs::read_dir("/proc").unwrap().flatten();
    let ids = ids.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    ids.filter(|pid: &u32| {
        let line = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        line.split(|byte| *byte == 0).any(|word| word == text.as_bytes())
    })
    .collect()
}

/// Returns a unique duration to sleep.
fn unique_sleep() -> String {
    static NEXT: AtomicU32 = AtomicU32::new(1);
    format!("86399.{}{:03}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed))
}

/// Runs a script under a leader that outlives it, and ends the leader once the script has ended.
async fn led(marker: &Marker, script: &str, kept: &[&str]) {
    let (runner, token, control) = (Runner::new(), CancellationToken::new(), Control::with_open_stdin());
    let mut limits = patient();
    limits.term_grace = Duration::from_millis(200);
    let held = control.clone();
    let mut until_over = |chunk: Chunk<'_>| {
        if chunk.bytes.ends_with(b"over\n") {
            token.cancel();
        }
    };
    let command = adopted(marker, &format!("({script}\n) </dev/null\necho over; read x"), kept);
    let finished = runner.run_with(&command, &limits, &token, control, &mut until_over).await.unwrap();
    drop(held);
    assert_eq!(finished.end, End::Cancelled, "{script}");
    runner.all_gone().await;
}

// rule: E7
#[tokio::test]
async fn what_leaves_an_adopting_command_ends_with_it_however_it_got_away() {
    let scripts = [
        "sleep N >/dev/null 2>&1 &",
        "setsid sleep N >/dev/null 2>&1 & sleep 0.1; exit 3",
        "(setsid sh -c '(setsid sleep N & sleep 0.1)' >/dev/null 2>&1 &); sleep 0.3",
        "(setsid env -i /bin/sh -c 'trap \"\" TERM; while :; do /bin/sleep N; done' >/dev/null 2>&1 &); sleep 0.2",
        "setsid sh -c 'sleep N & sleep 0.1; kill -9 $$' >/dev/null 2>&1; true",
    ];
    for script in scripts {
        let (marker, number) = (Marker::new(), unique_sleep());
        led(&marker, &script.replace('N', &number), &[]).await;
        assert_eq!((marker.alive(), running(&number)), (vec![], vec![]), "{script}");
    }
}

// rule: E7
#[tokio::test]
async fn an_adopting_command_that_dies_takes_its_session_with_it() {
    let (marker, runner, number) = (Marker::new(), Runner::new(), unique_sleep());
    let command = adopted(&marker, &format!("sleep {number} >/dev/null 2>&1 & kill -9 $$"), &[]);
    let finished = run_with(&runner, &command, &patient()).await;
    assert_eq!(finished.end, End::Signaled(9));
    runner.all_gone().await;
    assert_eq!((marker.alive(), running(&number)), (vec![], vec![]));
}

// rules: E7, H4
#[tokio::test]
async fn an_adopting_command_that_is_ended_takes_all_with_it() {
    let (marker, runner, number) = (Marker::new(), Runner::new(), unique_sleep());
    let script = format!("(setsid env -i /bin/sleep {number} &); sleep {number}");
    let token = CancellationToken::new();
    let limits = patient();
    let command = adopted(&marker, &script, &[]);
    let mut ignore = |_: Chunk<'_>| ();
    let run = runner.run(&command, &limits, &token, &mut ignore);
    let finished = cancel_once_alive(run, &token, &marker, 2).await;
    assert_eq!(finished.end, End::Cancelled);
    runner.all_gone().await;
    assert_eq!((marker.alive(), running(&number)), (vec![], vec![]));

    let dropped = {
        tokio::time::timeout(
            Duration::from_millis(300),
            runner.run(&command, &limits, &CancellationToken::new(), &mut |_| ()),
        )
        .await
    };
    assert!(dropped.is_err(), "it runs until it is dropped");
    runner.all_gone().await;
    assert_eq!((marker.alive(), running(&number)), (vec![], vec![]));
}

// rule: E7
#[tokio::test]
async fn programs_that_are_to_be_kept_go_on_with_what_they_have_started() {
    let (marker, number) = (Marker::new(), unique_sleep());
    let dir = tempfile::tempdir().unwrap();
    std::fs::copy("/bin/sh", dir.path().join("keptd")).unwrap();
    let script = format!(
        "(setsid {dir}/keptd -c '/bin/sleep {number}; :' >/dev/null 2>&1 &); (setsid sleep {number} >/dev/null 2>&1 &); sleep 0.3",
        dir = dir.path().display()
    );
    led(&marker, &script, &["keptd"]).await;
    let left = running(&number);
    assert_eq!(left.len(), 1, "the one of the daemon: {left:?}");
    for pid in marker.alive() {
        let pid = rustix::process::Pid::from_raw(pid.cast_signed()).unwrap();
        let _ = rustix::process::kill_process(pid, rustix::process::Signal::KILL);
    }
    marker.wait_for(0);
}

// rules: E7, H3
#[tokio::test]
async fn an_adopting_command_starts_as_any_other() {
    let marker = Marker::new();
    let script = "pwd; ls /proc/self/fd | wc -l; ps -o sid= -p $$ | tr -d ' '; echo $$; cat; trap";
    let command = adopted(&marker, script, &[]).stdin("in");
    let finished = run(&command, &patient()).await;
    let plain = run(&sh(&marker, script).stdin("in"), &patient()).await;
    let lines = |finished: &FinishedRun| -> Vec<String> {
        String::from_utf8_lossy(&finished.stdout.bytes).lines().map(str::to_owned).collect()
    };
    let (adopting, plain) = (lines(&finished), lines(&plain));
    assert_eq!(adopting[0], "/");
    assert_eq!(adopting[1], plain[1], "descriptors");
    assert_eq!(adopting[2], adopting[3], "a session of its own");
    assert_eq!(adopting[4..], ["in"]);
    let missing = Command::new(Program::exec("/nowhere/x", Vec::<String>::new()), "/")
        .descendants(Descendants::Adopted { kept: [].into() });
    let refused = Runner::new().run(&missing, &patient(), &CancellationToken::new(), &mut |_| ()).await;
    assert!(matches!(refused, Err(SpawnError::ProgramMissing { .. })), "{refused:?}");
    let no_cwd = Command { cwd: "/nowhere".into(), ..adopted(&marker, "true", &[]) };
    let refused = Runner::new().run(&no_cwd, &patient(), &CancellationToken::new(), &mut |_| ()).await;
    assert!(matches!(refused, Err(SpawnError::CwdGone { .. })), "{refused:?}");
}
