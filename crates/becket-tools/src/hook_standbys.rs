//! Commands of hooks that are started ahead of their events (`protocol.md` H3).

use becket_engine::{HookStandby, HookStandbyEnd, HookStandbyState, HookStandbys};
use becket_exec::{Standby, StandbyEnd, StandbyLimits, StandbyState};
use becket_process::Command;
use bytes::Bytes;
use std::io;

/// Standbys that are traced (ptrace) until their events. On systems other than Linux none is started.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemStandbys;

impl HookStandbys for SystemStandbys {
    fn start(&self, command: Command) -> io::Result<Box<dyn HookStandby>> {
        let standby = Standby::start(command, StandbyLimits::default())?;
        Ok(Box::new(SystemStandby(standby)))
    }
}

#[derive(Debug)]
struct SystemStandby(Standby);

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
