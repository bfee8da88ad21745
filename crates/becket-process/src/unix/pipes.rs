//! The host's ends of the three pipes: never blocking, never inherited, never below descriptor 3.

use std::io;
use std::os::fd::{AsFd, OwnedFd};

use rustix::fs::{OFlags, fcntl_setfl};
use rustix::io::fcntl_dupfd_cloexec;
use tokio::io::Interest;
use tokio::io::unix::AsyncFd;

use super::ffi;

/// The write end of stdin.
#[derive(Debug)]
pub(crate) struct Input(AsyncFd<OwnedFd>);

impl Input {
    pub(super) fn new(fd: OwnedFd) -> io::Result<Self> {
        ffi::watch(fd, Interest::WRITABLE).map(Self)
    }

    /// Deregisters the descriptor from the runtime; it stays non-blocking.
    pub(super) fn into_fd(self) -> OwnedFd {
        self.0.into_inner()
    }

    /// Resolves when a write may make progress, or will fail.
    pub(crate) async fn ready(&self) {
        // An error here means that the runtime is shutting down: nothing will ever be ready.
        if self.0.writable().await.is_err() {
            std::future::pending::<()>().await;
        }
    }

    /// Writes what fits; `WouldBlock` if nothing does. Raises no signal.
    pub(crate) fn try_write(&self, bytes: &[u8]) -> io::Result<usize> {
        attempt(&self.0, Interest::WRITABLE, |fd| {
            Ok(ffi::without_sigpipe(|| rustix::io::retry_on_intr(|| rustix::io::write(fd, bytes)))?)
        })
    }
}

/// The read end of stdout or stderr.
#[derive(Debug)]
pub(crate) struct Output(AsyncFd<OwnedFd>);

impl Output {
    pub(super) fn new(fd: OwnedFd) -> io::Result<Self> {
        ffi::watch(fd, Interest::READABLE).map(Self)
    }

    /// Resolves when a read may make progress, or is at the end.
    pub(crate) async fn ready(&self) {
        if self.0.readable().await.is_err() {
            std::future::pending::<()>().await;
        }
    }

    /// Reads the available bytes; 0 at the end, `WouldBlock` if there are none yet.
    pub(crate) fn try_read(&self, buffer: &mut [u8]) -> io::Result<usize> {
        attempt(&self.0, Interest::READABLE, |fd| {
            Ok(rustix::io::retry_on_intr(|| rustix::io::read(fd, &mut *buffer))?)
        })
    }

    /// Deregisters the descriptor from the runtime; it stays non-blocking.
    pub(super) fn into_fd(self) -> OwnedFd {
        self.0.into_inner()
    }
}

/// Calls `io`, even if the runtime has not yet been notified that the descriptor is ready.
///
/// The readiness may be cleared only by an attempt that the runtime itself watched: between an attempt of our own and
/// the clearing, an event could come and be lost.
fn attempt<T>(
    fd: &AsyncFd<OwnedFd>,
    interest: Interest,
    mut io: impl FnMut(&OwnedFd) -> io::Result<T>,
) -> io::Result<T> {
    let mut tried = false;
    let watched = fd.try_io(interest, |fd| {
        tried = true;
        io(fd)
    });
    if tried { watched } else { io(fd.get_ref()) }
}

/// Creates a pipe as (read end, write end), both close-on-exec.
pub(super) fn pipe() -> io::Result<(OwnedFd, OwnedFd)> {
    let (read, write) = raw_pipe()?;
    Ok((above_stdio(read)?, above_stdio(write)?))
}

#[cfg(not(target_vendor = "apple"))]
fn raw_pipe() -> io::Result<(OwnedFd, OwnedFd)> {
    Ok(rustix::pipe::pipe_with(rustix::pipe::PipeFlags::CLOEXEC)?)
}

/// Creates a pipe without `pipe2`: a spawn of another thread between the two steps inherits the ends, unless it goes
/// through this crate, which closes all of them.
#[cfg(target_vendor = "apple")]
fn raw_pipe() -> io::Result<(OwnedFd, OwnedFd)> {
    let (read, write) = rustix::pipe::pipe()?;
    rustix::io::fcntl_setfd(&read, rustix::io::FdFlags::CLOEXEC)?;
    rustix::io::fcntl_setfd(&write, rustix::io::FdFlags::CLOEXEC)?;
    Ok((read, write))
}

/// Moves a descriptor above stdio. In a host whose stdio is closed a fresh one would become stdio: the program would
/// read what the host prints.
pub(super) fn above_stdio(fd: OwnedFd) -> io::Result<OwnedFd> {
    use std::os::fd::AsRawFd;
    if fd.as_raw_fd() > 2 {
        return Ok(fd);
    }
    Ok(fcntl_dupfd_cloexec(fd, 3)?)
}

/// Sets the host's end non-blocking. The two ends of a pipe have flags of their own, so the other end is unaffected.
pub(super) fn never_block(fd: impl AsFd) -> io::Result<()> {
    Ok(fcntl_setfl(fd, OFlags::NONBLOCK)?)
}
