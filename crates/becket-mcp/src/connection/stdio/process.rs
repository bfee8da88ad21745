//! The process of a server, from its start to the end of its group.
//!
//! The run lives in a slot that a task polls and that the owner can empty: dropping the owner drops the run there and
//! then, which ends the group, whether the runtime still runs or not.
//!
//! INVARIANT: the slot is emptied when the run is over or its owner is dropped; a run is dropped outside the lock.

use std::future::poll_fn;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;

use becket_process::{ByteCap, CancellationToken, Chunk, Command, Control, End, Limits, Runner, Shown};
use tokio::task::JoinHandle;
use tokio::time::timeout;

use super::intake::Intake;
use super::leftovers::Leftovers;
use crate::connection::state::State;
use crate::fault::Fault;

type Run = Pin<Box<dyn Future<Output = ()> + Send>>;

/// A run and what it is steered by.
pub(super) struct Process {
    slot: Arc<Slot>,
    task: JoinHandle<()>,
    stop: CancellationToken,
    ended: CancellationToken,
}

/// What a process is started with.
pub(super) struct Start {
    pub(super) command: Command,
    pub(super) control: Control,
    pub(super) intake: Intake,
    pub(super) state: Arc<State>,
    /// Cancelled, it ends the group.
    pub(super) stop: CancellationToken,
    pub(super) term_grace: Duration,
}

impl Process {
    /// Starts it. How that went is heard from the state and from the end of the queue.
    pub(super) fn start(runner: Runner, start: Start) -> Self {
        let stop = start.stop.clone();
        let ended = CancellationToken::new();
        let told = ended.clone();
        let run: Run = Box::pin(async move {
            // Also when the run is dropped: nobody waits for it any longer then, but for its end.
            let _told = told.drop_guard();
            run(runner, start).await;
        });
        let slot = Arc::new(Slot(Mutex::new(Some(run))));
        let polled = Polled(Arc::clone(&slot));
        let task = tokio::spawn(poll_fn(move |context| polled.0.poll(context)));
        Self { slot, task, stop, ended }
    }

    /// Waits until it has exited, for at most `exit_grace`; then ends its group. The group itself is waited for by the
    /// runner.
    pub(super) async fn end(&self, exit_grace: Duration) {
        if timeout(exit_grace, self.ended.cancelled()).await.is_err() {
            self.stop.cancel();
            self.ended.cancelled().await;
        }
    }
}

/// Kills the group; does not wait.
impl Drop for Process {
    fn drop(&mut self) {
        self.slot.empty();
        self.task.abort();
    }
}

async fn run(runner: Runner, start: Start) {
    let Start { mut command, control, mut intake, state, stop, term_grace } = start;
    let leftovers = Leftovers::new();
    command.env.push(leftovers.variable());
    let limits = Limits {
        term_grace,
        stdout_cap: ByteCap::bytes(0),
        stderr_cap: ByteCap::bytes(0),
        shown: Shown::All,
        ..Limits::default()
    };
    let mut sink = |chunk: Chunk<'_>| intake.take(chunk);
    let finished = runner.run_with(&command, &limits, &stop, control, &mut sink).await;
    let asked = matches!(&finished, Ok(finished) if is_ours(finished.end));
    state.broke(
        finished.map_or_else(|error| Fault::Spawn(Arc::new(error)), |finished| Fault::Ended(finished.end)),
    );
    // The queue ends here, after its last line: whoever waits for an answer hears that none will come, and finds out why.
    drop(intake);
    leftovers.end(asked, term_grace).await;
}

/// Whether the runner has ended the process, and asks its group to end.
fn is_ours(end: End) -> bool {
    match end {
        End::TimedOut | End::Cancelled => true,
        End::Exited(_) | End::Signaled(_) | End::Lost => false,
    }
}

/// A run that can be taken away from the task that polls it.
struct Slot(Mutex<Option<Run>>);

impl Slot {
    fn poll(&self, context: &mut Context<'_>) -> Poll<()> {
        let mut run = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let polled = run.as_mut().map_or(Poll::Ready(()), |run| run.as_mut().poll(context));
        let over = if polled.is_ready() { run.take() } else { None };
        drop(run);
        drop(over);
        polled
    }

    fn empty(&self) {
        let run = self.0.lock().unwrap_or_else(PoisonError::into_inner).take();
        drop(run);
    }
}

/// The task's hold on the slot: a run that nobody polls any longer, as its runtime is gone, is dropped with it.
struct Polled(Arc<Slot>);

impl Drop for Polled {
    fn drop(&mut self) {
        self.0.empty();
    }
}
