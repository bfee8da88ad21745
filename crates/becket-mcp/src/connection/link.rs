//! The interface of a transport to a connection.

use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use rmcp::RoleClient;
use rmcp::transport::{DynamicTransportError, Transport};

use super::state::State;
use crate::fault::Fault;

/// The link to one server.
///
/// INVARIANT: once `end` has returned, or the link was dropped, nothing of it remains: no process, no socket, no task.
pub(crate) trait Link: Send + Sync + 'static {
    /// The transport for messages.
    type Wire: Transport<RoleClient> + 'static;

    /// Opens the transport, once for each handshake attempt.
    fn wire(&self) -> impl Future<Output = Result<Self::Wire, Fault>> + Send;

    /// Returns the state that all parts of the connection share.
    fn state(&self) -> &Arc<State>;

    /// Returns the beginning of the handshake.
    fn opening(&self) -> FirstGreeting {
        FirstGreeting::Initialize
    }

    /// Called once the server's protocol era is known.
    fn understood(&self, era: Era) {
        let _ = era;
    }

    /// Ends the link; the server has `grace` to exit on its own.
    fn end(&self, grace: Duration) -> impl Future<Output = ()> + Send;
}

/// The protocol era of a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Era {
    /// `initialize`, up to 2025-11-25.
    Initialize,
    /// `server/discover`, from 2026-07-28 on.
    Discover,
}

/// The first greeting to a server. If the server refuses it, the other one follows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FirstGreeting {
    /// `initialize`.
    Initialize,
    /// `server/discover`; silence for this long is a refusal.
    Discover(Option<Duration>),
}

/// A message did not reach its server, or its response is not a valid answer. This is an error of its sender only.
#[derive(Debug, Clone, thiserror::Error)]
#[error("{0}")]
pub(crate) struct NotSent(pub(crate) Fault);

impl NotSent {
    /// Finds the fault within an error of a transport, however it is wrapped.
    pub(super) fn within(error: &DynamicTransportError) -> Option<Fault> {
        let mut cause: Option<&(dyn std::error::Error + 'static)> = Some(error.error.as_ref());
        while let Some(error) = cause {
            if let Some(Self(fault)) = error.downcast_ref() {
                return Some(fault.clone());
            }
            cause = error.source();
        }
        None
    }
}

/// The reason why a message was not sent.
#[derive(Debug, thiserror::Error)]
pub(crate) enum SendError {
    /// The connection is broken; its state has the cause.
    #[error("the server takes no more messages")]
    Broken,
    /// An error of this message alone.
    #[error("the message was not sent: {0}")]
    NotSent(#[source] NotSent),
    /// The message can't be encoded as JSON.
    #[error("the message can't be written: {0}")]
    Encode(#[from] serde_json::Error),
}

impl From<Fault> for SendError {
    fn from(fault: Fault) -> Self {
        Self::NotSent(NotSent(fault))
    }
}

/// A link of any kind, for ending it.
pub(super) trait AnyLink: Send + Sync {
    fn end(&self, grace: Duration) -> Pin<Box<dyn Future<Output = ()> + Send + '_>>;
}

impl<L: Link> AnyLink for L {
    fn end(&self, grace: Duration) -> Pin<Box<dyn Future<Output = ()> + Send + '_>> {
        Box::pin(Link::end(self, grace))
    }
}
