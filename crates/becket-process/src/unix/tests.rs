//! Cases that can't be reached from outside: systems without pidfds, and a termination that no thread runs.

use std::time::{Duration, Instant};

use rustix::process::Pid;

use super::kin::Kin;
use super::leader::{self, Waiter};
use super::spawn::spawn_with;
use super::termination::Termination;
use crate::command::{Command, Program};
use crate::finished_run::End;

fn sh(script: &str) -> Command {
    Command::new(Program::shell(script), "/").env("PATH", "/usr/bin:/bin")
}

/// Zombies of others don't count: init decides when to reap them.
fn is_gone(group: Pid) -> bool {
    !Kin::new(group).is_alive()
}

// rule: H4
#[tokio::test]
async fn a_waiter_thread_hears_the_exit_and_leaves_the_status() {
    let spawned = spawn_with(&sh("sleep 0.05; exit 7"), false, Waiter::Thread).unwrap();
    spawned.leader.exited().await;
    assert!(leader::has_ended(spawned.leader.pid()));
    assert_eq!(spawned.leader.reap(), End::Exited(7));
}

// rule: H4
#[tokio::test]
async fn a_pidfd_hears_the_exit_and_leaves_the_status() {
    let spawned = spawn_with(&sh("kill -9 $$"), false, Waiter::Best).unwrap();
    spawned.leader.exited().await;
    assert_eq!(spawned.leader.reap(), End::Signaled(9));
}

// rule: H4
#[tokio::test]
async fn an_ending_that_nobody_runs_kills_and_reaps_by_itself() {
    for waiter in [Waiter::Best, Waiter::Thread] {
        let spawned = spawn_with(&sh("trap '' TERM; sleep 1000 & echo; wait"), false, waiter).unwrap();
        let group = spawned.leader.pid();
        spawned.stdout.ready().await;
        assert!(!is_gone(group));
        let start = Instant::now();
        drop(Termination::new(spawned.leader, None, [Some(spawned.stdout), Some(spawned.stderr)]));
        assert!(is_gone(group));
        assert!(start.elapsed() < Duration::from_secs(30));
    }
}

// rule: H4
#[tokio::test]
async fn one_that_prints_while_it_cleans_up_is_not_disturbed() {
    let dir = tempfile::tempdir().unwrap();
    let mark = dir.path().join("clean");
    let script = "trap 'head -c 300000 /dev/zero; head -c 300000 /dev/zero >&2; : > \"$MARK\"; exit' TERM
        echo ready; while :; do sleep 0.01; done";
    let spawned = spawn_with(&sh(script).env("MARK", &mark), false, Waiter::Best).unwrap();
    spawned.stdout.ready().await;
    let mut ending = Termination::new(spawned.leader, None, [Some(spawned.stdout), Some(spawned.stderr)]);
    tokio::task::spawn_blocking(move || ending.ask_then_kill(Duration::from_secs(20))).await.unwrap();
    assert!(mark.exists());
}
