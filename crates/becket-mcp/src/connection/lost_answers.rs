//! Requests whose answer is lost or can't be parsed, with the reason, until their senders collect it.
//!
//! Once a request was sent, `rmcp` only stops waiting for its answer when it receives a reply. So an error reply wakes
//! the sender, and the reason itself is stored here. A server can't forge one: its errors are not recorded.
//!
//! INVARIANT: no fault that allows a retry is recorded. A request with a lost answer was sent.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};

use rmcp::RoleClient;
use rmcp::model::{ErrorData, JsonRpcMessage, RequestId};
use rmcp::service::RxJsonRpcMessage;

use super::in_flight::is_same;
use super::no_answer::Trouble;
use crate::fault::Fault;

/// The limit on the records: more than the active requests that a host ever has. Cancelled requests may leave theirs
/// behind.
const RECORDS: usize = 256;

/// The reasons by request, oldest first.
#[derive(Debug, Default)]
pub(super) struct LostAnswers(Mutex<VecDeque<(RequestId, Trouble)>>);

impl LostAnswers {
    /// Records that the answer to a request broke off, and returns the reply that wakes its sender.
    pub(super) fn broken_off(&self, id: RequestId, fault: Fault) -> RxJsonRpcMessage<RoleClient> {
        let fault = if fault.is_before_execution() { Fault::BrokenOff(fault.to_string()) } else { fault };
        let text = fault.to_string();
        self.put(id, Trouble::Failed(fault), text)
    }

    /// Records that the answer to a request can't be parsed, and returns the reply that wakes its sender.
    pub(super) fn unreadable(&self, id: RequestId, why: String) -> RxJsonRpcMessage<RoleClient> {
        self.put(id, Trouble::Unexpected(why.clone()), why)
    }

    /// Takes the reason why a request has no answer. Without an id, it is the only request of a handshake.
    pub(super) fn take(&self, id: Option<&RequestId>) -> Option<Trouble> {
        self.with(|lost| {
            let known = lost.iter().position(|(known, _)| id.is_none_or(|id| is_same(id, known)))?;
            lost.remove(known).map(|(_, trouble)| trouble)
        })
    }

    /// Discards all records: ids of requests start again with each handshake.
    pub(super) fn clear(&self) {
        self.with(VecDeque::clear);
    }

    fn put(&self, id: RequestId, trouble: Trouble, text: String) -> RxJsonRpcMessage<RoleClient> {
        self.with(|lost| {
            if lost.len() == RECORDS {
                lost.pop_front();
            }
            lost.push_back((id.clone(), trouble));
        });
        JsonRpcMessage::error(ErrorData::internal_error(text, None), Some(id))
    }

    fn with<T>(&self, work: impl FnOnce(&mut VecDeque<(RequestId, Trouble)>) -> T) -> T {
        work(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::challenge::Challenge;

    // rule: X1
    #[test]
    fn a_reason_is_found_again_once_and_never_allows_a_retry() {
        let lost = LostAnswers::default();
        for fault in [
            Fault::TooLarge(7),
            Fault::BrokenOff("so".into()),
            Fault::NotMcp("html".into()),
            Fault::SessionExpired,
            Fault::Unreachable("gone".into()),
            Fault::AuthNeeded(Challenge::default()),
        ] {
            let JsonRpcMessage::Error(reply) = lost.broken_off(RequestId::Number(3), fault.clone()) else {
                panic!("it is an error")
            };
            assert_eq!(reply.id, Some(RequestId::Number(3)));
            assert!(reply.error.message.ends_with(&fault.to_string()), "{}", reply.error.message);
            assert!(lost.take(Some(&RequestId::Number(4))).is_none());
            let Some(Trouble::Failed(found)) = lost.take(Some(&RequestId::Number(3))) else {
                panic!("{fault} is lost")
            };
            assert!(found.to_string().ends_with(&fault.to_string()), "{found}");
            assert!(!found.is_before_execution(), "{found}");
            assert!(lost.take(None).is_none());
        }
    }

    #[test]
    fn the_records_are_bounded_and_those_of_a_handshake_are_its_own() {
        let lost = LostAnswers::default();
        for id in 0..1000 {
            let _ = lost.unreadable(RequestId::Number(id), "so".into());
        }
        assert_eq!(lost.with(|lost| lost.len()), RECORDS);
        assert!(lost.take(Some(&RequestId::Number(999))).is_some());
        lost.clear();
        assert!(lost.take(None).is_none());
    }
}
