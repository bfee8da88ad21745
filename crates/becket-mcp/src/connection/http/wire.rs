//! The transport of `rmcp`: its own worker, with our faults and our lifetime.

use std::sync::Arc;

use becket_process::CancellationToken;
use rmcp::RoleClient;
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use rmcp::transport::common::client_side_sse::NeverRetry;
use rmcp::transport::streamable_http_client::{
    StreamableHttpClientTransport, StreamableHttpClientTransportConfig, StreamableHttpError,
};

use super::super::link::{NotSent, SendError};
use super::super::state::State;
use super::client::Client;
use crate::fault::Fault;

/// The limit on concurrent requests whose answers have not begun: more than a host ever has. The deadline of a call
/// must not run because others hang.
const AT_ONCE: usize = 256;

/// The transport of one handshake attempt. Dropping it stops all its work.
pub(crate) struct Wire {
    worker: StreamableHttpClientTransport<Client>,
    over: CancellationToken,
    state: Arc<State>,
}

impl Wire {
    pub(super) fn new(client: Client, state: Arc<State>, over: CancellationToken) -> Self {
        let mut config = StreamableHttpClientTransportConfig::with_uri("")
            .max_concurrent_requests(AT_ONCE)
            .reinit_on_expired_session(false);
        // Streams are resumed at a lower level, which knows the number of tries and the purpose.
        config.retry_config = Arc::new(NeverRetry::default());
        Self { worker: StreamableHttpClientTransport::with_client(client, config), over, state }
    }
}

impl Transport<RoleClient> for Wire {
    type Error = SendError;

    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleClient>,
    ) -> impl Future<Output = Result<(), SendError>> + Send + 'static {
        let (sent, state) = (self.worker.send(message), Arc::clone(&self.state));
        async move {
            let Err(error) = sent.await else { return Ok(()) };
            Err(SendError::from(fault(error, &state).await))
        }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleClient>> {
        self.worker.receive().await
    }

    async fn close(&mut self) -> Result<(), SendError> {
        self.over.cancel();
        match self.worker.close().await {
            Ok(()) => Ok(()),
            Err(error) => Err(SendError::from(fault(error, &self.state).await)),
        }
    }
}

impl Drop for Wire {
    fn drop(&mut self) {
        self.over.cancel();
    }
}

/// Converts an error of the worker. When the worker ends, it is not known whether the message was sent, so the error
/// is never [`SendError::Broken`], which allows a retry.
#[expect(clippy::wildcard_enum_match_arm, reason = "the enum is another crate's")]
async fn fault(error: StreamableHttpError<NotSent>, state: &State) -> Fault {
    match error {
        StreamableHttpError::Client(NotSent(fault)) => fault,
        StreamableHttpError::ControlRequestTimeout => {
            Fault::BrokenOff("it did not accept a notification in time".into())
        }
        _ if state.broken().is_cancelled() => state.settled_fault().await,
        _ => Fault::Closed,
    }
}
