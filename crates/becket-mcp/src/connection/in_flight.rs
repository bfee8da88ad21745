//! Which requests wait for an answer, to give an error that names none of them to the one that it can only mean.
//!
//! A server that could not read a request answers without its id. With one request waiting it is clear whose answer
//! that is; with several, nobody guesses, and the deadlines decide.

use std::sync::{Mutex, PoisonError};

use rmcp::RoleClient;
use rmcp::model::{ClientNotification, JsonRpcMessage, RequestId};
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};

/// The ids of requests that were sent and not answered.
#[derive(Debug, Default)]
pub(super) struct InFlight(Mutex<Vec<RequestId>>);

impl InFlight {
    pub(super) fn sent(&self, message: &TxJsonRpcMessage<RoleClient>) {
        match message {
            JsonRpcMessage::Request(request) => self.with(|ids| ids.push(request.id.clone())),
            JsonRpcMessage::Notification(sent) => {
                if let ClientNotification::CancelledNotification(cancelled) = &sent.notification
                    && let Some(id) = &cancelled.params.request_id
                {
                    self.with(|ids| ids.retain(|known| known != id));
                }
            }
            JsonRpcMessage::Response(_) | JsonRpcMessage::Error(_) => {}
        }
    }

    /// Notes an answer, and names the request that one without an id is for.
    pub(super) fn received(&self, message: &mut RxJsonRpcMessage<RoleClient>) {
        match message {
            JsonRpcMessage::Response(response) => self.with(|ids| ids.retain(|id| *id != response.id)),
            JsonRpcMessage::Error(error) => self.with(|ids| match &error.id {
                Some(answered) => ids.retain(|id| id != answered),
                None if ids.len() == 1 => error.id = ids.pop(),
                None => {}
            }),
            JsonRpcMessage::Request(_) | JsonRpcMessage::Notification(_) => {}
        }
    }

    fn with<T>(&self, work: impl FnOnce(&mut Vec<RequestId>) -> T) -> T {
        work(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}
