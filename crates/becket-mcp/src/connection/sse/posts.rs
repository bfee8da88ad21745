//! The requests that are being sent to a server, so that a cancellation neither overtakes its request nor leaves it
//! hanging.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use becket_process::CancellationToken;
use rmcp::RoleClient;
use rmcp::model::{ClientNotification, JsonRpcMessage, RequestId};
use rmcp::service::TxJsonRpcMessage;
use tokio::time::timeout;

/// The time limit for a cancellation to wait for its request. A server accepts messages at once, or not at all.
const FOLLOW: Duration = Duration::from_secs(1);

/// The kind of a message, for sending.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Kind {
    Request(RequestId),
    Cancel(RequestId),
    Other,
}

impl Kind {
    #[expect(clippy::wildcard_enum_match_arm, reason = "the enum is another crate's")]
    pub(super) fn of(message: &TxJsonRpcMessage<RoleClient>) -> Self {
        match message {
            JsonRpcMessage::Request(request) => Self::Request(request.id.clone()),
            JsonRpcMessage::Notification(sent) => match &sent.notification {
                ClientNotification::CancelledNotification(cancelled) => {
                    cancelled.params.request_id.clone().map_or(Self::Other, Self::Cancel)
                }
                _ => Self::Other,
            },
            JsonRpcMessage::Response(_) | JsonRpcMessage::Error(_) => Self::Other,
        }
    }
}

/// The requests being sent.
#[derive(Debug, Default)]
pub(super) struct Posts(Mutex<HashMap<RequestId, Signals>>);

#[derive(Debug, Clone, Default)]
struct Signals {
    done: CancellationToken,
    given_up: CancellationToken,
}

impl Posts {
    /// Records a request that is being sent, until the guard is dropped.
    pub(super) fn begin(self: &Arc<Self>, id: RequestId) -> Post {
        let signals = Signals::default();
        self.with(|posts| posts.insert(id.clone(), signals.clone()));
        Post { posts: Arc::clone(self), id, signals }
    }

    /// Waits for a request to arrive before its cancellation; a request that does not arrive is cancelled.
    pub(super) async fn give_up(&self, id: &RequestId) {
        let Some(signals) = self.with(|posts| posts.get(id).cloned()) else { return };
        if timeout(FOLLOW, signals.done.cancelled()).await.is_err() {
            signals.given_up.cancel();
        }
    }

    fn with<T>(&self, work: impl FnOnce(&mut HashMap<RequestId, Signals>) -> T) -> T {
        work(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// A request being sent.
#[derive(Debug)]
pub(super) struct Post {
    posts: Arc<Posts>,
    id: RequestId,
    signals: Signals,
}

impl Post {
    pub(super) fn id(&self) -> &RequestId {
        &self.id
    }

    /// Waits until it is cancelled.
    pub(super) async fn given_up(&self) {
        self.signals.given_up.cancelled().await;
    }
}

impl Drop for Post {
    fn drop(&mut self) {
        self.posts.with(|posts| posts.remove(&self.id));
        self.signals.done.cancel();
    }
}
