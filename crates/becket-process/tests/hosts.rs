//! Hosts with unusual process-wide settings, each in its own process.
//!
//! The tests marked as ignored are those hosts; the others start this program again for one of them.
#![cfg(target_os = "linux")]
#![expect(clippy::unwrap_used, reason = "a test helper fails by panicking")]
#![expect(unsafe_code, reason = "signals of a host have no safe interface")]

#[path = "it/common/mod.rs"]
#[allow(dead_code, unused_imports, reason = "this binary uses a part of it")]
mod common;

use std::fs::File;
use std::process::Command as Host;

use becket_process::{Command, End, Limits, Program, Runner, SpawnError};
use becket_testkit::proc::Marker;
use common::{MIB, deadline, patient, run, run_with, sh};

#[track_caller]
fn host(name: &str) {
    let output = Host::new(std::env::current_exe().unwrap())
        .args([name, "--exact", "--ignored", "--nocapture"])
        .output();
    let output = output.unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && text.contains("1 passed"), "{name}: {output:?}");
}

fn set_signal(signal: libc::c_int, handler: libc::sighandler_t) {
    // SAFETY: default and ignore run no code.
    unsafe { libc::signal(signal, handler) };
}

#[test]
fn hosts_with_habits_of_their_own() {
    host("a_host_that_ignores_sigchld");
    host("a_host_that_waits_for_every_child");
    host("a_host_that_dies_of_sigpipe");
    host("a_host_without_stdio");
    host("a_host_without_descriptors");
    host("a_host_that_blocks_and_ignores_signals");
}

// rule: H4
#[tokio::test]
#[ignore = "a host, see `hosts_with_habits_of_their_own`"]
async fn a_host_that_ignores_sigchld() {
    set_signal(libc::SIGCHLD, libc::SIG_IGN);
    for script in ["exit 0", "exit 2", "sleep 0.1; exit 2"] {
        let finished = run(&sh(&Marker::new(), script), &patient()).await;
        assert_eq!(finished.end, End::Lost, "`{script}`");
        assert!(!finished.end.is_success());
    }
    // Processes that must be ended still are.
    let (marker, runner) = (Marker::new(), Runner::new());
    let limits = Limits { term_grace: std::time::Duration::from_millis(200), ..deadline(300) };
    let script = "trap '' TERM; setsid sleep 1000 & sleep 1000 & sleep 1000";
    assert_eq!(run_with(&runner, &sh(&marker, script), &limits).await.end, End::TimedOut);
    runner.all_gone().await;
    assert!(marker.alive().is_empty());
    // The leader and its id are gone at once; the rest was recorded before.
    let script = "(trap '' TERM; exec sleep 1000) & sleep 0.1; exec sleep 1000";
    assert_eq!(run_with(&runner, &sh(&marker, script), &limits).await.end, End::TimedOut);
    runner.all_gone().await;
    assert!(marker.alive().is_empty());
}

// rule: H4
#[tokio::test]
#[ignore = "a host, see `hosts_with_habits_of_their_own`"]
async fn a_host_that_waits_for_every_child() {
    std::thread::spawn(|| {
        loop {
            // SAFETY: no status is asked for.
            unsafe { libc::waitpid(-1, std::ptr::null_mut(), 0) };
        }
    });
    let script = "sleep 0.3; exit 0";
    let finished = run(&sh(&Marker::new(), script), &patient()).await;
    // The order is undefined; an exit code that was taken elsewhere never counts as a success.
    assert!(matches!(finished.end, End::Lost | End::Exited(0)), "{finished:?}");
    let finished = run(&sh(&Marker::new(), "sleep 0.3; exit 2"), &patient()).await;
    assert!(matches!(finished.end, End::Lost | End::Exited(2)), "{finished:?}");
}

// rule: H3
#[tokio::test]
#[ignore = "a host, see `hosts_with_habits_of_their_own`"]
async fn a_host_that_dies_of_sigpipe() {
    set_signal(libc::SIGPIPE, libc::SIG_DFL);
    for script in ["exec <&-; sleep 0.1; exit 2", "exit 2", "head -c 70000 >/dev/null; exit 2"] {
        let command = sh(&Marker::new(), script).stdin(vec![b'x'; 10 * MIB]);
        assert_eq!(run(&command, &patient()).await.end, End::Exited(2), "`{script}`");
    }
}

// rule: H3
#[tokio::test]
#[ignore = "a host, see `hosts_with_habits_of_their_own`"]
async fn a_host_without_stdio() {
    // SAFETY: a copy keeps the stdout of the test harness; nothing else uses the three.
    let kept = unsafe { libc::fcntl(1, libc::F_DUPFD_CLOEXEC, 100) };
    for fd in 0..3 {
        // SAFETY: as above.
        unsafe { libc::close(fd) };
    }
    let command = sh(&Marker::new(), "echo error >&2; cat").stdin(vec![b'x'; 100_000]);
    // A pipe of the run must not become the host's stdout: the program would read what the host prints.
    let mut taken = Vec::new();
    let mut sink = |_: becket_process::Chunk<'_>| {
        // SAFETY: queries a flag of a number.
        taken.extend((0..3).filter(|fd| unsafe { libc::fcntl(*fd, libc::F_GETFD) } != -1));
    };
    let token = becket_process::CancellationToken::new();
    let finished = Runner::new().run(&command, &patient(), &token, &mut sink).await.unwrap();
    // SAFETY: as above.
    unsafe { libc::dup2(kept, 1) };
    assert_eq!(taken, Vec::<i32>::new());
    assert_eq!((finished.stdout.total, &finished.stderr.bytes[..]), (100_000, &b"error\n"[..]));
}

// rule: H3
#[tokio::test]
#[ignore = "a host, see `hosts_with_habits_of_their_own`"]
async fn a_host_without_descriptors() {
    let mut held = Vec::new();
    let limit = rustix::process::Rlimit { current: Some(64), maximum: Some(64) };
    rustix::process::setrlimit(rustix::process::Resource::Nofile, limit).unwrap();
    while let Ok(file) = File::open("/dev/null") {
        held.push(file);
    }
    // For any number of descriptors left, it is a clear refusal or a complete run, and nothing leaks.
    let mut ran = false;
    while held.pop().is_some() {
        let token = becket_process::CancellationToken::new();
        match Runner::new().run(&sh(&Marker::new(), "exit 5"), &patient(), &token, &mut |_| ()).await {
            Err(SpawnError::TooManyDescriptors) => assert!(!ran),
            Ok(finished) => {
                assert_eq!(finished.end, End::Exited(5));
                ran = true;
            }
            Err(other) => panic!("{other:?} with {} held", held.len()),
        }
    }
    assert!(ran);
}

// rule: H3
#[tokio::test]
#[ignore = "a host, see `hosts_with_habits_of_their_own`"]
async fn a_host_that_blocks_and_ignores_signals() {
    for signal in [libc::SIGINT, libc::SIGTERM, libc::SIGHUP, libc::SIGPIPE, libc::SIGUSR1] {
        set_signal(signal, libc::SIG_IGN);
    }
    // SAFETY: the set is initialised by sigfillset; only this thread's mask changes.
    unsafe {
        let mut all = std::mem::MaybeUninit::uninit();
        libc::sigfillset(all.as_mut_ptr());
        libc::pthread_sigmask(libc::SIG_BLOCK, all.as_ptr(), std::ptr::null_mut());
    }
    let command = Command::new(Program::exec("/bin/grep", ["-E", "^Sig(Blk|Ign)", "/proc/self/status"]), "/");
    let finished = run(&command, &patient()).await;
    let text = String::from_utf8_lossy(&finished.stdout.bytes).into_owned();
    // 32 and 33 belong to glibc, which ignores them in the processes that it spawns.
    let of_libc = 0b11_u64 << 31;
    let sets = text.lines().map(|line| u64::from_str_radix(line.split_once(":\t").unwrap().1, 16).unwrap());
    assert_eq!(sets.map(|set| set & !of_libc).collect::<Vec<_>>(), [0, 0], "{text}");
}

// rule: H3
#[tokio::test]
async fn a_descriptor_without_close_on_exec_stays_with_the_host() {
    let dir = tempfile::tempdir().unwrap();
    let file = File::create(dir.path().join("leaky")).unwrap();
    rustix::io::fcntl_setfd(&file, rustix::io::FdFlags::empty()).unwrap();
    let list = Host::new("ls").args(["-l", "/proc/self/fd"]).output().unwrap();
    assert!(String::from_utf8_lossy(&list.stdout).contains("leaky"), "the descriptor would leak by itself");
    let finished = run(&sh(&Marker::new(), "exec ls -l /proc/self/fd"), &patient()).await;
    let text = String::from_utf8_lossy(&finished.stdout.bytes).into_owned();
    assert!(text.contains("pipe:") && !text.contains("leaky"), "{text}");
}
