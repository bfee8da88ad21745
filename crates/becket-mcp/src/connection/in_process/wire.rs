//! The transport of `rmcp`: values through channels.
//!
//! INVARIANT: once `stop` is cancelled, nothing is received or sent any longer.

use std::sync::Arc;

use becket_process::CancellationToken;
use rmcp::RoleClient;
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use serde_json::Value;
use tokio::sync::{Mutex, mpsc};

use super::super::link::SendError;
use super::super::messages::Messages;
use super::super::outbox::{Outbox, UNREAD};
use super::super::state::State;
use crate::fault::Fault;
use crate::in_process_server::ClientEnd;

/// The channel to a server and back. Clones share it, one after the other: a refused handshake leaves it for the next.
#[derive(Clone)]
pub(crate) struct Wire(Arc<Session>);

/// A connection to a server within this process.
pub(super) struct Session {
    receiver: Mutex<Option<mpsc::Receiver<Value>>>,
    sender: Mutex<Option<mpsc::Sender<Value>>>,
    outbox: Outbox,
    messages: Messages,
    cap: usize,
    state: Arc<State>,
    stop: CancellationToken,
}

impl Session {
    pub(super) fn new(end: ClientEnd, cap: usize, state: Arc<State>, stop: CancellationToken) -> Arc<Self> {
        Arc::new(Self {
            receiver: Mutex::new(Some(end.receiver)),
            sender: Mutex::new(Some(end.sender)),
            outbox: Outbox::default(),
            messages: Messages::new(Arc::clone(&state)),
            cap,
            state,
            stop,
        })
    }

    pub(super) fn wire(self: &Arc<Self>) -> Wire {
        Wire(Arc::clone(self))
    }

    /// Closes the server's receiver, and waits until it has dropped its senders. Remaining messages are discarded.
    pub(super) async fn goodbye(&self) {
        *self.sender.lock().await = None;
        if let Some(receiver) = self.receiver.lock().await.as_mut() {
            while receiver.recv().await.is_some() {}
        }
    }

    /// Drops the channels, at once if they are unused, else as soon as their users see the stop.
    pub(super) fn let_go(&self) {
        self.stop.cancel();
        if let Ok(mut sender) = self.sender.try_lock() {
            *sender = None;
        }
        if let Ok(mut receiver) = self.receiver.try_lock() {
            *receiver = None;
        }
    }

    async fn next(&self) -> Option<RxJsonRpcMessage<RoleClient>> {
        let mut receiver = self.receiver.lock().await;
        loop {
            let value = tokio::select! {
                biased;
                () = self.stop.cancelled() => return None,
                value = receiver.as_mut()?.recv() => value,
            };
            match self.read(value) {
                Ok(Some(message)) => return Some(message),
                Ok(None) => {}
                Err(fault) => {
                    self.broke(fault);
                    *receiver = None;
                    // A sender sees it and releases the lock.
                    *self.sender.lock().await = None;
                    return None;
                }
            }
        }
    }

    /// The same parser as for other transports: a value is read as its text would be.
    fn read(&self, value: Option<Value>) -> Result<Option<RxJsonRpcMessage<RoleClient>>, Fault> {
        let value = value.ok_or_else(gone)?;
        let text = value.to_string();
        if text.len() > self.cap {
            return Err(Fault::TooLarge(self.cap));
        }
        Ok(self.messages.read(text.as_bytes()))
    }

    fn broke(&self, fault: Fault) {
        self.state.broke(fault);
        self.stop.cancel();
    }

    async fn send_first(&self) -> Result<(), SendError> {
        tokio::select! {
            biased;
            () = self.stop.cancelled() => Err(SendError::Broken),
            sent = self.send_now() => sent,
        }
    }

    async fn send_now(&self) -> Result<(), SendError> {
        let sender = self.sender.lock().await;
        let sender = sender.as_ref().ok_or(SendError::Broken)?;
        let Some(text) = self.outbox.first() else { return Ok(()) };
        let sent = sender.send(serde_json::from_slice(&text)?).await;
        self.outbox.sent(text.len());
        sent.map_err(|_| {
            self.broke(gone());
            SendError::Broken
        })
    }

    fn put(&self, message: &TxJsonRpcMessage<RoleClient>) -> Result<(), SendError> {
        let text = self.messages.write(message)?;
        self.outbox.put(text).map_err(|_| {
            self.broke(Fault::NotReading(UNREAD));
            SendError::Broken
        })
    }
}

fn gone() -> Fault {
    Fault::BrokenOff("the server in this process has let go of its end".into())
}

impl Transport<RoleClient> for Wire {
    type Error = SendError;

    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleClient>,
    ) -> impl Future<Output = Result<(), SendError>> + Send + 'static {
        let (session, put) = (Arc::clone(&self.0), self.0.put(&message));
        async move {
            put?;
            session.send_first().await
        }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleClient>> {
        self.0.next().await
    }

    /// Drops the channels.
    async fn close(&mut self) -> Result<(), SendError> {
        Ok(())
    }
}
