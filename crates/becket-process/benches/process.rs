//! Overhead of a run compared with what the system charges for the same process: `posix_spawn` and a wait.
//!
//! The host is made larger before each size: a runner that forks would pay for every page of it.

#![expect(unsafe_code, reason = "the floor is the bare call to the system")]
#![expect(clippy::unwrap_used, reason = "a bench fails by panicking")]

use std::ffi::CString;
use std::fs::File;
use std::hint::black_box;
use std::io::{Read, Write};
use std::os::fd::AsRawFd;
use std::ptr;

use becket_process::{CancellationToken, Chunk, Command, Control, End, Limits, Program, Runner};
use becket_testkit::bench::{Bench, BenchTarget};
use becket_testkit::proc;
use tokio::runtime::{Builder, Runtime};

const MB: usize = 1_000_000;
const AT_ONCE: usize = 10;
const LINES: usize = 100;
const LINE: &[u8] = b"{\"prompt_response\": \"1\"}\n";

fn main() {
    let mut bench = Bench::new("becket-process");
    let sizes: &[usize] = if bench.is_quick() { &[10] } else { &[10, 500, 2000] };
    let current = Builder::new_current_thread().enable_all().build().unwrap();
    let multi = Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    let mut ballast = Vec::new();
    for size in sizes {
        grow_to(size * MB, &mut ballast);
        for (runtime, name) in [(&current, "current-thread"), (&multi, "2 workers")] {
            one(&mut bench, runtime, &format!("one `true`, host of {size} MB, {name}"));
            ten(&mut bench, runtime, &format!("ten `true` at once, host of {size} MB, {name}"));
        }
    }
    for (runtime, name) in [(&current, "current-thread"), (&multi, "2 workers")] {
        feed(&mut bench, runtime, &format!("10 MB into `cat >/dev/null`, {name}"));
        steered(&mut bench, runtime, &format!("one `true` under a control, {name}"));
        talk(
            &mut bench,
            runtime,
            &format!("100 lines through `cat`, each after the answer to the last, {name}"),
        );
    }
    black_box(ballast);
}

fn one(bench: &mut Bench, runtime: &Runtime, row: &str) {
    let command = shell("true");
    bench.note("floor: posix_spawn and waitpid of `sh -c true`");
    bench.versus(
        row,
        BenchTarget::Ratio(1.15),
        || run(runtime, &command),
        || floor_wait(floor_spawn("true", None)),
    );
}

fn ten(bench: &mut Bench, runtime: &Runtime, row: &str) {
    let command = shell("true");
    bench.note("floor: ten times posix_spawn, then ten times waitpid");
    let ours = || {
        runtime.block_on(async {
            let tasks = [(); AT_ONCE].map(|()| {
                let command = command.clone();
                tokio::spawn(async move { run_async(&command).await })
            });
            for task in tasks {
                task.await.unwrap();
            }
        });
    };
    let floor = || [(); AT_ONCE].map(|()| floor_spawn("true", None)).into_iter().for_each(floor_wait);
    bench.versus(row, BenchTarget::Ratio(1.15), ours, floor);
}

fn feed(bench: &mut Bench, runtime: &Runtime, row: &str) {
    let input = vec![b'x'; 10 * MB];
    let command = shell("cat >/dev/null").stdin(input.clone());
    bench.note("floor: the same through one blocking pipe");
    let floor = || {
        let (read, write) = rustix::pipe::pipe_with(rustix::pipe::PipeFlags::CLOEXEC).unwrap();
        let pid = floor_spawn("cat >/dev/null", Some(read.as_raw_fd()));
        drop(read);
        File::from(write).write_all(&input).unwrap();
        floor_wait(pid);
    };
    bench.versus(row, BenchTarget::Ratio(1.3), || run(runtime, &command), floor);
}

fn steered(bench: &mut Bench, runtime: &Runtime, row: &str) {
    let command = shell("true");
    bench.note("floor: the same without a control");
    let ours = || runtime.block_on(run_steered(&command, Control::new(), &mut |_| ()));
    bench.versus(row, BenchTarget::Ratio(1.05), ours, || run(runtime, &command));
}

fn talk(bench: &mut Bench, runtime: &Runtime, row: &str) {
    let command = shell("exec cat");
    bench.note("floor: the same through two blocking pipes");
    let ours = || {
        let control = Control::with_open_stdin();
        control.write(LINE);
        let (own, mut left) = (control.clone(), LINES);
        let mut sink = |_: Chunk<'_>| {
            left -= 1;
            if left == 0 { own.close_stdin() } else { assert!(own.write(LINE)) }
        };
        runtime.block_on(run_steered(&command, control, &mut sink));
        assert_eq!(left, 0);
    };
    bench.versus(row, BenchTarget::Nothing, ours, floor_talk);
}

fn floor_talk() {
    let mut cat = std::process::Command::new("/bin/sh")
        .args(["-c", "exec cat"])
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let (mut stdin, mut stdout) = (cat.stdin.take().unwrap(), cat.stdout.take().unwrap());
    for _ in 0..LINES {
        stdin.write_all(LINE).unwrap();
        stdout.read_exact(&mut [0; LINE.len()]).unwrap();
    }
    drop(stdin);
    assert!(cat.wait().unwrap().success());
}

fn shell(script: &str) -> Command {
    Command::new(Program::shell(script), "/").env("PATH", "/usr/bin:/bin")
}

fn run(runtime: &Runtime, command: &Command) {
    runtime.block_on(run_async(command));
}

async fn run_async(command: &Command) {
    let token = CancellationToken::new();
    let finished = Runner::new().run(command, &Limits::default(), &token, &mut |_| ()).await.unwrap();
    assert_eq!(finished.end, End::Exited(0));
}

async fn run_steered(command: &Command, control: Control, sink: &mut (dyn FnMut(Chunk<'_>) + Send)) {
    let (token, limits) = (CancellationToken::new(), Limits::default());
    let finished = Runner::new().run_with(command, &limits, &token, control, sink).await.unwrap();
    assert_eq!(finished.end, End::Exited(0));
}

fn floor_spawn(script: &str, stdin: Option<i32>) -> libc::pid_t {
    let [shell, flag, script, env] =
        ["/bin/sh", "-c", script, "PATH=/usr/bin:/bin"].map(|s| CString::new(s).unwrap());
    let argv =
        [shell.as_ptr().cast_mut(), flag.as_ptr().cast_mut(), script.as_ptr().cast_mut(), ptr::null_mut()];
    let env = [env.as_ptr().cast_mut(), ptr::null_mut()];
    let mut pid = 0;
    // SAFETY: the actions and attributes are initialised before use; strings and arrays outlive the call.
    unsafe {
        let mut actions = std::mem::zeroed();
        let mut attributes = std::mem::zeroed();
        libc::posix_spawn_file_actions_init(&mut actions);
        libc::posix_spawnattr_init(&mut attributes);
        libc::posix_spawnattr_setflags(&mut attributes, libc::POSIX_SPAWN_SETSID);
        if let Some(stdin) = stdin {
            libc::posix_spawn_file_actions_adddup2(&mut actions, stdin, 0);
        }
        let code =
            libc::posix_spawn(&mut pid, shell.as_ptr(), &actions, &attributes, argv.as_ptr(), env.as_ptr());
        assert_eq!(code, 0);
        libc::posix_spawnattr_destroy(&mut attributes);
        libc::posix_spawn_file_actions_destroy(&mut actions);
    }
    pid
}

fn floor_wait(pid: libc::pid_t) {
    let mut status = 0;
    // SAFETY: `status` is valid for writing.
    let waited = unsafe { libc::waitpid(pid, &mut status, 0) };
    assert_eq!((waited, status), (pid, 0));
}

/// Touches memory until that much is resident.
fn grow_to(bytes: usize, ballast: &mut Vec<Vec<u8>>) {
    let missing = bytes.saturating_sub(proc::resident() as usize);
    ballast.push((0..missing).map(|index| index as u8).collect());
}
