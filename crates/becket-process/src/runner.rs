//! The face: runs commands and owns what it had to end.

use std::time::Duration;

use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::child::Child;
use crate::command::Command;
use crate::drive::Drive;
use crate::error::SpawnError;
use crate::finished::{Captured, Chunk, End, Finished};
use crate::limits::Limits;
use crate::reaper::Reaper;

/// Pauses before a program that is open for writing is tried again. Another thread of the host that spawns at the
/// same moment holds a copy of every descriptor until its own exec, so a script that was just written can look busy.
const BUSY_PAUSES: [Duration; 5] = [
    Duration::from_millis(1),
    Duration::from_millis(2),
    Duration::from_millis(5),
    Duration::from_millis(10),
    Duration::from_millis(20),
];

/// Runs commands; shared and cheap to clone. Keep one per engine and await [`Runner::all_gone`] at its end.
#[derive(Debug, Clone)]
pub struct Runner {
    reaper: Reaper,
}

impl Default for Runner {
    fn default() -> Self {
        Self::new()
    }
}

impl Runner {
    /// A runner that owns nothing yet.
    #[must_use]
    pub fn new() -> Self {
        Self { reaper: Reaper::new() }
    }

    /// Runs one command to its end (`protocol.md` H3, H4).
    ///
    /// `sink` sees the output as it arrives. At the deadline, or when `cancel` fires, this returns at once with
    /// [`End::TimedOut`] or [`End::Cancelled`], and the group is ended in the background; a process that has ended by
    /// then keeps its own end. If the future is dropped, the group is killed before the drop returns.
    ///
    /// # Errors
    /// The command could not be started; nothing is left of it.
    ///
    /// # Panics
    /// Outside a tokio runtime that drives I/O and time. A panic of `sink` passes through, after the group was killed.
    pub async fn run(
        &self,
        command: &Command,
        limits: &Limits,
        cancel: &CancellationToken,
        sink: &mut (dyn FnMut(Chunk<'_>) + Send),
    ) -> Result<Finished, SpawnError> {
        let start = Instant::now();
        if cancel.is_cancelled() {
            return Ok(never_started());
        }
        let child = self.start(command, limits).await?;
        Ok(Drive::new(child, limits, cancel, start).run(sink).await)
    }

    /// How many groups that were timed out, cancelled or dropped are not gone yet.
    #[must_use]
    pub fn ending(&self) -> usize {
        self.reaper.pending()
    }

    /// Resolves when every process group this runner had to end is gone and reaped. Cancel-safe; needs no I/O or time
    /// driver, and may be awaited again and again.
    pub async fn all_gone(&self) {
        self.reaper.all_gone().await;
    }

    async fn start(&self, command: &Command, limits: &Limits) -> Result<Child, SpawnError> {
        for pause in BUSY_PAUSES {
            match Child::spawn(command, limits, &self.reaper) {
                Err(SpawnError::Busy { .. }) => tokio::time::sleep(pause).await,
                other => return other,
            }
        }
        Child::spawn(command, limits, &self.reaper)
    }
}

fn never_started() -> Finished {
    Finished {
        end: End::Cancelled,
        stdout: Captured::default(),
        stderr: Captured::default(),
        elapsed: Duration::ZERO,
        pipes_held: false,
    }
}
