//! The host's side: starts the keeper, and reports every process to it.
//!
//! INVARIANT: a keeper that does not read never blocks the host: it is abandoned, and the host goes on without one.

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

/// The time for which a keeper may leave its pipe full.
const PATIENCE: Timespec = Timespec { tv_sec: 1, tv_nsec: 0 };
/// The time that an idle keeper may take to end.
const FAREWELL: Duration = Duration::from_secs(1);

/// The guard of this process, if it has one.
static GUARD: RwLock<Option<Arc<KeeperHandle>>> = RwLock::new(None);

/// As long as this is held, what this process starts ends with it, also if the process is killed: another process, the
/// keeper, ends all groups that still run (`protocol.md` H4), those that every [`crate::Runner`] of this process has
/// started. What a command has left behind before its own end stays, as it does without a guard.
///
/// Dropped, it lets the keeper go; what runs then is unguarded. A keeper that is killed itself is not replaced.
#[must_use = "dropped, it guards nobody"]
pub struct Guard {
    told: Option<Arc<KeeperHandle>>,
}

/// The reason why a guard could not be started.
#[derive(Debug, thiserror::Error)]
pub enum GuardError {
    /// A process has one guard.
    #[error("this process has a guard already: keep that one")]
    Twice,
    /// The keeper could not be started.
    #[error(transparent)]
    Start(#[from] SpawnError),
}

impl Guard {
    /// Starts `keeper`, a program that does nothing but call [`crate::keep`] with its stdin.
    ///
    /// # Errors
    /// [`GuardError`]: nothing is guarded then.
    pub fn start(keeper: &Command) -> Result<Self, GuardError> {
        let mut guard = GUARD.write().unwrap_or_else(PoisonError::into_inner);
        if guard.is_some() {
            return Err(GuardError::Twice);
        }
        let told = Arc::new(KeeperHandle::start(keeper)?);
        told.tell(Line::Host { session: ffi::session() });
        *guard = Some(Arc::clone(&told));
        Ok(Self { told: Some(told) })
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        *GUARD.write().unwrap_or_else(PoisonError::into_inner) = None;
        // Where something still runs, the pipe stays open, and the keeper stays for it.
        if let Some(told) = self.told.take().and_then(Arc::into_inner) {
            told.farewell();
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

    /// Lines are shorter than what a pipe takes whole or not at all.
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

    /// Stops the keeper. One that has missed a line may know a process that is long gone, and must not act any more.
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

/// The host's end of the pipe, and what the keeper gets.
fn ends() -> io::Result<(OwnedFd, Stdio)> {
    let (read, write) = pipe()?;
    never_block(&write)?;
    let null = || above_stdio(rustix::fs::open("/dev/null", OFlags::RDWR | OFlags::CLOEXEC, Mode::empty())?);
    Ok((write, Stdio { stdin: read, stdout: null()?, stderr: null()?, channel: None }))
}

/// A process that the keeper knows of, as long as this is held.
#[derive(Default)]
pub(in crate::unix) struct Announcement(Option<(Arc<KeeperHandle>, u64)>);

/// Tells the keeper, if there is one, that a process is about to be started with this stdout.
pub(in crate::unix) fn announce(stdout: &OwnedFd) -> Announcement {
    let told = GUARD.read().unwrap_or_else(PoisonError::into_inner).clone();
    let Some(told) = told else { return Announcement(None) };
    let number = told.next.fetch_add(1, Ordering::Relaxed);
    let pipe = rustix::fs::fstat(stdout).map_or(0, |stat| stat.st_ino);
    told.tell(Line::Begins { number, pipe });
    Announcement(Some((told, number)))
}

impl Announcement {
    pub(in crate::unix) fn started(&self, pid: Pid) {
        self.tell(|number| Line::Started { number, pid: pid.as_raw_pid() });
    }

    fn tell(&self, line: impl FnOnce(u64) -> Line) {
        if let Some((told, number)) = &self.0 {
            told.tell(line(*number));
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
