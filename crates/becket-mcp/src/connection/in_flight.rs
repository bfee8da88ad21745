//! The pending requests, used to match an error without an id to the only request that it can mean.
//!
//! A server that could not read a request answers without its id. With one pending request the match is clear; with
//! several, nothing is guessed, and the deadlines decide.

use std::sync::{Mutex, PoisonError};

use rmcp::RoleClient;
use rmcp::model::{ClientNotification, JsonRpcMessage, RequestId};
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};

/// The ids of requests that were sent and not answered.
#[derive(Debug, Default)]
pub(in crate::connection) struct InFlight(Mutex<Vec<RequestId>>);

impl InFlight {
    pub(in crate::connection) fn record(&self, message: &TxJsonRpcMessage<RoleClient>) {
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

    /// Records an answer, and returns the request that one without an id is for.
    pub(in crate::connection) fn received(&self, message: &mut RxJsonRpcMessage<RoleClient>) {
        match message {
            JsonRpcMessage::Response(response) => {
                self.with(|ids| ids.retain(|id| !is_same(id, &response.id)))
            }
            JsonRpcMessage::Error(error) => self.with(|ids| match &error.id {
                Some(answered) => ids.retain(|id| !is_same(id, answered)),
                None if ids.len() == 1 => error.id = ids.pop(),
                None => {}
            }),
            JsonRpcMessage::Request(_) | JsonRpcMessage::Notification(_) => {}
        }
    }

    /// Records that a request never reached its server.
    pub(in crate::connection) fn failed(&self, id: &RequestId) {
        self.with(|ids| ids.retain(|known| known != id));
    }

    fn with<T>(&self, work: impl FnOnce(&mut Vec<RequestId>) -> T) -> T {
        work(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// Returns whether two ids are equal. Some servers return a numeric id as a string; that is accepted.
pub(super) fn is_same(sent: &RequestId, answered: &RequestId) -> bool {
    match (sent, answered) {
        (RequestId::Number(sent), RequestId::String(answered)) => {
            answered.parse::<i64>().is_ok_and(|answered| answered == *sent)
        }
        (RequestId::Number(_), RequestId::Number(_)) | (RequestId::String(_), _) => sent == answered,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rmcp::model::{ErrorData, ServerResult};
    use serde_json::json;

    fn in_flight(ids: &[i64]) -> InFlight {
        let in_flight = InFlight::default();
        for id in ids {
            let request = json!({"jsonrpc": "2.0", "id": id, "method": "ping"});
            in_flight.record(&serde_json::from_value(request).unwrap());
        }
        in_flight
    }

    /// Returns the request that an error without an id is for.
    fn meant(in_flight: &InFlight) -> Option<RequestId> {
        let mut error = JsonRpcMessage::error(ErrorData::internal_error("no", None), None);
        in_flight.received(&mut error);
        let JsonRpcMessage::Error(error) = error else { panic!("it was an error") };
        error.id
    }

    #[test]
    fn an_error_without_an_id_is_for_the_only_request_that_waits() {
        assert_eq!(meant(&in_flight(&[])), None);
        assert_eq!(meant(&in_flight(&[7])), Some(RequestId::Number(7)));
        assert_eq!(meant(&in_flight(&[7, 8])), None);
    }

    #[test]
    fn answered_and_cancelled_requests_wait_no_longer() {
        let in_flight = in_flight(&[1, 2, 3, 4, 5]);
        let done = |id| JsonRpcMessage::response(ServerResult::empty(()), id);
        in_flight.received(&mut done(RequestId::Number(1)));
        in_flight.received(&mut done(RequestId::String("2".into())));
        let failed = ErrorData::internal_error("no", None);
        in_flight.received(&mut JsonRpcMessage::error(failed, Some(RequestId::Number(3))));
        assert_eq!(meant(&in_flight), None);
        let cancelled =
            json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 4}});
        in_flight.record(&serde_json::from_value(cancelled).unwrap());
        assert_eq!(meant(&in_flight), Some(RequestId::Number(5)));
        assert_eq!(meant(&in_flight), None);
    }
}
