//! Reads the process's output as it arrives, and queues its lines for the handler of messages.
//!
//! INVARIANT: at most `QUEUED` bytes and one line wait in the queue: a server that writes faster than it is read is
//! disconnected, with an error that says so.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use becket_process::{Chunk, Stream};
use tokio::sync::mpsc;

use super::lines::{Lines, TooLong};
use crate::connection::session::Lifetime;
use crate::fault::Fault;

/// The limit on the queue.
const QUEUED: usize = 64 << 20;
/// The approximate overhead of a line, in bytes: many short lines count with the memory that they take.
const LINE: usize = 64;

/// Creates a queue of lines: its writing and its reading end.
pub(super) fn queue(cap: usize, lifetime: Lifetime) -> (Intake, Queue) {
    let (sender, receiver) = mpsc::unbounded_channel();
    let waiting = Arc::new(AtomicUsize::new(0));
    let intake = Intake { lines: Lines::new(cap), cap, sender, waiting: Arc::clone(&waiting), lifetime };
    (intake, Queue { receiver, waiting })
}

/// The writing end, for the output of a process.
pub(super) struct Intake {
    lines: Lines,
    cap: usize,
    sender: mpsc::UnboundedSender<Vec<u8>>,
    waiting: Arc<AtomicUsize>,
    lifetime: Lifetime,
}

impl Intake {
    /// Queues the lines of a chunk. Never waits: it is called while the pipes are drained.
    pub(super) fn take(&mut self, chunk: Chunk<'_>) {
        match chunk.stream {
            Stream::Stderr => self.lifetime.state.stderr(chunk.bytes),
            Stream::Stdout if self.lifetime.stop.is_cancelled() => {}
            Stream::Stdout => self.messages(chunk.bytes),
        }
    }

    fn messages(&mut self, bytes: &[u8]) {
        let (sender, waiting) = (&self.sender, &self.waiting);
        let cut = self.lines.push(bytes, |line| {
            waiting.fetch_add(line.len() + LINE, Ordering::Relaxed);
            // The receiver is gone: the lines are discarded.
            let _ = sender.send(line);
        });
        match cut {
            Err(TooLong) => self.lifetime.broke(Fault::LineTooLong(self.cap)),
            Ok(()) if self.waiting.load(Ordering::Relaxed) > QUEUED => {
                self.lifetime.broke(Fault::Flood(QUEUED));
            }
            Ok(()) => {}
        }
    }
}

/// The reading end, for the lines.
pub(super) struct Queue {
    receiver: mpsc::UnboundedReceiver<Vec<u8>>,
    waiting: Arc<AtomicUsize>,
}

impl Queue {
    /// Returns the next line; `None` once the process has exited and all lines were read. Cancel-safe.
    pub(super) async fn next(&mut self) -> Option<Vec<u8>> {
        let line = self.receiver.recv().await?;
        self.waiting.fetch_sub(line.len() + LINE, Ordering::Relaxed);
        Some(line)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use becket_process::CancellationToken;

    fn flood(line: &str, times: usize) -> (Intake, Queue, CancellationToken) {
        let lifetime = Lifetime::default();
        let stop = lifetime.stop.clone();
        let (mut intake, queue) = queue(1 << 20, lifetime);
        let lines = line.repeat(1000);
        for _ in 0..times / 1000 {
            intake.take(Chunk { stream: Stream::Stdout, bytes: lines.as_bytes() });
        }
        (intake, queue, stop)
    }

    #[tokio::test]
    async fn a_server_that_is_not_heard_in_time_is_given_up() {
        let long = "x".repeat(9_999) + "\n";
        for (line, few, many) in [(long.as_str(), 6_000, 7_000), ("x\n", 1_000_000, 1_100_000)] {
            assert!(!flood(line, few).2.is_cancelled(), "{few}");
            let (mut intake, queue, stop) = flood(line, many);
            assert!(stop.is_cancelled(), "{many}");
            assert!(matches!(intake.lifetime.state.settled_fault().await, Fault::Flood(QUEUED)));
            let held = queue.receiver.len();
            intake.take(Chunk { stream: Stream::Stdout, bytes: b"more\n" });
            assert_eq!(queue.receiver.len(), held);
        }
    }

    #[tokio::test]
    async fn what_was_handled_makes_room() {
        let (mut intake, mut queue, stop) = flood("x\n", 1_000_000);
        for _ in 0..1_000_000 {
            assert_eq!(queue.next().await.as_deref(), Some(&b"x"[..]));
        }
        intake.take(Chunk { stream: Stream::Stdout, bytes: "x\n".repeat(1_000_000).as_bytes() });
        assert!(!stop.is_cancelled());
    }
}
