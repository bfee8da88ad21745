//! The requests to the client, as messages of the protocol.

use super::answers::{OutgoingMessage, Withdrawn};
use super::outgoing::MessageQueue;
use crate::peer::{Peer, PendingRequest};
use serde::Serialize;
use serde_json::Value;

/// The methods of one kind of request to the client.
#[derive(Clone, Copy)]
pub(super) struct RequestMethods {
    pub(super) request: &'static str,
    /// The notification that cancels the request.
    pub(super) cancel: &'static str,
}

/// Asks the client of one connection. Cheap to clone; clones are the same.
#[derive(Clone)]
pub(super) struct Calls {
    peer: Peer,
    out: MessageQueue,
}

impl Calls {
    pub(super) fn new(out: MessageQueue) -> Self {
        Calls { peer: Peer::new("the client"), out }
    }

    /// Sends a request at once. If the returned request is dropped without an answer, the client is notified.
    pub(super) fn ask(&self, methods: RequestMethods, params: &impl Serialize) -> PendingRequest {
        let out = self.out.clone();
        self.peer.ask(
            |id| self.out.send(&OutgoingMessage::new(Some(id), methods.request, params)),
            move |id| out.send(&OutgoingMessage::new(None, methods.cancel, &Withdrawn { id })),
        )
    }

    /// Delivers an answer; one without a pending request is dropped.
    pub(super) fn answered(&self, id: &Value, answer: Result<Value, String>, repeated: Vec<String>) {
        if let Some(id) = id.as_str() {
            self.peer.answered(id, answer, repeated);
        }
    }

    /// Fails all pending requests, since the client no longer answers.
    pub(super) fn fail_pending(&self) {
        self.peer.fail_pending();
    }
}
