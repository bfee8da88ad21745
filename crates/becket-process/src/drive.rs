//! Drives one child to its end: feeds, drains and waits under the deadline and the token.
//!
//! INVARIANT: an exit that was seen is never turned into a timeout or a cancellation: the exit of the process counts.

use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::child::Child;
use crate::control::Control;
use crate::drain::Sink;
use crate::finished_run::{End, FinishedRun};
use crate::limits::Limits;
use crate::steering::Limit;

/// The limits of a run.
pub(crate) struct Bounds<'a> {
    pub(crate) limits: &'a Limits,
    pub(crate) limit: Limit,
    pub(crate) cancel: &'a CancellationToken,
    start: Instant,
}

impl<'a> Bounds<'a> {
    /// Creates the limits of a run that starts now.
    pub(crate) fn new(limits: &'a Limits, cancel: &'a CancellationToken, control: Option<Control>) -> Self {
        let start = Instant::now();
        let limit = match control {
            Some(control) => control.attach(start, limits.deadline),
            None => Limit::fixed(start, limits.deadline),
        };
        Self { limits, limit, cancel, start }
    }
}

/// A child and the limits of its run.
pub(crate) struct Drive<'a> {
    child: Child,
    bounds: Bounds<'a>,
}

impl<'a> Drive<'a> {
    pub(crate) fn new(child: Child, bounds: Bounds<'a>) -> Self {
        Self { child, bounds }
    }

    pub(crate) async fn run(mut self, sink: &mut Sink<'_>) -> FinishedRun {
        let end = match self.wait(sink).await {
            Stop::Exited => self.finish(sink).await,
            Stop::Deadline => self.abandon(End::TimedOut, sink),
            Stop::Cancelled => self.abandon(End::Cancelled, sink),
        };
        self.report(end)
    }

    /// Feeds and drains until something ends the wait.
    async fn wait(&mut self, sink: &mut Sink<'_>) -> Stop {
        loop {
            match self.wait_unsteered(sink).await {
                // Paused or changed between the timer's tick and here: the control takes precedence.
                Step::Stop(Stop::Deadline) if !self.bounds.limit.is_over() => (),
                Step::Stop(stop) => return stop,
                Step::Steered => self.child.stdin.pump(),
            }
        }
    }

    /// Waits as [`Self::wait`] does, until a control is used.
    async fn wait_unsteered(&mut self, sink: &mut Sink<'_>) -> Step {
        let mut deadline = std::pin::pin!(until(self.bounds.limit.due()));
        let mut cancelled = std::pin::pin!(self.bounds.cancel.cancelled());
        loop {
            tokio::select! {
                biased;
                () = self.child.exited() => return Step::Stop(Stop::Exited),
                () = &mut cancelled => return Step::Stop(Stop::Cancelled),
                () = &mut deadline => return Step::Stop(Stop::Deadline),
                () = self.bounds.limit.changed() => return Step::Steered,
                () = self.child.pipes_ready() => self.child.pump(sink),
            }
        }
    }

    /// Reaps a process that has ended, and gives the pipes their grace (law 6), within the deadline.
    async fn finish(&mut self, sink: &mut Sink<'_>) -> End {
        let end = self.child.reap(self.bounds.limits.term_grace);
        self.child.pump(sink);
        if self.child.outputs_open() {
            let grace = until(self.grace_end());
            let mut grace = std::pin::pin!(grace);
            let mut cancelled = std::pin::pin!(self.bounds.cancel.cancelled());
            while self.child.outputs_open() {
                tokio::select! {
                    biased;
                    () = &mut grace => break,
                    () = &mut cancelled => break,
                    () = self.child.pipes_ready() => self.child.pump(sink),
                }
            }
        }
        end
    }

    /// Releases the host: data in the pipes is read now, the rest is left to the reaper.
    fn abandon(&mut self, end: End, sink: &mut Sink<'_>) -> End {
        self.child.stop_feeding();
        self.child.pump(sink);
        self.child.end(self.bounds.limits.term_grace);
        end
    }

    /// Returns the end of the grace. A pause does not count: a process that has ended waits for no answer.
    fn grace_end(&self) -> Option<Instant> {
        let now = Instant::now();
        let grace = now.checked_add(self.bounds.limits.drain_grace);
        [grace, self.bounds.limit.due_regardless(now)].into_iter().flatten().min()
    }

    fn report(mut self, end: End) -> FinishedRun {
        let elapsed = self.bounds.start.elapsed();
        let ended_by_itself = !matches!(end, End::TimedOut | End::Cancelled);
        let pipes_held = ended_by_itself && self.child.outputs_open();
        FinishedRun {
            end,
            stdout: self.child.stdout.take_captured(),
            stderr: self.child.stderr.take_captured(),
            elapsed,
            pipes_held,
        }
    }
}

/// The reason why a wait ended.
enum Stop {
    Exited,
    Deadline,
    Cancelled,
}

/// The outcome of one step of waiting.
enum Step {
    Stop(Stop),
    /// A control was used: limit and stdin have to be checked again.
    Steered,
}

async fn until(instant: Option<Instant>) {
    match instant {
        Some(instant) => tokio::time::sleep_until(instant).await,
        None => std::future::pending().await,
    }
}
