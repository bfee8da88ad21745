//! Routes the lines of a connection: an answer goes to the HTTP request that asked, all other lines go to the stream of
//! its client.
//!
//! INVARIANT: the lines that wait for the stream are bounded; if it is full, nothing more is read from the connection,
//! whose own limits then apply.

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use hyper::body::Bytes;
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::Value;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};
use tokio::io::{AsyncBufReadExt, AsyncRead, BufReader};
use tokio::sync::mpsc::{Receiver, Sender, UnboundedSender, channel};
use tokio::sync::{Mutex as Turns, OwnedMutexGuard, OwnedSemaphorePermit, Semaphore};

/// The limit on bytes that wait for a stream.
const ROOM: usize = 4 << 20;
/// The limit on lines that wait for a stream.
const LINES: usize = 4_096;

/// The receiver of the answer to a request; `None` if its client is gone.
type Asker = Option<UnboundedSender<Bytes>>;

/// The unanswered requests of one connection, by their ids. Clones share them.
#[derive(Clone, Default)]
pub(super) struct Askers(Arc<Mutex<HashMap<Value, Asker>>>);

impl Askers {
    /// Registers a receiver of the answers to all of these requests.
    ///
    /// # Errors
    /// Errors if one of the ids is already awaited; then none of them is registered.
    pub(super) fn add(&self, ids: &[Value], to: &UnboundedSender<Bytes>) -> Result<(), Value> {
        let mut all = self.all();
        for (place, id) in ids.iter().enumerate() {
            match all.entry(id.clone()) {
                Entry::Vacant(free) => drop(free.insert(Some(to.clone()))),
                Entry::Occupied(_) => {
                    ids[..place].iter().for_each(|id| drop(all.remove(id)));
                    return Err(id.clone());
                }
            }
        }
        Ok(())
    }

    /// Removes the requests with these ids that are not answered yet, and returns their ids.
    pub(super) fn leave<'a>(&self, ids: &'a [Value]) -> Vec<&'a Value> {
        let mut all = self.all();
        let mut unanswered = Vec::new();
        for id in ids {
            if let Some(asker) = all.get_mut(id) {
                *asker = None;
                unanswered.push(id);
            }
        }
        unanswered
    }

    /// Drops all requests: there are no more answers.
    pub(super) fn end(&self) {
        self.all().clear();
    }

    fn answered(&self, id: &Value) -> Option<Asker> {
        self.all().remove(id)
    }

    fn all(&self) -> MutexGuard<'_, HashMap<Value, Asker>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The fields of a line that determine its receiver.
#[derive(Deserialize)]
struct Head {
    #[serde(default)]
    id: Value,
    method: Option<IgnoredAny>,
}

/// A line, and the memory reserved for it.
pub(super) struct QueuedLine {
    line: Bytes,
    _room: OwnedSemaphorePermit,
}

/// The write end of a stream.
pub(super) struct LineSender {
    to: Sender<QueuedLine>,
    room: Arc<Semaphore>,
}

/// The read end, for one HTTP request of the client after the other.
pub(super) type Reader = Arc<Turns<Receiver<QueuedLine>>>;

/// The lines for one HTTP request.
pub(super) struct LineStream {
    lines: OwnedMutexGuard<Receiver<QueuedLine>>,
    ends: BoxFuture<'static, ()>,
}

/// Creates an empty stream.
pub(super) fn stream() -> (LineSender, Reader) {
    let (to, from) = channel(LINES);
    (LineSender { to, room: Arc::new(Semaphore::new(ROOM)) }, Arc::new(Turns::new(from)))
}

impl LineSender {
    /// Adds a line once there is memory for it. Without a reader it is dropped.
    async fn send(&self, line: Bytes) {
        let size = u32::try_from(line.len().min(ROOM)).unwrap_or(u32::MAX);
        if let Ok(room) = self.room.clone().acquire_many_owned(size).await {
            drop(self.to.send(QueuedLine { line, _room: room }).await);
        }
    }
}

impl LineStream {
    /// Creates the lines of a stream until `ends` resolves.
    pub(super) fn new(lines: OwnedMutexGuard<Receiver<QueuedLine>>, ends: BoxFuture<'static, ()>) -> Self {
        LineStream { lines, ends }
    }

    /// Returns the next line; `None` at the end.
    pub(super) fn poll_next(&mut self, context: &mut Context<'_>) -> Poll<Option<Bytes>> {
        if self.ends.poll_unpin(context).is_ready() {
            return Poll::Ready(None);
        }
        self.lines.poll_recv(context).map(|held| held.map(|held| held.line))
    }
}

/// Routes all lines of a connection.
pub(super) async fn lines(from: impl AsyncRead + Unpin, askers: Askers, sender: LineSender) {
    let mut from = BufReader::new(from);
    loop {
        let mut line = Vec::new();
        if !from.read_until(b'\n', &mut line).await.is_ok_and(|bytes| bytes > 0) {
            return;
        }
        // INVARIANT: the lines of a connection are messages; any other line would go to the stream.
        let head = serde_json::from_slice::<Head>(&line).ok();
        let waiting = head.filter(|head| head.method.is_none()).and_then(|head| askers.answered(&head.id));
        let line = Bytes::from(line);
        match waiting {
            Some(Some(asker)) => drop(asker.send(line)),
            Some(None) => {}
            None => sender.send(line).await,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use tokio::sync::mpsc::unbounded_channel;

    #[tokio::test]
    async fn answers_go_to_who_asked_and_the_rest_to_the_stream() {
        let (askers, (sender, reader)) = (Askers::default(), stream());
        let ((to, mut one), (other_to, mut other)) = (unbounded_channel(), unbounded_channel());
        askers.add(&[json!(1), json!("a")], &to).expect("they are free");
        askers.add(&[json!(2)], &other_to).expect("it is free");
        assert_eq!(askers.add(&[json!(3), json!("a")], &other_to), Err(json!("a")));
        askers.add(&[json!(3)], &other_to).expect("it was not taken with the other");
        assert_eq!(askers.leave(&[json!(3), json!(4)]), [&json!(3)]);
        drop((to, other_to));
        let written = [
            "{\"id\":2}",
            "{\"id\":1,\"method\":\"m\"}",
            "{\"id\":\"a\"}",
            "{\"id\":3}",
            "{\"id\":null}",
            "{\"id\":1}",
        ];
        let text = format!("{}\n", written.join("\n"));
        lines(text.as_bytes(), askers.clone(), sender).await;
        let line = |n: usize| Some(Bytes::from(format!("{}\n", written[n])));
        assert_eq!((one.recv().await, one.recv().await, one.recv().await), (line(2), line(5), None));
        assert_eq!((other.recv().await, other.recv().await), (line(0), None));
        let mut told = LineStream::new(reader.lock_owned().await, Box::pin(std::future::pending()));
        for expected in [line(1), line(4), None] {
            assert_eq!(std::future::poll_fn(|context| told.poll_next(context)).await, expected);
        }
    }

    // rule: L3
    #[tokio::test]
    async fn what_waits_for_a_stream_is_bounded() {
        let (askers, (sender, reader)) = (Askers::default(), stream());
        let (mut to, from) = tokio::io::duplex(64);
        let routing = tokio::spawn(lines(from, askers, sender));
        let line = [vec![b'x'; ROOM / 2 + 1], b"\n".to_vec()].concat();
        let written = tokio::spawn(async move {
            for _ in 0..3 {
                tokio::io::AsyncWriteExt::write_all(&mut to, &line).await.expect("it is read");
            }
        });
        tokio::time::sleep(std::time::Duration::from_millis(200)).await;
        assert!(!written.is_finished(), "the third is not taken while two do not fit");
        let mut told = LineStream::new(reader.lock_owned().await, Box::pin(std::future::pending()));
        for _ in 0..3 {
            let line = std::future::poll_fn(|context| told.poll_next(context)).await;
            assert_eq!(line.map(|line| line.len()), Some(ROOM / 2 + 2));
        }
        routing.await.expect("it ends");
    }
}
