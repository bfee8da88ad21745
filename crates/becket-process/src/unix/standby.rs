//! A process that is started ahead of its input, traced by the thread that starts it.
//!
//! INVARIANT: until it is run, the process has an owner that kills and reaps it when it is dropped.

use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::path::PathBuf;

use bytes::{Buf, Bytes};
use rustix::io::Errno;
use rustix::process::{Pid, Signal, kill_process_group};

use super::ffi::Stdio;
use super::guard::{self, Announcement};
use super::leader::{self, Leader, Waiter};
use super::pipes::{Input, Output, never_block, pipe};
use super::spawn::{SpawnedChild, widen};
use super::{adopter, exec, ffi, refusal};
use crate::command::{Command, Descendants};
use crate::error::SpawnError;

/// A process that has been started, and waits for its input. Linux only.
#[derive(Debug)]
pub struct Standby {
    command: Command,
    process: Option<Process>,
    unwritten: Bytes,
    /// The inodes of the pipes of stdin, stdout and stderr.
    pipes: [u64; 3],
}

#[derive(Debug)]
struct Process {
    pid: Pid,
    announced: Announcement,
    stdin: OwnedFd,
    stdout: OwnedFd,
    stderr: OwnedFd,
}

impl Standby {
    /// Starts the command without its input. It is a tracee of the calling thread, and stopped before the first
    /// instruction of its program; that thread has to wait for it, to set its options, and to detach from it.
    ///
    /// # Errors
    /// Errors if the command could not be started, or not be traced, or if it has a channel, restricted rights or
    /// descendants of its own; nothing is left of it.
    pub fn spawn(command: &Command) -> Result<Self, SpawnError> {
        let image = exec::image(command)?;
        let of_pipes = |error: io::Error| refusal::of_pipes(command, error);
        if command.channel.is_some()
            || command.descendants != Descendants::Seen
            || command.confinement.is_some()
        {
            return Err(of_pipes(io::ErrorKind::Unsupported.into()));
        }
        let (in_read, stdin) = pipe().map_err(of_pipes)?;
        let (stdout, out_write) = pipe().map_err(of_pipes)?;
        let (stderr, err_write) = pipe().map_err(of_pipes)?;
        for end in [&stdin, &stdout, &stderr] {
            never_block(end).map_err(of_pipes)?;
        }
        let pipes = [inode(&stdin), inode(&stdout), inode(&stderr)];
        let stdio = Stdio { stdin: in_read, stdout: out_write, stderr: err_write, channel: None };
        let announced = guard::announce(&stdio.stdout);
        let pid = adopter::spawn(&image, &stdio, adopter::Role::Tracee)
            .map_err(|error| refusal::of_spawn(command, &image, error))?;
        announced.started(pid);
        let process = Process { pid, announced, stdin, stdout, stderr };
        Ok(Self { command: command.clone(), process: Some(process), unwritten: Bytes::new(), pipes })
    }

    /// Returns the files that the system looks at to find the program of a command, in their order; the last one is the
    /// program, if there is one.
    #[must_use]
    pub fn program_files(command: &Command) -> Vec<PathBuf> {
        exec::looked_at(command)
    }

    /// Returns the id of the process.
    #[must_use]
    pub fn id(&self) -> i32 {
        self.process.as_ref().map_or(0, |process| process.pid.as_raw_pid())
    }

    /// Returns the inodes of the pipes that are its stdin, stdout and stderr.
    #[must_use]
    pub fn pipes(&self) -> [u64; 3] {
        self.pipes
    }

    /// Writes its input as far as the pipe takes it; [`crate::Runner::run_standby`] writes the rest.
    ///
    /// # Errors
    /// Errors if the pipe can't be written.
    pub fn feed(&mut self, input: Bytes) -> io::Result<()> {
        let Some(process) = &self.process else { return Ok(()) };
        widen(&process.stdin, input.len());
        self.unwritten = input;
        while self.unwritten.has_remaining() {
            let write = || rustix::io::retry_on_intr(|| rustix::io::write(&process.stdin, &self.unwritten));
            match ffi::without_sigpipe(write) {
                Ok(written) => self.unwritten.advance(written),
                Err(Errno::AGAIN) => break,
                // A process that has closed its stdin reads nothing of it (law 4).
                Err(Errno::PIPE) => self.unwritten = Bytes::new(),
                Err(error) => return Err(error.into()),
            }
        }
        Ok(())
    }

    /// Hands the process over to a run.
    pub(crate) fn into_spawned(mut self, keep_stdin: bool) -> Result<SpawnedChild, SpawnError> {
        let gone = || refusal::of_pipes(&self.command, io::ErrorKind::NotFound.into());
        let Process { pid, announced, stdin, stdout, stderr } = self.process.take().ok_or_else(gone)?;
        let unwritten = std::mem::take(&mut self.unwritten);
        let host = || -> io::Result<_> {
            let stdin = if unwritten.has_remaining() || keep_stdin { Some(Input::new(stdin)?) } else { None };
            Ok((stdin, Output::new(stdout)?, Output::new(stderr)?))
        };
        let ready = host().and_then(|pipes| Ok((pipes, Leader::new(pid, Waiter::Best, announced)?)));
        let ((stdin, stdout, stderr), leader) = ready.map_err(|error| {
            end(pid);
            refusal::of_pipes(&self.command, error)
        })?;
        let leader = leader.with(&self.command.descendants);
        Ok(SpawnedChild { leader, stdin, unwritten, stdout, stderr })
    }
}

impl Drop for Standby {
    fn drop(&mut self) {
        if let Some(process) = self.process.take() {
            end(process.pid);
        }
    }
}

/// Kills the process with its group, and reaps it, unless its tracer has.
fn end(pid: Pid) {
    if leader::is_ours(pid) {
        let _ = kill_process_group(pid, Signal::KILL);
        leader::reap(pid);
    }
}

fn inode(fd: impl AsFd) -> u64 {
    rustix::fs::fstat(fd).map_or(0, |stat| stat.st_ino)
}
