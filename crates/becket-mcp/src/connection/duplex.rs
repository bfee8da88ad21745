//! A session over two halves that carry one message at a time, such as a WebSocket or a pair of channels.
//!
//! No background task runs: messages are read by their receiver, so the server has to wait if they are not read.

use std::sync::Arc;

use bytes::Bytes;
use rmcp::RoleClient;
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use tokio::sync::Mutex;

use super::link::SendError;
use super::messages::Messages;
use super::outbox::{Outbox, UNREAD};
use super::session::{Lifetime, Session};
use crate::fault::Fault;

/// The half from the server.
pub(crate) trait Inbound: Send + 'static {
    /// Returns the text of the next message. Cancel-safe.
    fn receive(&mut self) -> impl Future<Output = Result<Bytes, Fault>> + Send;

    /// Discards everything that the server still sends, until it has closed its side.
    fn drain(&mut self) -> impl Future<Output = ()> + Send;
}

/// The half to the server.
pub(crate) trait Outbound: Send + 'static {
    /// Sends a message. If the connection is broken, it has recorded the cause.
    fn send(&mut self, text: Vec<u8>) -> impl Future<Output = Result<(), SendError>> + Send;

    /// Announces the end, and returns whether the server can still send.
    fn close(&mut self) -> impl Future<Output = bool> + Send;
}

/// An open connection.
pub(crate) struct Duplex<I, O> {
    inbound: Mutex<Option<I>>,
    outbound: Arc<Mutex<Option<O>>>,
    outbox: Outbox,
    messages: Messages,
    lifetime: Lifetime,
}

impl<I: Inbound, O: Outbound> Duplex<I, O> {
    pub(super) fn new(inbound: I, outbound: Arc<Mutex<Option<O>>>, lifetime: &Lifetime) -> Self {
        Self {
            inbound: Mutex::new(Some(inbound)),
            outbound,
            outbox: Outbox::default(),
            messages: Messages::new(Arc::clone(&lifetime.state)),
            lifetime: lifetime.clone(),
        }
    }

    fn queue(&self, message: &TxJsonRpcMessage<RoleClient>) -> Result<(), SendError> {
        let text = self.messages.write(message)?;
        self.outbox.put(text).map_err(|_| {
            self.lifetime.broke(Fault::NotReading(UNREAD));
            SendError::Broken
        })
    }

    /// Sends the first message of the queue.
    async fn send_first(&self) -> Result<(), SendError> {
        let mut outbound = self.outbound.lock().await;
        let outbound = outbound.as_mut().ok_or(SendError::Broken)?;
        let Some(text) = self.outbox.first() else { return Ok(()) };
        let length = text.len();
        let sent = outbound.send(text).await;
        self.outbox.record_sent(length);
        sent
    }
}

impl<I: Inbound, O: Outbound> Session for Duplex<I, O> {
    fn send(
        self: Arc<Self>,
        message: TxJsonRpcMessage<RoleClient>,
    ) -> impl Future<Output = Result<(), SendError>> + Send + 'static {
        let queued = self.queue(&message);
        async move {
            queued?;
            tokio::select! {
                biased;
                () = self.lifetime.stop.cancelled() => Err(SendError::Broken),
                sent = self.send_first() => sent,
            }
        }
    }

    async fn receive(&self) -> Option<RxJsonRpcMessage<RoleClient>> {
        let mut inbound = self.inbound.lock().await;
        loop {
            let text = tokio::select! {
                biased;
                () = self.lifetime.stop.cancelled() => return None,
                text = inbound.as_mut()?.receive() => text,
            };
            match text.map(|text| self.messages.read(&text)) {
                Ok(Some(message)) => return Some(message),
                Ok(None) => {}
                Err(fault) => {
                    self.lifetime.broke(fault);
                    *inbound = None;
                    // A sender sees the stop and releases the lock.
                    *self.outbound.lock().await = None;
                    return None;
                }
            }
        }
    }

    async fn goodbye(&self) {
        let (mut outbound, mut inbound) = (self.outbound.lock().await, self.inbound.lock().await);
        let Some(mut outbound) = outbound.take() else { return };
        let answers = outbound.close().await;
        drop(outbound);
        if let Some(inbound) = inbound.as_mut().filter(|_| answers) {
            inbound.drain().await;
        }
    }

    fn release(&self) {
        self.lifetime.stop.cancel();
        if let Ok(mut outbound) = self.outbound.try_lock() {
            *outbound = None;
        }
        if let Ok(mut inbound) = self.inbound.try_lock() {
            *inbound = None;
        }
    }
}
