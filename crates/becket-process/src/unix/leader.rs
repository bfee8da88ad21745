//! The process that was started: waits for its exit and takes its status.
//!
//! Linux reports the exit through a pidfd. Without one (macOS, old or sandboxed kernels) a thread waits; it never
//! reaps, so the process id stays reserved until [`Leader::reap`].

use std::io;
use std::os::fd::OwnedFd;
use std::thread;

use rustix::process::{Pid, WaitId, WaitIdOptions, WaitIdStatus, waitid};
use tokio::io::unix::AsyncFd;
use tokio::sync::watch;

use super::guard::Announcement;
use crate::command::Descendants;
use crate::finished_run::End;

/// The stack size of a waiter, which makes one system call.
const STACK: usize = 1 << 16;

/// The mechanism that reports the exit.
#[derive(Debug, Clone, Copy)]
pub(super) enum Waiter {
    /// A pidfd if the system has them.
    Best,
    /// Always a thread, as on systems without pidfds.
    #[cfg_attr(
        not(test),
        expect(dead_code, reason = "chosen by tests, to try the behaviour of other systems on this one")
    )]
    Thread,
}

/// A child of this host that was not reaped. It must be: by [`Leader::reap`] or as a part of a `Termination`.
#[derive(Debug)]
pub(crate) struct Leader {
    pid: Pid,
    watch: Watch,
    announced: Announcement,
    descendants: Descendants,
}

#[derive(Debug)]
enum Watch {
    /// Readable once the process has ended.
    Pidfd(AsyncFd<OwnedFd>),
    /// Closed once the process has ended.
    Thread(watch::Receiver<()>),
}

impl Leader {
    /// Watches a fresh child.
    ///
    /// # Errors
    /// Errors if there is neither a pidfd nor a thread to wait with. The child still exists.
    pub(super) fn new(pid: Pid, waiter: Waiter, announced: Announcement) -> io::Result<Self> {
        let pidfd = match waiter {
            Waiter::Best => open_pidfd(pid),
            Waiter::Thread => None,
        };
        let watch = match pidfd {
            Some(fd) => Watch::Pidfd(fd),
            None => Watch::Thread(wait_on_thread(pid)?),
        };
        Ok(Self { pid, watch, announced, descendants: Descendants::default() })
    }

    /// Sets the treatment of the processes that it leaves running.
    pub(super) fn with(mut self, descendants: &Descendants) -> Self {
        self.descendants.clone_from(descendants);
        self
    }

    /// Returns the end of a process whose descendants end with it; its status is left for a `Termination`. `None` if
    /// its descendants are left alone.
    pub(crate) fn end_with_all(&self) -> Option<End> {
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        match &self.descendants {
            Descendants::Seen => None,
            Descendants::Adopted { .. } => match wait(self.pid, options) {
                Ok(Some(status)) => Some(end_of(&status)),
                Ok(None) | Err(_) => Some(End::Lost),
            },
        }
    }

    #[cfg(test)]
    pub(super) fn pid(&self) -> Pid {
        self.pid
    }

    /// Resolves when the process has ended. It stays a zombie. Cancel-safe.
    pub(crate) async fn exited(&self) {
        match &self.watch {
            Watch::Pidfd(fd) => {
                if fd.readable().await.is_err() {
                    std::future::pending::<()>().await;
                }
            }
            Watch::Thread(waiter) => {
                // This channel only reports its end.
                let _ = waiter.clone().changed().await;
            }
        }
    }

    /// Takes the status of a process that has ended. Its keeper is notified afterwards: until then its id is its own.
    pub(crate) fn reap(self) -> End {
        let Self { pid, announced, .. } = self;
        let end = reap(pid);
        drop(announced);
        end
    }

    /// Returns the id, and everything that has to be kept until the process is reaped.
    pub(super) fn into_parts(self) -> (Pid, Announcement, Descendants) {
        (self.pid, self.announced, self.descendants)
    }
}

/// Returns whether the process has ended, or is no longer a child of this process. Leaves the status.
pub(super) fn has_ended(pid: Pid) -> bool {
    !matches!(wait(pid, WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT), Ok(None))
}

/// Returns whether the id still names our child, running or dead. Once the child has been reaped elsewhere, the id may
/// be reused.
pub(super) fn is_ours(pid: Pid) -> bool {
    wait(pid, WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT).is_ok()
}

/// Waits for the end of the process and takes its status.
pub(super) fn reap(pid: Pid) -> End {
    match wait(pid, WaitIdOptions::EXITED) {
        Ok(Some(status)) => end_of(&status),
        // ECHILD: the host ignores SIGCHLD, or waits for every child. The exit code is unknown: never a success.
        Ok(None) | Err(_) => End::Lost,
    }
}

fn end_of(status: &WaitIdStatus) -> End {
    match (status.exit_status(), status.terminating_signal()) {
        (Some(code), _) => End::Exited(code),
        (None, Some(signal)) => End::Signaled(signal),
        (None, None) => End::Lost,
    }
}

fn wait(pid: Pid, options: WaitIdOptions) -> rustix::io::Result<Option<WaitIdStatus>> {
    rustix::io::retry_on_intr(|| waitid(WaitId::Pid(pid), options))
}

#[cfg(target_os = "linux")]
fn open_pidfd(pid: Pid) -> Option<AsyncFd<OwnedFd>> {
    let fd = rustix::process::pidfd_open(pid, rustix::process::PidfdFlags::empty()).ok()?;
    let fd = super::pipes::above_stdio(fd).ok()?;
    super::ffi::watch(fd, tokio::io::Interest::READABLE).ok()
}

#[cfg(not(target_os = "linux"))]
fn open_pidfd(_: Pid) -> Option<AsyncFd<OwnedFd>> {
    None
}

/// Waits on a thread that ends with the process.
fn wait_on_thread(pid: Pid) -> io::Result<watch::Receiver<()>> {
    let (done, ended) = watch::channel(());
    let work = move || {
        let _ = wait(pid, WaitIdOptions::EXITED | WaitIdOptions::NOWAIT);
        drop(done);
    };
    thread::Builder::new().name("becket-waiter".into()).stack_size(STACK).spawn(work)?;
    Ok(ended)
}
