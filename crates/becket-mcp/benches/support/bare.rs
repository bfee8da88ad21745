//! A client as written by someone who uses `rmcp` directly.

use std::process::{Child, Command, Stdio};
use std::time::Duration;

use rmcp::model::{CallToolRequestParams, ClientCapabilities, ClientConfig, Implementation, ProtocolVersion};
use rmcp::service::{RoleClient, RunningService, ServiceExt};
use rmcp::transport::async_rw::AsyncRwTransport;
use tokio::net::unix::pipe::{Receiver, Sender};
use tokio::runtime::Runtime;

use super::{input, program};

/// One connected server.
pub(crate) struct Bare {
    child: Child,
    service: RunningService<RoleClient, ClientConfig>,
}

impl Bare {
    pub(crate) async fn connect(thinks: Duration) -> Self {
        let (command, args) = program(thinks);
        let mut command = Command::new(command);
        command.args(args).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().unwrap();
        let stdin = Sender::from_owned_fd(child.stdin.take().unwrap().into()).unwrap();
        let stdout = Receiver::from_owned_fd(child.stdout.take().unwrap().into()).unwrap();
        let this = Implementation::new("bench", "1");
        let config = ClientConfig::new(ClientCapabilities::default(), this)
            .with_protocol_version(ProtocolVersion::LATEST_WITH_INITIALIZE);
        let service = config.serve(AsyncRwTransport::new_client(stdout, stdin)).await.unwrap();
        service.list_all_tools().await.unwrap();
        Self { child, service }
    }

    pub(crate) async fn call(&self, size: usize) -> usize {
        let params = CallToolRequestParams::new("fill").with_arguments(input(size));
        let result = self.service.call_tool(params).await.unwrap();
        result.content.iter().filter_map(|block| block.as_text()).map(|block| block.text.len()).sum()
    }

    pub(crate) fn end(mut self, runtime: &Runtime) {
        runtime.block_on(self.service.cancel()).unwrap();
        self.child.wait().unwrap();
    }
}
