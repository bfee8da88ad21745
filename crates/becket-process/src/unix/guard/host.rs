//! The host's side: starts the keeper, and reports every process to it.
//!
//! INVARIANT: a keeper that does not read never blocks the host: it is abandoned, and the host continues without one.

use std::fmt;
use std::io;
use std::os::fd::OwnedFd;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, PoisonError, RwLock};
use std::thread;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{Mode, OFlags};
use rustix::io::Errno;
use rustix::process::{Pid, Signal, kill_process};

use super::line::Line;
use crate::command::Command;
use crate::error::SpawnError;
use crate::unix::ffi::{self, Stdio};
use crate::unix::pipes::{above_stdio, never_block, pipe};
use crate::unix::{exec, leader, refusal};

/// The time for which the keeper's pipe may stay full.
const PATIENCE: Timespec = Timespec { tv_sec: 1, tv_nsec: 0 };
/// The time that an idle keeper may take to exit.
const FAREWELL: Duration = Duration::from_secs(1);

/// The guard of this process, if it has one.
static GUARD: RwLock<Option<Arc<KeeperHandle>>> = RwLock::new(None);

/// A guard that ends what this process starts when this process ends, even if it is killed: another process, the
/// keeper, ends all groups that still run (`protocol.md` H4) and were started by any [`crate::Runner`] of this
/// process. Processes that a command left behind before its own end are left alone, as without a guard.
///
/// Dropping the guard dismisses the keeper; processes that still run then are unguarded. A keeper that is killed is
/// not replaced.
#[must_use = "a dropped guard guards nothing"]
pub struct Guard {
    handle: Option<Arc<KeeperHandle>>,
}

/// The reason why a guard could not be started.
#[derive(Debug, thiserror::Error)]
pub enum GuardError {
    /// The process already has a guard.
    #[error("this process has a guard already: keep that one")]
    AlreadyStarted,
    /// The keeper could not be started.
    #[error(transparent)]
    Start(#[from] SpawnError),
}

impl Guard {
    /// Starts `keeper`, a program that does nothing but call [`crate::keep`] with its stdin.
    ///
    /// Errors with a [`GuardError`]; nothing is guarded then.
    /// Returns a [`GuardError`] if nothing is guarded.
    pub fn start(keeper: &Command) -> Result<Self, GuardError> {
        let mut guard = GUARD.write().unwrap_or_else(PoisonError::into_inner);
        if guard.is_some() {
            return Err(GuardError::AlreadyStarted);
        }
        let handle = Arc::new(KeeperHandle::start(keeper)?);
        handle.tell(Line::Host { session: ffi::session() });
        *guard = Some(Arc::clone(&handle));
        Ok(Self { handle: Some(handle) })
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        *GUARD.write().unwrap_or_else(PoisonError::into_inner) = None;
        // If something still runs, the pipe stays open, and the keeper stays for it.
        if let Some(handle) = self.handle.take().and_then(Arc::into_inner) {
            handle.farewell();
        }
    }
}

impl fmt::Debug for Guard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Guard").finish_non_exhaustive()
    }
}

/// A running keeper and the pipe to it.
struct KeeperHandle {
    pipe: OwnedFd,
    keeper: Pid,
    next: AtomicU64,
    given_up: AtomicBool,
}

impl KeeperHandle {
    fn start(keeper: &Command) -> Result<Self, SpawnError> {
        let image = exec::image(keeper)?;
        let (write, stdio) = ends().map_err(|error| refusal::of_pipes(keeper, error))?;
        let pid =
            ffi::posix_spawn(&image, &stdio).map_err(|error| refusal::of_spawn(keeper, &image, error))?;
        Ok(Self { pipe: write, keeper: pid, next: AtomicU64::new(0), given_up: AtomicBool::new(false) })
    }

    fn tell(&self, line: Line) {
        if !self.given_up.load(Ordering::Relaxed) && self.write(line.to_string().as_bytes()).is_err() {
            self.give_up();
        }
    }

    /// Writes a line; it is shorter than what a pipe accepts whole or not at all.
    fn write(&self, line: &[u8]) -> rustix::io::Result<()> {
        let write =
            || ffi::without_sigpipe(|| rustix::io::retry_on_intr(|| rustix::io::write(&self.pipe, line)));
        match write() {
            Err(Errno::AGAIN) => {
                poll(&mut [PollFd::new(&self.pipe, PollFlags::OUT)], Some(&PATIENCE))?;
                write().map(drop)
            }
            written => written.map(drop),
        }
    }

    /// Stops the keeper. A keeper that has missed a line may know a process that is long gone, and must no longer act.
    fn give_up(&self) {
        self.given_up.store(true, Ordering::Relaxed);
        if leader::is_ours(self.keeper) {
            let _ = kill_process(self.keeper, Signal::KILL);
        }
    }

    fn farewell(self) {
        let Self { pipe, keeper, .. } = self;
        drop(pipe);
        let start = Instant::now();
        while !leader::has_ended(keeper) {
            if start.elapsed() > FAREWELL {
                let _ = kill_process(keeper, Signal::KILL);
                break;
            }
            thread::sleep(Duration::from_micros(200));
        }
        leader::reap(keeper);
    }
}

/// Creates the host's end of the pipe and the descriptors of the keeper.
fn ends() -> io::Result<(OwnedFd, Stdio)> {
    let (read, write) = pipe()?;
    never_block(&write)?;
    let null = || above_stdio(rustix::fs::open("/dev/null", OFlags::RDWR | OFlags::CLOEXEC, Mode::empty())?);
    Ok((write, Stdio { stdin: read, stdout: null()?, stderr: null()?, channel: None }))
}

/// A process that the keeper knows about for as long as this lives.
#[derive(Default)]
pub(in crate::unix) struct Announcement(Option<(Arc<KeeperHandle>, u64)>);

/// Tells the keeper, if there is one, that a process with this stdout is about to be started.
pub(in crate::unix) fn announce(stdout: &OwnedFd) -> Announcement {
    let handle = GUARD.read().unwrap_or_else(PoisonError::into_inner).clone();
    let Some(handle) = handle else { return Announcement(None) };
    let number = handle.next.fetch_add(1, Ordering::Relaxed);
    let pipe = rustix::fs::fstat(stdout).map_or(0, |stat| stat.st_ino);
    handle.tell(Line::Begins { number, pipe });
    Announcement(Some((handle, number)))
}

impl Announcement {
    pub(in crate::unix) fn started(&self, pid: Pid) {
        self.tell(|number| Line::Started { number, pid: pid.as_raw_pid() });
    }

    fn tell(&self, line: impl FnOnce(u64) -> Line) {
        if let Some((handle, number)) = &self.0 {
            handle.tell(line(*number));
        }
    }
}

impl Drop for Announcement {
    fn drop(&mut self) {
        self.tell(|number| Line::Ended { number });
    }
}

impl fmt::Debug for Announcement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Announcement").field(&self.0.as_ref().map(|(_, number)| number)).finish()
    }
}
