//! Commands of hooks that are started ahead of their events (`protocol.md` H3).

use becket_engine::{HookStandby, HookStandbyEnd, HookStandbyState, HookStandbys};
use becket_exec::{Standby, StandbyEnd, StandbyLimits, StandbyState};
use becket_process::Command;
use bytes::Bytes;
use std::io;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The largest number of standbys of this process, of all engines together.
const MOST: usize = 16;

/// The number of standbys of this process.
static LIVE: AtomicUsize = AtomicUsize::new(0);

/// Standbys that are traced (ptrace) until their events, at most 16 in a process. On systems other than Linux none is
/// started.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemStandbys;

impl HookStandbys for SystemStandbys {
    fn start(&self, command: Command) -> io::Result<Box<dyn HookStandby>> {
        let place = Place::take().ok_or(io::ErrorKind::QuotaExceeded)?;
        let standby = Standby::start(command, StandbyLimits::default(), place)?;
        Ok(Box::new(SystemStandby(standby)))
    }
}

#[derive(Debug)]
struct SystemStandby(Standby);

/// One of the places for standbys of this process. Dropping it frees the place.
#[derive(Debug)]
struct Place;

impl Place {
    fn take() -> Option<Self> {
        let one_more = |live: usize| (live < MOST).then_some(live + 1);
        LIVE.fetch_update(Ordering::Relaxed, Ordering::Relaxed, one_more).ok().map(|_| Self)
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        LIVE.fetch_sub(1, Ordering::Relaxed);
    }
}

impl HookStandby for SystemStandby {
    fn state(&self) -> HookStandbyState {
        match self.0.state() {
            StandbyState::Starting => HookStandbyState::Starting,
            StandbyState::Waiting { memory } => HookStandbyState::Waiting { memory },
            StandbyState::Ended(end) => HookStandbyState::Ended(converted(&end)),
        }
    }

    fn release(self: Box<Self>, input: Bytes) -> Result<becket_process::Standby, HookStandbyEnd> {
        self.0.release(input).map_err(|end| converted(&end))
    }

    fn end(self: Box<Self>) {
        self.0.end();
    }
}

fn converted(end: &StandbyEnd) -> HookStandbyEnd {
    HookStandbyEnd { message: end.to_string(), is_lasting: end.is_lasting() }
}

#[cfg(all(test, target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")))]
mod tests;
