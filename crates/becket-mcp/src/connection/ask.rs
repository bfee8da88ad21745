//! One request and its answer.
//!
//! INVARIANT: a request without a waiter is cancelled at its server (`notifications/cancelled`), however the wait
//! ended: deadline, token, or a dropped future.

use std::sync::Arc;

use futures_util::FutureExt;
use rmcp::RoleClient;
use rmcp::model::{ClientRequest, ServerPeerInfo, ServerResult};
use rmcp::service::{Peer, PeerRequestOptions, RequestHandle, ServiceError};
use tokio::task::coop::unconstrained;

use super::calls::ActiveCall;
use super::no_answer::Trouble;
use super::state::State;

/// The sender of requests to one server.
#[derive(Debug, Clone)]
pub(super) struct Requester {
    peer: Peer<RoleClient>,
    state: Arc<State>,
}

impl Requester {
    pub(super) fn new(peer: &Peer<RoleClient>, state: &Arc<State>) -> Self {
        Self { peer: peer.clone(), state: Arc::clone(state) }
    }

    /// Returns the server's description of itself, once the handshake is over.
    pub(super) fn info(&self) -> Option<Arc<ServerPeerInfo>> {
        self.peer.peer_info()
    }

    /// Sends the request and waits for its answer, without a time limit of its own. The ids of the request are
    /// reported to the call that it is part of.
    pub(super) async fn ask(
        &self,
        request: ClientRequest,
        call: Option<&ActiveCall>,
    ) -> Result<ServerResult, Trouble> {
        let sending = self.peer.send_request_with_option(request, PeerRequestOptions::no_options());
        let handle = match sending.await {
            Ok(handle) => handle,
            Err(ServiceError::TransportClosed) => return Err(Trouble::NotSent),
            Err(error) => return Err(Trouble::from_service(error, None, &self.state)),
        };
        if let Some(call) = call {
            call.record_ids(&handle.id, &handle.progress_token);
        }
        let id = handle.id.clone();
        let mut waiting = PendingRequest(Some(handle));
        let answer = waiting.answer().await;
        waiting.0 = None;
        answer.map_err(|error| Trouble::from_service(error, Some(&id), &self.state))
    }
}

/// A pending request.
struct PendingRequest(Option<RequestHandle<RoleClient>>);

impl PendingRequest {
    async fn answer(&mut self) -> Result<ServerResult, ServiceError> {
        match &mut self.0 {
            Some(handle) => (&mut handle.rx).await.unwrap_or(Err(ServiceError::TransportClosed)),
            None => Err(ServiceError::TransportClosed),
        }
    }
}

impl Drop for PendingRequest {
    fn drop(&mut self) {
        let Some(handle) = self.0.take() else { return };
        // The first poll passes the notification to the sending task; its delivery is not awaited.
        let notice = handle.cancel(Some("the caller no longer waits for the answer".into()));
        let _ = unconstrained(notice).now_or_never();
    }
}
