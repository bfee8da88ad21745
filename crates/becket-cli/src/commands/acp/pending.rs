//! The requests that one side has made and the other has not answered yet, by id.

use super::session::AcpSession;
use super::turn::Turn;
use becket_dialects::acp::{AcpCall, PermissionOptions};
use serde_json::Value;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::oneshot;

/// A request of the editor that the agent answers.
pub(super) enum EditorRequest {
    /// `initialize`, with the capabilities of the editor.
    Initialize(Value),
    /// A request that opens a session in this directory; with its id if the editor names it.
    Open { cwd: String, id: Option<String>, source: &'static str },
    /// A prompt.
    Prompt { session: Arc<AcpSession>, turn: Arc<Turn>, id: Value },
    /// A request that ends a session.
    Close { session: String },
}

/// A request of the agent that the editor answers.
pub(super) struct AgentRequest {
    pub(super) session: Arc<AcpSession>,
    pub(super) calls: Vec<AcpCall>,
    pub(super) options: PermissionOptions,
}

/// Requests by id.
pub(super) struct Pending<T>(Mutex<HashMap<String, T>>);

/// Requests of the proxy to the editor.
pub(super) type OwnRequests = Pending<oneshot::Sender<Value>>;

impl<T> Default for Pending<T> {
    fn default() -> Self {
        Pending(Mutex::default())
    }
}

impl<T> Pending<T> {
    /// Adds a request.
    pub(super) fn add(&self, id: &Value, request: T) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(id.to_string(), request);
    }

    /// Removes the request that a response answers.
    pub(super) fn take(&self, id: &Value) -> Option<T> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).remove(&id.to_string())
    }
}
