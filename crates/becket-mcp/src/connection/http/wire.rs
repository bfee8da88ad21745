//! What `rmcp` speaks over: its own worker, with the faults of ours and an end of ours.

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
use super::client::Client;
use crate::fault::Fault;

/// How many requests may be under way at once, their answers not begun: more than a host ever has. The deadline of a
/// call must not run because others hang.
const AT_ONCE: usize = 256;

/// The way of one attempt to shake hands. Dropped, nothing of it is under way any longer.
pub(crate) struct Wire {
    worker: StreamableHttpClientTransport<Client>,
    over: CancellationToken,
}

impl Wire {
    pub(super) fn new(client: Client, over: CancellationToken) -> Self {
        let mut config = StreamableHttpClientTransportConfig::with_uri("")
            .max_concurrent_requests(AT_ONCE)
            .reinit_on_expired_session(false);
        // Streams are taken up again below, where it is known how often and what for.
        config.retry_config = Arc::new(NeverRetry::default());
        Self { worker: StreamableHttpClientTransport::with_client(client, config), over }
    }
}

impl Transport<RoleClient> for Wire {
    type Error = SendError;

    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleClient>,
    ) -> impl Future<Output = Result<(), SendError>> + Send + 'static {
        let sent = self.worker.send(message);
        async move { sent.await.map_err(error) }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleClient>> {
        self.worker.receive().await
    }

    async fn close(&mut self) -> Result<(), SendError> {
        self.over.cancel();
        self.worker.close().await.map_err(error)
    }
}

impl Drop for Wire {
    fn drop(&mut self) {
        self.over.cancel();
    }
}

#[expect(clippy::wildcard_enum_match_arm, reason = "the enum is another crate's")]
fn error(error: StreamableHttpError<NotSent>) -> SendError {
    match error {
        StreamableHttpError::Client(not_sent) => SendError::NotSent(not_sent),
        StreamableHttpError::ControlRequestTimeout => {
            SendError::from(Fault::BrokenOff("it did not take a notice in time".into()))
        }
        _ => SendError::Broken,
    }
}
