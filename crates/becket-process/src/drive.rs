//! One child to its end: the loop of feeding, draining and waiting under the deadline and the token.
//!
//! INVARIANT: an exit that was seen is never turned into a timeout or a cancellation: what the process decided counts.

use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::child::Child;
use crate::drain::Sink;
use crate::finished::{End, Finished};
use crate::limits::Limits;

/// A child and what bounds it.
pub(crate) struct Drive<'a> {
    child: Child,
    limits: &'a Limits,
    cancel: &'a CancellationToken,
    start: Instant,
    /// `None` also where the sum is past the end of time.
    deadline: Option<Instant>,
}

impl<'a> Drive<'a> {
    pub(crate) fn new(
        child: Child,
        limits: &'a Limits,
        cancel: &'a CancellationToken,
        start: Instant,
    ) -> Self {
        let deadline = limits.deadline.and_then(|limit| start.checked_add(limit));
        Self { child, limits, cancel, start, deadline }
    }

    pub(crate) async fn run(mut self, sink: &mut Sink<'_>) -> Finished {
        let end = match self.wait(sink).await {
            Stop::Exited => self.finish(sink).await,
            Stop::Deadline => self.abandon(End::TimedOut, sink),
            Stop::Cancelled => self.abandon(End::Cancelled, sink),
        };
        self.report(end)
    }

    /// Feeds and drains until something ends the waiting.
    async fn wait(&mut self, sink: &mut Sink<'_>) -> Stop {
        let mut deadline = std::pin::pin!(until(self.deadline));
        let mut cancelled = std::pin::pin!(self.cancel.cancelled());
        loop {
            tokio::select! {
                biased;
                () = self.child.exited() => return Stop::Exited,
                () = &mut cancelled => return Stop::Cancelled,
                () = &mut deadline => return Stop::Deadline,
                () = self.child.pipes_ready() => self.child.pump(sink),
            }
        }
    }

    /// The process has ended: reaps it, and gives the pipes their grace (law 6), within the deadline.
    async fn finish(&mut self, sink: &mut Sink<'_>) -> End {
        let end = self.child.reap();
        self.child.pump(sink);
        if self.child.outputs_open() {
            let grace = until(self.grace_end());
            let mut grace = std::pin::pin!(grace);
            let mut cancelled = std::pin::pin!(self.cancel.cancelled());
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

    /// Releases the host: what is in the pipes now is read, the rest is the reaper's.
    fn abandon(&mut self, end: End, sink: &mut Sink<'_>) -> End {
        self.child.stdin.close();
        self.child.pump(sink);
        self.child.end(self.limits.term_grace);
        end
    }

    fn grace_end(&self) -> Option<Instant> {
        let grace = Instant::now().checked_add(self.limits.drain_grace);
        [grace, self.deadline].into_iter().flatten().min()
    }

    fn report(mut self, end: End) -> Finished {
        let elapsed = self.start.elapsed();
        let ended_by_itself = !matches!(end, End::TimedOut | End::Cancelled);
        let pipes_held = ended_by_itself && self.child.outputs_open();
        Finished {
            end,
            stdout: self.child.stdout.take_captured(),
            stderr: self.child.stderr.take_captured(),
            elapsed,
            pipes_held,
        }
    }
}

/// What ended the waiting.
enum Stop {
    Exited,
    Deadline,
    Cancelled,
}

async fn until(instant: Option<Instant>) {
    match instant {
        Some(instant) => tokio::time::sleep_until(instant).await,
        None => std::future::pending().await,
    }
}
