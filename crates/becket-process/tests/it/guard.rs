//! A host that is killed while commands run: the processes that its guard ends, and those that it leaves alone.
#![expect(clippy::unwrap_used, reason = "a test helper fails by panicking")]

use std::future::Future;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Stdio};
use std::time::Duration;

use crate::common::{run, sh};
use becket_process::{
    CancellationToken, Chunk, Command, Control, Descendants, End, Guard, GuardError, Limits, Program, Runner,
};
use becket_testkit::proc::{Marker, PATIENCE, holds_for, wait_until};

/// The file that marks a directory for a helper, and contains its task; elsewhere the ignored tests do nothing.
const SCRIPT: &str = "what-the-helper-runs";

/// A host in its own process, whose commands have a marker.
struct Host {
    child: Child,
    marker: Marker,
    directory: tempfile::TempDir,
}

impl Host {
    /// Starts a host whose command runs; `host` is the helper.
    fn start(host: &str, script: &str) -> Self {
        let own = std::process::Command::new(std::env::current_exe().unwrap());
        Self::start_by(own, host, script)
    }

    /// Starts a host through another program.
    fn start_by(mut starter: std::process::Command, host: &str, script: &str) -> Self {
        let (marker, directory) = (Marker::new(), tempfile::tempdir().unwrap());
        let (name, value) = marker.env();
        let text = format!("{name}\n{value}\n{script}");
        std::fs::write(directory.path().join(SCRIPT), text).unwrap();
        let child = starter
            .args([&format!("guard::{host}"), "--exact", "--ignored", "--nocapture"])
            .current_dir(directory.path())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut this = Self { child, marker, directory };
        let out = BufReader::new(this.child.stdout.take().unwrap());
        assert!(out.lines().map_while(Result::ok).any(|line| line.ends_with("guarded")), "the helper ended");
        this
    }

    fn kill(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

// rule: H4
#[test]
fn a_killed_host_leaves_nothing_that_ran() {
    for (script, count) in [
        ("exec sleep 1000", 1),
        ("sleep 1000 & sleep 1000", 3),
        ("trap '' TERM HUP; sleep 1000 & wait; sleep 1000", 2),
        ("setsid sleep 1000 & sleep 1000", 3),
        ("exec >&- 2>&-; sleep 1000 & sleep 1000", 3),
        ("kill -STOP $$; exec sleep 1000", 1),
    ] {
        let mut host = Host::start("helper_host", script);
        assert!(wait_until(|| host.marker.alive().len() >= count), "{script}: {:?}", host.marker.alive());
        host.kill();
        assert!(wait_until(|| host.marker.alive().is_empty()), "{script}: {:?}", host.marker.alive());
    }
}

// rule: H4
#[test]
fn a_command_has_the_grace_to_clean_up() {
    let mut host =
        Host::start("helper_host", "trap 'sleep 0.1; : >clean; exit' TERM; : >ready; sleep 1000 & wait");
    let there = |name: &str| host.directory.path().join(name).exists();
    assert!(wait_until(|| there("ready")));
    let clean = host.directory.path().join("clean");
    host.kill();
    assert!(wait_until(|| host.marker.alive().is_empty()));
    assert!(clean.exists());
}

// rule: H4
#[test]
fn whenever_a_host_is_killed_nobody_is_left() {
    for round in 0..40_u64 {
        let mut host = Host::start("helper_host_that_starts_more", "sleep 1000 & sleep 1000");
        std::thread::sleep(Duration::from_micros(round * 371));
        host.kill();
        let left = || host.marker.alive();
        assert!(wait_until(|| left().is_empty()), "round {round}: {:?}", left());
    }
}

// rules: E7, H4
#[test]
fn a_host_that_dies_while_it_ends_a_leader_leaves_no_stopped_process() {
    // The background process ignores SIGTERM, so the leader stays stopped for the whole grace.
    let script = "(trap '' TERM; : >ready; exec sleep 1000) & read REPLY; kill -9 $!";
    let mut host = Host::start("helper_host_that_ends_a_leader", script);
    assert!(wait_until(|| host.marker.alive().iter().any(|pid| is_stopped(*pid))), "it was not stopped");
    host.kill();
    assert!(wait_until(|| host.marker.alive().is_empty()), "{:?}", host.marker.alive());
}

fn is_stopped(pid: u32) -> bool {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    status.lines().any(|line| line.starts_with("State:\tT"))
}

// rule: H4
#[test]
fn a_host_in_a_container_that_was_entered_from_outside_is_guarded() {
    let contained = || {
        let mut unshare = std::process::Command::new("unshare");
        unshare.args(["--user", "--map-root-user", "--pid", "--fork", "--mount-proc", "--kill-child"]);
        unshare
    };
    if !contained().arg("true").stderr(Stdio::null()).status().is_ok_and(|status| status.success()) {
        return skipped("this system lets nobody make a process namespace");
    }
    let mut starter = contained();
    // The shell keeps the container alive when the helper is gone: only the keeper can end the remaining processes.
    starter
        .args(["sh", "-c", r#""$0" "$@"; [ $? = 137 ] && sleep 1000"#])
        .arg(std::env::current_exe().unwrap());
    let mut host = Host::start_by(starter, "helper_host", ": >kills; kill -KILL $PPID; sleep 1000 & wait");
    let kills = host.directory.path().join("kills");
    assert!(wait_until(|| kills.exists()));
    assert!(wait_until(|| host.marker.alive().is_empty()), "{:?}", host.marker.alive());
    assert!(host.child.try_wait().unwrap().is_none(), "the container itself has ended them");
    host.kill();
}

// rule: H4
#[test]
fn what_a_command_left_behind_before_its_end_stays() {
    let mut host = Host::start("helper_host", "sleep 1000 >/dev/null 2>&1 & : >ended");
    let ended = host.directory.path().join("ended");
    assert!(wait_until(|| ended.exists() && host.marker.alive().len() == 1));
    host.kill();
    assert!(holds_for(Duration::from_millis(300), || host.marker.alive().len() == 1));
    let alive = host.marker.alive();
    let killed = std::process::Command::new("kill").args(["-KILL", &alive[0].to_string()]).status();
    assert!(killed.unwrap().success());
}

// rule: H4
#[tokio::test]
async fn a_guard_that_is_let_go_ends_its_keeper_and_no_command() {
    let Err(error) = Guard::start(&Command::new(Program::exec("nowhere-at-all", [""; 0]), "/")) else {
        panic!("there is no such program")
    };
    assert!(error.to_string().contains("nowhere-at-all"), "{error}");
    let marker = Marker::new();
    let guard = Guard::start(&sh(&marker, "exec cat")).unwrap();
    marker.wait_for(1);
    assert!(matches!(Guard::start(&sh(&marker, "exec cat")), Err(GuardError::AlreadyStarted)));
    let finished = run(&sh(&marker, "echo hello"), &crate::common::patient()).await;
    assert_eq!((finished.end, finished.stdout.bytes.as_ref()), (End::Exited(0), &b"hello\n"[..]));
    drop(guard);
    assert_eq!(marker.alive(), Vec::<u32>::new());
    // A keeper that does not read is abandoned; the host continues.
    let _guard = Guard::start(&sh(&marker, "exec sleep 1000")).unwrap();
    for _ in 0..1500 {
        run(&sh(&Marker::new(), "exit 0"), &crate::common::patient()).await;
    }
    assert!(wait_until(|| marker.alive().is_empty()), "it was full, and is still there");
}

#[expect(clippy::print_stdout, reason = "who started the tests is told what was skipped")]
fn skipped(why: &str) {
    println!("SKIPPED: {why}");
}

fn keeper() -> Command {
    let own = std::env::current_exe().unwrap();
    Command::new(
        Program::exec(own, ["guard::helper_keeper", "--exact", "--ignored", "--nocapture"]),
        Path::new("."),
    )
}

/// Returns the helper's command, with a guard.
fn helped() -> Option<(Command, Guard)> {
    Some((unguarded()?, Guard::start(&keeper()).unwrap()))
}

/// Returns the helper's command.
fn unguarded() -> Option<Command> {
    let text = std::fs::read_to_string(SCRIPT).ok()?;
    let mut lines = text.splitn(3, '\n');
    let (name, value, script) = (lines.next()?, lines.next()?, lines.next()?);
    let here = std::env::current_dir().unwrap();
    Some(Command::new(Program::shell(script), here).env("PATH", "/usr/bin:/bin").env(name, value))
}

#[expect(clippy::print_stdout, reason = "the test waits for it")]
fn tell() {
    println!("\nguarded");
}

#[test]
#[ignore = "the keeper of the helpers below"]
fn helper_keeper() {
    if Path::new(SCRIPT).exists() {
        becket_process::keep(std::io::stdin().lock());
    }
}

#[tokio::test]
#[ignore = "a helper of the tests above"]
async fn helper_host() {
    let Some((command, _guard)) = helped() else { return };
    tell();
    let limits = Limits { deadline: Some(PATIENCE), ..Limits::default() };
    run(&command, &limits).await;
    // It has to be killed, not to exit on its own.
    assert!(tokio::time::timeout(PATIENCE, std::future::pending::<()>()).await.is_ok(), "nobody killed it");
}

#[tokio::test]
#[ignore = "a helper of the tests above"]
async fn helper_host_that_ends_a_leader() {
    let Some(command) = unguarded() else { return };
    tell();
    let command = command.descendants(Descendants::Adopted { kept: [].into() });
    let limits = Limits { term_grace: PATIENCE, ..Limits::default() };
    let (runner, token, control) = (Runner::new(), CancellationToken::new(), Control::with_open_stdin());
    let held = control.clone();
    let mut ignore = |_: Chunk<'_>| ();
    let run = runner.run_with(&command, &limits, &token, control, &mut ignore);
    let ready = async {
        while !Path::new("ready").exists() {
            tokio::task::yield_now().await;
        }
        token.cancel();
    };
    let _ = tokio::join!(run, ready);
    // Killed during its grace.
    let _ = tokio::time::timeout(PATIENCE, std::future::pending::<()>()).await;
    drop(held);
}

#[tokio::test]
#[ignore = "a helper of the tests above"]
async fn helper_host_that_starts_more() {
    let Some((command, _guard)) = helped() else { return };
    tell();
    let one = || async {
        let limits = Limits { deadline: Some(PATIENCE), ..Limits::default() };
        run(&command, &limits).await;
    };
    let all = (0..40).map(|_| Box::pin(one()));
    let mut all: Vec<_> = all.collect();
    std::future::poll_fn(|context| {
        all.retain_mut(|one| one.as_mut().poll(context).is_pending());
        std::task::Poll::<()>::Pending
    })
    .await;
}
