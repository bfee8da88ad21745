//! A process that outlives this one.
//!
//! It has a session of its own and no output, so that neither a signal to this process's group nor a reader of its
//! output affects it. INVARIANT: nobody here waits for it or ends it: it has a limit of its own, or the caller keeps
//! its id.

use std::io;
use std::os::fd::OwnedFd;

use rustix::fs::{Mode, OFlags};

use super::ffi::{self, Stdio};
use super::pipes::above_stdio;
use super::{exec, refusal};
use crate::command::Command;
use crate::error::SpawnError;

/// Starts a process that reads `stdin` and outlives this one, and returns its id. Its output is discarded; the stdin,
/// confinement and descendants of `command` are ignored.
///
/// Intended for a caller that ends soon: until then the process is its child, which nobody waits for.
///
/// # Errors
/// Returns a [`SpawnError`] if it can't be started.
pub fn start_detached(command: &Command, stdin: OwnedFd) -> Result<u32, SpawnError> {
    let image = exec::image(command)?;
    let stdio = stdio(stdin, command).map_err(|error| refusal::of_pipes(command, error))?;
    let id = ffi::posix_spawn(&image, &stdio).map_err(|error| refusal::of_spawn(command, &image, error))?;
    Ok(id.as_raw_nonzero().get().unsigned_abs())
}

fn stdio(stdin: OwnedFd, command: &Command) -> io::Result<Stdio> {
    let null = || above_stdio(rustix::fs::open("/dev/null", OFlags::RDWR | OFlags::CLOEXEC, Mode::empty())?);
    Ok(Stdio {
        stdin: above_stdio(stdin)?,
        stdout: null()?,
        stderr: null()?,
        channel: command.channel.clone(),
    })
}
