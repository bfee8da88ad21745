//! The process that was started: waiting for its exit, taking its status.
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

/// A waiter does one system call.
const STACK: usize = 1 << 16;

/// The way in which the exit is noticed.
#[derive(Debug, Clone, Copy)]
pub(super) enum Waiter {
    /// A pidfd if there are any.
    Best,
    /// Always a thread, as on systems without pidfds.
    #[cfg_attr(
        not(test),
        expect(dead_code, reason = "chosen by tests, to try the way of other systems on this one")
    )]
    Thread,
}

/// A child of this host that was not reaped. It must be: by [`Leader::reap`] or as a part of an `Termination`.
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
    /// Watches a fresh child. `pidfd: false` behaves like a system without them.
    ///
    /// # Errors
    /// There is neither a pidfd nor a thread to wait with. The child is still there.
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

    /// Says what becomes of the processes that it leaves.
    pub(super) fn with(mut self, descendants: &Descendants) -> Self {
        self.descendants.clone_from(descendants);
        self
    }

    /// The end of a process whose descendants end with it; its status is left for an `Termination`. None where its descendants
    /// are left alone.
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
                // The only news of this channel is its end.
                let _ = waiter.clone().changed().await;
            }
        }
    }

    /// Takes the status of a process that has ended. Its keeper is notified of that afterwards: until then its id is
    /// its own.
    pub(crate) fn reap(self) -> End {
        let Self { pid, announced, .. } = self;
        let end = reap(pid);
        drop(announced);
        end
    }

    /// The id, and what has to be held until the process is reaped.
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
        // ECHILD: the host ignores SIGCHLD, or waits for every child. Its exit code is unknown: never a success.
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

/// The thread ends with the process.
fn wait_on_thread(pid: Pid) -> io::Result<watch::Receiver<()>> {
    let (done, ended) = watch::channel(());
    let work = move || {
        let _ = wait(pid, WaitIdOptions::EXITED | WaitIdOptions::NOWAIT);
        drop(done);
    };
    thread::Builder::new().name("becket-waiter".into()).stack_size(STACK).spawn(work)?;
    Ok(ended)
}
