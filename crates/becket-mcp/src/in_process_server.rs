//! The interface of an in-process server: two ends of a channel.

use serde_json::Value;
use tokio::sync::mpsc;

/// The capacity of the queue in either direction.
const QUEUED: usize = 64;

/// A server in the process of its host (`protocol.md` X1).
///
/// ```
/// use becket_mcp::{InProcessServer, ServerEnd};
/// use serde_json::json;
///
/// struct Deaf;
///
/// impl InProcessServer for Deaf {
///     fn connect(&self, mut end: ServerEnd) {
///         tokio::spawn(async move {
///             while let Some(message) = end.receive().await {
///                 let Some(id) = message.get("id") else { continue };
///                 let error = json!({"code": -32601, "message": "I know nothing"});
///                 let answer = json!({"jsonrpc": "2.0", "id": id, "error": error});
///                 if end.sender().send(answer).await.is_err() {
///                     break;
///                 }
///             }
///         });
///     }
/// }
/// ```
pub trait InProcessServer: Send + Sync + 'static {
    /// Serves one more connection until its end is closed. Called once for each connection, within a runtime; must not
    /// block: the work belongs in a task of the server. To refuse a connection, drop the end.
    fn connect(&self, end: ServerEnd);
}

/// The server's end of a connection. Messages are JSON-RPC, in the order in which they were sent.
///
/// The connection is over once [`ServerEnd::receive`] returns `None`, and breaks when the server drops this and all
/// its senders.
#[derive(Debug)]
pub struct ServerEnd {
    receiver: mpsc::Receiver<Value>,
    sender: ServerSender,
}

/// The sending half of a server. Clones send over the same connection.
#[derive(Debug, Clone)]
pub struct ServerSender(mpsc::Sender<Value>);

/// An error: the client has disconnected; the message is returned.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("the client is gone: nothing can be sent to it any longer")]
pub struct ClientGone(pub Value);

impl ServerEnd {
    /// Receives the next message of the client; `None` once it has disconnected. Cancel-safe.
    pub async fn receive(&mut self) -> Option<Value> {
        self.receiver.recv().await
    }

    /// Returns the sending half.
    #[must_use]
    pub fn sender(&self) -> &ServerSender {
        &self.sender
    }
}

impl ServerSender {
    /// Sends a message to the client; waits while the queue is full.
    ///
    /// # Errors
    /// Errors if the client has disconnected.
    pub async fn send(&self, message: Value) -> Result<(), ClientGone> {
        self.0.send(message).await.map_err(|unsent| ClientGone(unsent.0))
    }

    /// Waits until the client has disconnected.
    pub async fn closed(&self) {
        self.0.closed().await;
    }
}

/// The client's end.
pub(crate) struct ClientEnd {
    pub(crate) receiver: mpsc::Receiver<Value>,
    pub(crate) sender: mpsc::Sender<Value>,
}

/// Creates a connection.
pub(crate) fn pair() -> (ClientEnd, ServerEnd) {
    let (to_server, from_client) = mpsc::channel(QUEUED);
    let (to_client, from_server) = mpsc::channel(QUEUED);
    let client = ClientEnd { receiver: from_server, sender: to_server };
    (client, ServerEnd { receiver: from_client, sender: ServerSender(to_client) })
}
