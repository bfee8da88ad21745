//! The process of a server, from its start to the end of its group.
//!
//! INVARIANT: dropping the owner immediately drops the run, which ends the group.

use std::sync::Arc;
use std::time::Duration;

use becket_process::{ByteCap, CancellationToken, Chunk, Command, Control, End, Limits, Runner, SinkLimit};
use tokio::time::timeout;

use super::intake::Intake;
use super::leftovers::Leftovers;
use crate::connection::session::Lifetime;
use crate::fault::Fault;
use crate::owned_task::OwnedTask;

/// A run and its controls. Dropping it kills the group and does not wait.
pub(super) struct Process {
    run: OwnedTask,
    stop: CancellationToken,
}

/// The parameters of a process.
pub(super) struct Start {
    pub(super) command: Command,
    pub(super) control: Control,
    pub(super) intake: Intake,
    /// The lifetime; its stop ends the group.
    pub(super) lifetime: Lifetime,
    pub(super) term_grace: Duration,
}

impl Process {
    /// Starts the process. The state and the end of the queue report the outcome.
    pub(super) fn start(runner: Runner, start: Start) -> Self {
        let stop = start.lifetime.stop.clone();
        Self { run: OwnedTask::spawn(run(runner, start)), stop }
    }

    /// Waits until the process has exited, for at most `exit_grace`; then ends its group. The runner waits for the
    /// group itself.
    pub(super) async fn end(&self, exit_grace: Duration) {
        if timeout(exit_grace, self.run.over().cancelled()).await.is_err() {
            self.stop.cancel();
            self.run.over().cancelled().await;
        }
    }
}

async fn run(runner: Runner, start: Start) {
    let Start { mut command, control, mut intake, lifetime, term_grace } = start;
    let Lifetime { state, stop } = lifetime;
    let leftovers = Leftovers::new();
    command.env.push(leftovers.variable());
    let limits = Limits {
        term_grace,
        stdout_cap: ByteCap::bytes(0),
        stderr_cap: ByteCap::bytes(0),
        sink: SinkLimit::Unlimited,
        ..Limits::default()
    };
    let mut sink = |chunk: Chunk<'_>| intake.take(chunk);
    let finished = runner.run_with(&command, &limits, &stop, control, &mut sink).await;
    let asked = matches!(&finished, Ok(finished) if is_ours(finished.end));
    state.broke(
        finished.map_or_else(|error| Fault::Spawn(Arc::new(error)), |finished| Fault::Ended(finished.end)),
    );
    // The queue ends here, after its last line: pending requests see that no answer will come, and why.
    drop(intake);
    leftovers.end(asked, term_grace).await;
}

/// Returns whether the runner has ended the process, and so signals its group.
fn is_ours(end: End) -> bool {
    match end {
        End::TimedOut | End::Cancelled => true,
        End::Exited(_) | End::Signaled(_) | End::Lost => false,
    }
}
