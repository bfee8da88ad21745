//! Conversion of a command to a running process with its pipes.
//!
//! INVARIANT: if an error is returned, no process of this command is left.

use std::io;
use std::os::fd::OwnedFd;

use bytes::{Buf, Bytes};
use rustix::io::Errno;
use rustix::process::{Pid, Signal, kill_process_group};

#[cfg(target_os = "linux")]
use super::adopter;
use super::ffi::{self, Stdio};
use super::leader::{self, Leader, Waiter};
use super::pipes::{Input, Output, never_block, pipe};
use super::{exec, guard, refusal};
use crate::command::{Command, Descendants};
use crate::error::SpawnError;

/// A process that has just started.
pub(crate) struct SpawnedChild {
    pub(crate) leader: Leader,
    /// The write end of stdin; `None` if all input went into the pipe before the start and stdin is not kept open.
    pub(crate) stdin: Option<Input>,
    /// The input that did not fit into stdin's pipe.
    pub(crate) unwritten: Bytes,
    pub(crate) stdout: Output,
    pub(crate) stderr: Output,
}

/// Starts the command. Blocks for as long as the system takes to exec, a fraction of a millisecond.
///
/// With `keep_stdin`, more bytes may follow those of the command.
pub(crate) fn spawn(command: &Command, keep_stdin: bool) -> Result<SpawnedChild, SpawnError> {
    spawn_with(command, keep_stdin, Waiter::Best)
}

pub(super) fn spawn_with(
    command: &Command,
    keep_stdin: bool,
    waiter: Waiter,
) -> Result<SpawnedChild, SpawnError> {
    let image = exec::image(command)?;
    // The host's side is set up before the start: if the runtime fails, there is no process to undo.
    let (host, child) =
        Pipes::open(command, keep_stdin).map_err(|error| refusal::of_pipes(command, error))?;
    let announced = guard::announce(&child.stdout);
    let pid = start_confined(command, &image, &child)?;
    announced.started(pid);
    drop(child);
    let leader = Leader::new(pid, waiter, announced).map(|leader| leader.with(&command.descendants));
    let leader = leader.map_err(|error| {
        take_back(pid);
        refusal::of_pipes(command, error)
    })?;
    let Pipes { stdin, unwritten, stdout, stderr } = host;
    Ok(SpawnedChild { leader, stdin, unwritten, stdout, stderr })
}

/// Starts the process, on a thread with the same restricted rights if it is confined.
fn start_confined(command: &Command, image: &ffi::Image, stdio: &Stdio) -> Result<Pid, SpawnError> {
    let started = || {
        start(&command.descendants, image, stdio).map_err(|error| refusal::of_spawn(command, image, error))
    };
    let Some(confinement) = &command.confinement else { return started() };
    let confined = || match confinement.enter() {
        Ok(()) => started(),
        Err(why) => Err(refusal::not_confined(command, why)),
    };
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().name("becket-confined".into());
        let thread = thread.spawn_scoped(scope, confined);
        let thread = thread.map_err(|error| refusal::of_pipes(command, error))?;
        thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    })
}

#[cfg(target_os = "linux")]
fn start(descendants: &Descendants, image: &ffi::Image, stdio: &Stdio) -> io::Result<Pid> {
    match descendants {
        Descendants::Seen => ffi::posix_spawn(image, stdio),
        Descendants::Adopted { .. } => adopter::spawn(image, stdio, adopter::Role::Adopter),
    }
}

#[cfg(not(target_os = "linux"))]
fn start(_: &Descendants, image: &ffi::Image, stdio: &Stdio) -> io::Result<Pid> {
    ffi::posix_spawn(image, stdio)
}

fn take_back(pid: Pid) {
    let _ = kill_process_group(pid, Signal::KILL);
    leader::reap(pid);
}

/// The host's ends of the pipes.
struct Pipes {
    stdin: Option<Input>,
    unwritten: Bytes,
    stdout: Output,
    stderr: Output,
}

impl Pipes {
    fn open(command: &Command, keep: bool) -> io::Result<(Self, Stdio)> {
        let (stdin, channel) = (&command.stdin, command.channel.clone());
        let (in_read, in_write) = pipe()?;
        let (out_read, out_write) = pipe()?;
        let (err_read, err_write) = pipe()?;
        for end in [&in_write, &out_read, &err_read] {
            never_block(end)?;
        }
        widen(&in_write, stdin.len());
        let unwritten = write_ahead(&in_write, stdin.clone())?;
        let stdin = if unwritten.is_empty() && !keep { None } else { Some(Input::new(in_write)?) };
        let host = Self { stdin, unwritten, stdout: Output::new(out_read)?, stderr: Output::new(err_read)? };
        Ok((host, Stdio { stdin: in_read, stdout: out_write, stderr: err_write, channel }))
    }
}

/// Widens the pipe for a long input, which saves most of the wake-ups. Not to the maximum: the pages of all pipes of a
/// user are counted, and a user with too many gets tiny pipes. A failure affects only the speed.
#[cfg(target_os = "linux")]
pub(super) fn widen(pipe: &OwnedFd, length: usize) {
    const USUAL: usize = 1 << 16;
    const WIDE: usize = 1 << 18;
    if length > USUAL {
        let _ = rustix::pipe::fcntl_setpipe_size(pipe, WIDE);
    }
}

#[cfg(not(target_os = "linux"))]
pub(super) fn widen(_: &OwnedFd, _: usize) {}

/// Writes the input before the start if it fits into the pipe, which saves a wake-up. Pipes can be as small as a page.
///
/// INVARIANT: the host still has the read end open, so it can't get a `SIGPIPE`.
fn write_ahead(pipe: &OwnedFd, mut bytes: Bytes) -> io::Result<Bytes> {
    while bytes.has_remaining() {
        match rustix::io::retry_on_intr(|| rustix::io::write(pipe, &bytes)) {
            Ok(written) => bytes.advance(written),
            Err(Errno::AGAIN) => break,
            Err(error) => return Err(error.into()),
        }
    }
    Ok(bytes)
}
