//! Runs commands and owns the processes that it had to end. The public interface of this crate.

use std::time::Duration;

use tokio_util::sync::CancellationToken;

use crate::child::Child;
use crate::command::Command;
use crate::control::Control;
use crate::count::Count;
use crate::drive::{Bounds, Drive};
use crate::error::SpawnError;
use crate::finished_run::{CapturedOutput, Chunk, End, FinishedRun};
use crate::limits::Limits;
use crate::reaper::Reaper;

/// Pauses before a program that is open for writing is tried again. Another thread of the host that is spawning at the
/// same moment has a copy of every descriptor until its own exec, so a script that was just written can look busy.
const BUSY_PAUSES: [Duration; 5] = [
    Duration::from_millis(1),
    Duration::from_millis(2),
    Duration::from_millis(5),
    Duration::from_millis(10),
    Duration::from_millis(20),
];

/// The interval at which a run that found no free process slot retries, even if no other run has ended.
const ROOM_PAUSE: Duration = Duration::from_millis(100);

/// Runs commands; shared and cheap to clone. Keep one per engine and await [`Runner::all_gone`] at its end.
#[derive(Debug, Clone)]
pub struct Runner {
    reaper: Reaper,
    running: Count,
}

impl Default for Runner {
    fn default() -> Self {
        Self::new()
    }
}

impl Runner {
    /// Creates a runner that owns no process yet.
    #[must_use]
    pub fn new() -> Self {
        Self { reaper: Reaper::new(), running: Count::new() }
    }

    /// Runs one command to its end (`protocol.md` H3, H4).
    ///
    /// `sink` receives the output as it arrives. At the deadline, or when `cancel` fires, this returns at once with
    /// [`End::TimedOut`] or [`End::Cancelled`], and the group is ended in the background; a process that has ended by
    /// then keeps its own end. If the system has no descriptor or process slot left because of other runs of this
    /// runner, this waits for its turn, within its deadline. If the future is dropped, the group is killed before the
    /// drop returns.
    ///
    /// # Errors
    /// Errors if the command could not be started; nothing is left of it.
    ///
    /// # Panics
    /// Panics outside a tokio runtime that drives I/O and time. A panic of `sink` propagates after the group was
    /// killed.
    pub async fn run(
        &self,
        command: &Command,
        limits: &Limits,
        cancel: &CancellationToken,
        sink: &mut (dyn FnMut(Chunk<'_>) + Send),
    ) -> Result<FinishedRun, SpawnError> {
        self.run_within(command, Bounds::new(limits, cancel, None), sink).await
    }

    /// Runs one command as [`Runner::run`] does, controlled by `control` and its clones: see [`Control`].
    ///
    /// The future is `Send`, and may be moved to another task of the same runtime at any time. `sink` may use the
    /// control: its effects apply before anything else is checked.
    ///
    /// # Errors
    /// Errors as [`Runner::run`] does.
    ///
    /// # Panics
    /// Panics as [`Runner::run`] does.
    pub async fn run_with(
        &self,
        command: &Command,
        limits: &Limits,
        cancel: &CancellationToken,
        control: Control,
        sink: &mut (dyn FnMut(Chunk<'_>) + Send),
    ) -> Result<FinishedRun, SpawnError> {
        self.run_within(command, Bounds::new(limits, cancel, Some(control)), sink).await
    }

    /// Runs a process that has been started ahead to its end, as [`Runner::run_with`] runs a command; the deadline counts
    /// from this call. No thread may trace it any more.
    ///
    /// # Errors
    /// Errors if its pipes or its end can't be watched; the process is killed then.
    ///
    /// # Panics
    /// Panics as [`Runner::run`] does.
    #[cfg_attr(
        not(target_os = "linux"),
        expect(unused_variables, reason = "there is none to run on other systems")
    )]
    pub async fn run_standby(
        &self,
        standby: crate::Standby,
        limits: &Limits,
        cancel: &CancellationToken,
        control: Control,
        sink: &mut (dyn FnMut(Chunk<'_>) + Send),
    ) -> Result<FinishedRun, SpawnError> {
        #[cfg(not(target_os = "linux"))]
        match standby {}
        #[cfg(target_os = "linux")]
        {
            let bounds = Bounds::new(limits, cancel, Some(control));
            let child = Child::of_standby(standby, limits, &self.reaper, bounds.limit.more_stdin())?;
            let _one = self.running.one_more();
            Ok(Drive::new(child, bounds).run(sink).await)
        }
    }

    async fn run_within(
        &self,
        command: &Command,
        bounds: Bounds<'_>,
        sink: &mut (dyn FnMut(Chunk<'_>) + Send),
    ) -> Result<FinishedRun, SpawnError> {
        if bounds.cancel.is_cancelled() {
            return Ok(never_started());
        }
        let child = tokio::select! {
            biased;
            () = bounds.cancel.cancelled() => return Ok(never_started()),
            child = self.start(command, &bounds) => child?,
        };
        let _one = self.running.one_more();
        Ok(Drive::new(child, bounds).run(sink).await)
    }

    /// Returns the number of groups that were timed out, cancelled or dropped and are not gone yet.
    #[must_use]
    pub fn ending(&self) -> usize {
        self.reaper.pending()
    }

    /// Resolves when every process group that this runner had to end is gone and reaped. Cancel-safe; needs no I/O or
    /// time driver, and may be awaited repeatedly.
    pub async fn all_gone(&self) {
        self.reaper.all_gone().await;
    }

    /// Starts the child. No child is held across an await: dropping this future leaves no process behind.
    async fn start(&self, command: &Command, bounds: &Bounds<'_>) -> Result<Child, SpawnError> {
        let mut pauses = BUSY_PAUSES.into_iter();
        loop {
            // Before the attempt: a run that ends meanwhile must not be missed.
            let mut news = self.running.news();
            let error = match Child::spawn(command, bounds.limits, &self.reaper, bounds.limit.more_stdin()) {
                Ok(child) => return Ok(child),
                Err(error) => error,
            };
            if is_full(&error) && self.is_busy() && !bounds.limit.is_over() {
                news.wait(ROOM_PAUSE).await;
                continue;
            }
            match pauses.next() {
                Some(pause) if is_full(&error) || matches!(error, SpawnError::Busy { .. }) => {
                    tokio::time::sleep(pause).await;
                }
                Some(_) | None => return Err(error),
            }
        }
    }

    /// Returns whether this runner owns descriptors or processes that will be released.
    fn is_busy(&self) -> bool {
        self.running.now() > 0 || self.reaper.pending() > 0
    }
}

/// Returns whether the system can't create another process at the moment.
fn is_full(error: &SpawnError) -> bool {
    matches!(error, SpawnError::TooManyDescriptors | SpawnError::TooManyProcesses)
}

fn never_started() -> FinishedRun {
    FinishedRun {
        end: End::Cancelled,
        stdout: CapturedOutput::default(),
        stderr: CapturedOutput::default(),
        elapsed: Duration::ZERO,
        pipes_held: false,
    }
}
