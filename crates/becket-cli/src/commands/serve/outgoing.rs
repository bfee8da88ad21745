//! The queue of messages to a client, and the task that writes it.
//!
//! INVARIANT: at most [`MOST`] bytes and one message are queued. A client that reads nothing is disconnected: its token
//! is cancelled, and later messages are dropped.

use becket_engine::CancellationToken;
use serde::Serialize;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::io::{AsyncWrite, AsyncWriteExt};
use tokio::sync::Notify;
use tokio::time::timeout;

/// The limit on queued bytes; above it, the client is disconnected.
const MOST: usize = 64 << 20;
/// The number of queued bytes from which nothing more is read from the client, and notifications are dropped.
const FULL: usize = 4 << 20;
/// The size of one write, in bytes.
const CHUNK: usize = 256 << 10;

/// The reason for disconnecting a client.
pub(super) const READS_NOTHING: &str =
    "the client has read nothing for too long, so it was disconnected and its sessions were ended";
const TOO_MUCH: &str = "more than 64 MiB waited for a client that does not read, so it was disconnected and its sessions were ended";
const HUNG_UP: &str = "the client has disconnected before everything was written";

/// The queue of messages to a client. Cheap to clone; clones share it.
#[derive(Clone)]
pub(super) struct MessageQueue(Arc<QueueState>);

struct QueueState {
    waiting: Mutex<PendingOutput>,
    /// Notified when there is something to write, or the queue has ended.
    more: Notify,
    /// Notified when something was written.
    room: Notify,
    /// Cancelled once writing is no longer possible.
    cut: CancellationToken,
}

#[derive(Default)]
struct PendingOutput {
    bytes: Vec<u8>,
    /// The number of bytes that the writer has taken and not written yet.
    in_hand: usize,
    is_over: bool,
    cut_off: Option<&'static str>,
}

impl MessageQueue {
    pub(super) fn new(cut: CancellationToken) -> Self {
        MessageQueue(Arc::new(QueueState {
            waiting: Mutex::default(),
            more: Notify::new(),
            room: Notify::new(),
            cut,
        }))
    }

    /// Queues a message.
    pub(super) fn send(&self, message: &impl Serialize) {
        // INVARIANT: messages have only strings as keys, so they can be serialized; if one could not be, its absence
        // does not count as consent.
        let Ok(line) = serde_json::to_vec(message) else { return };
        let mut waiting = self.waiting();
        if waiting.cut_off.is_some() || waiting.is_over {
            return;
        }
        if waiting.bytes.len() + waiting.in_hand >= MOST {
            drop(waiting);
            return self.cut_off(TOO_MUCH);
        }
        waiting.bytes.extend_from_slice(&line);
        waiting.bytes.push(b'\n');
        drop(waiting);
        self.0.more.notify_one();
    }

    /// Returns true if the client reads fast enough to receive messages that may be dropped.
    pub(super) fn is_roomy(&self) -> bool {
        let waiting = self.waiting();
        waiting.bytes.len() + waiting.in_hand < FULL
    }

    /// Waits until the client has read enough of the queued messages, or is disconnected.
    pub(super) async fn has_room(&self) {
        loop {
            let notified = self.0.room.notified();
            {
                let waiting = self.waiting();
                if waiting.cut_off.is_some() || waiting.bytes.len() + waiting.in_hand < FULL {
                    return;
                }
            }
            notified.await;
        }
    }

    /// Ends the queue: no more messages follow.
    pub(super) fn over(&self) {
        self.waiting().is_over = true;
        self.0.more.notify_one();
    }

    /// Returns the reason why the client was disconnected, if it was.
    pub(super) fn why_cut_off(&self) -> Option<&'static str> {
        self.waiting().cut_off
    }

    /// Writes all messages until the end. A client that reads nothing for `patience` is disconnected.
    pub(super) async fn write_to(self, mut to: impl AsyncWrite + Unpin, patience: Duration) {
        while let Some(bytes) = self.taken().await {
            for chunk in bytes.chunks(CHUNK) {
                match timeout(patience, written(&mut to, chunk)).await {
                    Ok(Ok(())) => self.is_written(chunk.len()),
                    Ok(Err(_)) => return self.cut_off(HUNG_UP),
                    Err(_) => return self.cut_off(READS_NOTHING),
                }
            }
        }
        drop(timeout(patience, to.shutdown()).await);
    }

    /// Takes the queued bytes; `None` at the end.
    async fn taken(&self) -> Option<Vec<u8>> {
        loop {
            {
                let mut waiting = self.waiting();
                if !waiting.bytes.is_empty() {
                    let bytes = std::mem::take(&mut waiting.bytes);
                    waiting.in_hand = bytes.len();
                    return Some(bytes);
                }
                if waiting.is_over || waiting.cut_off.is_some() {
                    return None;
                }
            }
            self.0.more.notified().await;
        }
    }

    fn is_written(&self, bytes: usize) {
        self.waiting().in_hand -= bytes;
        self.0.room.notify_waiters();
    }

    fn cut_off(&self, why: &'static str) {
        let mut waiting = self.waiting();
        waiting.cut_off.get_or_insert(why);
        waiting.bytes = Vec::new();
        drop(waiting);
        self.0.cut.cancel();
        self.0.room.notify_waiters();
        self.0.more.notify_one();
    }

    fn waiting(&self) -> MutexGuard<'_, PendingOutput> {
        self.0.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

async fn written(to: &mut (impl AsyncWrite + Unpin), chunk: &[u8]) -> std::io::Result<()> {
    to.write_all(chunk).await?;
    to.flush().await
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::io::AsyncReadExt;

    #[tokio::test]
    async fn all_that_is_said_is_written_in_its_order() {
        let out = MessageQueue::new(CancellationToken::new());
        let (to, mut from) = tokio::io::duplex(16);
        let writer = tokio::spawn(out.clone().write_to(to, Duration::from_secs(60)));
        for n in 0..100 {
            out.send(&n);
        }
        out.over();
        out.send(&"too late");
        let mut text = String::new();
        from.read_to_string(&mut text).await.expect("it is text");
        let expected: String = (0..100).map(|n| format!("{n}\n")).collect();
        assert_eq!(text, expected);
        writer.await.expect("it ends");
    }

    // rule: L3
    #[tokio::test]
    async fn a_client_that_reads_nothing_is_cut_off_by_time_and_by_size() {
        let cut = CancellationToken::new();
        let out = MessageQueue::new(cut.clone());
        let (to, _from) = tokio::io::duplex(16);
        out.send(&"x".repeat(FULL));
        let writer = tokio::spawn(out.clone().write_to(to, Duration::from_millis(20)));
        out.has_room().await;
        writer.await.expect("it ends");
        assert!(cut.is_cancelled());
        assert_eq!(out.why_cut_off(), Some(READS_NOTHING));

        let cut = CancellationToken::new();
        let out = MessageQueue::new(cut.clone());
        let line = "x".repeat(1 << 20);
        for _ in 0..64 {
            out.send(&line);
            assert!(!cut.is_cancelled());
        }
        out.send(&line);
        assert_eq!((cut.is_cancelled(), out.why_cut_off()), (true, Some(TOO_MUCH)));
        assert!(out.waiting().bytes.is_empty(), "nothing is kept for nobody");
    }
}
