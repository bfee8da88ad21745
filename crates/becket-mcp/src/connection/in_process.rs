//! A server within the host's own process: a pair of bounded channels (`protocol.md` X1).
//!
//! It does not run the server: that is up to the host, and so is everything the server started. At the end, a server
//! that runs longer than its grace is left to the host.
//!
//! INVARIANT: no background task runs here; when the link has ended, both channels are closed.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use bytes::Bytes;
use serde_json::Value;
use tokio::sync::{Mutex, mpsc};

use super::duplex::{Duplex, Inbound, Outbound};
use super::link::SendError;
use super::session::{Lifetime, Opener, SessionLink};
use crate::fault::Fault;
use crate::in_process_server::{InProcessServer, pair};

/// The link to an in-process server of the host.
pub(crate) type InProcessLink = SessionLink<InProcessOpener>;

/// A server, and the limit on its messages in bytes of JSON.
pub(crate) struct InProcessOpener {
    server: Arc<dyn InProcessServer>,
    cap: usize,
}

impl SessionLink<InProcessOpener> {
    /// Creates the link. The server is not called yet.
    pub(crate) fn new(server: Arc<dyn InProcessServer>, cap: usize) -> Self {
        Self::with(InProcessOpener { server, cap })
    }
}

impl Opener for InProcessOpener {
    type Session = Duplex<ServerMessages, ClientMessages>;

    async fn open(&self, lifetime: &Lifetime) -> Result<Self::Session, Fault> {
        let (client, server) = pair();
        // A panic of a server must not end its host.
        catch_unwind(AssertUnwindSafe(|| self.server.connect(server)))
            .map_err(|_| Fault::Unreachable("the server in this process panicked".into()))?;
        let inbound = ServerMessages { receiver: client.receiver, cap: self.cap };
        let outbound = ClientMessages { sender: client.sender, lifetime: lifetime.clone() };
        Ok(Duplex::new(inbound, Arc::new(Mutex::new(Some(outbound))), lifetime))
    }
}

/// The messages of the server.
pub(crate) struct ServerMessages {
    receiver: mpsc::Receiver<Value>,
    cap: usize,
}

impl Inbound for ServerMessages {
    /// Encodes the message, so that it is parsed in the same way as over other transports.
    async fn receive(&mut self) -> Result<Bytes, Fault> {
        let text = self.receiver.recv().await.ok_or_else(gone)?.to_string();
        if text.len() > self.cap { Err(Fault::TooLarge(self.cap)) } else { Ok(text.into()) }
    }

    async fn drain(&mut self) {
        while self.receiver.recv().await.is_some() {}
    }
}

/// The messages to the server.
pub(crate) struct ClientMessages {
    sender: mpsc::Sender<Value>,
    lifetime: Lifetime,
}

impl Outbound for ClientMessages {
    async fn send(&mut self, text: Vec<u8>) -> Result<(), SendError> {
        self.sender.send(serde_json::from_slice(&text)?).await.map_err(|_| {
            self.lifetime.broke(gone());
            SendError::Broken
        })
    }

    /// Drops the half, which announces the end.
    async fn close(&mut self) -> bool {
        true
    }
}

fn gone() -> Fault {
    Fault::BrokenOff("the server in this process has let go of its end".into())
}

#[cfg(test)]
mod tests;
