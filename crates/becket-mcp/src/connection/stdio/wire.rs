//! The transport of `rmcp`: lines from the queue, lines into stdin.
//!
//! INVARIANT: at most `UNREAD` bytes and one message wait for the server to read them.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use becket_process::{CancellationToken, Control};
use bytes::Bytes;
use rmcp::RoleClient;
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use tokio::sync::Mutex;

use super::intake::Queue;
use crate::connection::in_flight::InFlight;
use crate::connection::message::{self, Line};
use crate::connection::state::State;
use crate::fault::Fault;

/// Limit on the queue for a server that does not read.
const UNREAD: usize = 64 << 20;

/// The channel to a server and back. Clones share it, one after the other: a refused handshake leaves it for the next.
#[derive(Clone)]
pub(crate) struct Wire(Arc<WireState>);

struct WireState {
    queue: Mutex<Queue>,
    control: Control,
    unread: Arc<AtomicUsize>,
    in_flight: InFlight,
    state: Arc<State>,
    stop: CancellationToken,
}

/// A message was not sent.
#[derive(Debug, thiserror::Error)]
pub(crate) enum SendError {
    #[error("the server takes no more messages")]
    Closed,
    #[error("the message can't be written: {0}")]
    Encode(#[from] serde_json::Error),
}

impl Wire {
    pub(super) fn new(queue: Queue, control: Control, state: Arc<State>, stop: CancellationToken) -> Self {
        Self(Arc::new(WireState {
            queue: Mutex::new(queue),
            control,
            unread: Arc::default(),
            in_flight: InFlight::default(),
            state,
            stop,
        }))
    }

    fn write(&self, message: &TxJsonRpcMessage<RoleClient>) -> Result<(), SendError> {
        let mut line = serde_json::to_vec(message)?;
        line.push(b'\n');
        let shared = &self.0;
        if shared.unread.load(Ordering::Relaxed) > UNREAD {
            shared.state.broke(Fault::NotReading(UNREAD));
            shared.stop.cancel();
            return Err(SendError::Closed);
        }
        shared.in_flight.sent(message);
        let line = Bytes::from_owner(Unread::new(line, &shared.unread));
        if shared.control.write(line) { Ok(()) } else { Err(SendError::Closed) }
    }
}

impl Transport<RoleClient> for Wire {
    type Error = SendError;

    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleClient>,
    ) -> impl Future<Output = Result<(), SendError>> + Send + 'static {
        std::future::ready(self.write(&message))
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleClient>> {
        let mut queue = self.0.queue.lock().await;
        loop {
            let line = queue.next().await?;
            match message::read(&line) {
                Line::Message(mut message) => {
                    self.0.in_flight.received(&mut message);
                    return Some(*message);
                }
                Line::Ignored => {}
                Line::NoMessage => self.0.state.no_message(&line),
            }
        }
    }

    async fn close(&mut self) -> Result<(), SendError> {
        self.0.control.close_stdin();
        Ok(())
    }
}

/// A line being sent; counted until it was written or discarded.
struct Unread {
    line: Vec<u8>,
    count: Arc<AtomicUsize>,
}

impl Unread {
    fn new(line: Vec<u8>, count: &Arc<AtomicUsize>) -> Self {
        count.fetch_add(line.len(), Ordering::Relaxed);
        Self { line, count: Arc::clone(count) }
    }
}

impl AsRef<[u8]> for Unread {
    fn as_ref(&self) -> &[u8] {
        &self.line
    }
}

impl Drop for Unread {
    fn drop(&mut self) {
        self.count.fetch_sub(self.line.len(), Ordering::Relaxed);
    }
}
