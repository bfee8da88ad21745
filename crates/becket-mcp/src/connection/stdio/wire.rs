//! The session of a process: lines from the queue, lines into stdin.
//!
//! INVARIANT: at most `UNREAD` bytes and one message wait for the server to read them.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use becket_process::Control;
use bytes::Bytes;
use rmcp::RoleClient;
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use tokio::sync::Mutex;

use super::intake::Queue;
use crate::connection::link::SendError;
use crate::connection::messages::Messages;
use crate::connection::outbox::UNREAD;
use crate::connection::session::{Lifetime, Session};
use crate::fault::Fault;

/// The pipes of a process.
pub(crate) struct StdioSession {
    queue: Mutex<Queue>,
    control: Control,
    unread: Arc<AtomicUsize>,
    messages: Messages,
    lifetime: Lifetime,
}

impl StdioSession {
    pub(super) fn new(queue: Queue, control: Control, lifetime: &Lifetime) -> Self {
        let messages = Messages::new(Arc::clone(&lifetime.state));
        let lifetime = lifetime.clone();
        Self { queue: Mutex::new(queue), control, unread: Arc::default(), messages, lifetime }
    }

    fn write(&self, message: &TxJsonRpcMessage<RoleClient>) -> Result<(), SendError> {
        let mut line = self.messages.write(message)?;
        if self.unread.load(Ordering::Relaxed) > UNREAD {
            self.lifetime.broke(Fault::NotReading(UNREAD));
            return Err(SendError::Broken);
        }
        line.push(b'\n');
        let line = Bytes::from_owner(Unread::new(line, &self.unread));
        if self.control.write(line) { Ok(()) } else { Err(SendError::Broken) }
    }
}

impl Session for StdioSession {
    fn send(
        self: Arc<Self>,
        message: TxJsonRpcMessage<RoleClient>,
    ) -> impl Future<Output = Result<(), SendError>> + Send + 'static {
        std::future::ready(self.write(&message))
    }

    async fn receive(&self) -> Option<RxJsonRpcMessage<RoleClient>> {
        let mut queue = self.queue.lock().await;
        loop {
            let line = queue.next().await?;
            if let Some(message) = self.messages.read(&line) {
                return Some(message);
            }
        }
    }

    fn close(&self) {
        self.control.close_stdin();
    }
}

/// A line that is being sent; counted until it was written or discarded.
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
