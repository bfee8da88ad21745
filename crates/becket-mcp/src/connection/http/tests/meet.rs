//! A link after the handshake, and calls over it.

use std::sync::Arc;
use std::time::Duration;

use becket_testkit::mcp_http::Server;
pub(super) use becket_testkit::wait::until;
use rmcp::model::{CallToolRequest, CallToolRequestParams, ClientRequest, ServerResult};
use serde_json::{Value, json};
use tokio::runtime::Handle;
use tokio::time::timeout;

use crate::auth::{HeaderSource, StaticHeaders};
use crate::connection::ask::Requester;
use crate::connection::client::Client;
use crate::connection::handshake::{self, Service};
use crate::connection::host_handle::HostHandle;
use crate::connection::http::{HttpLink, Network};
use crate::connection::link::Link;
use crate::connection::no_answer::Trouble;
use crate::connection::target::{Reach, Target};
use crate::tls::{Files, Trust};
use becket_base::secret::Secret;

/// A limit for a loaded machine; reached only by a failing test.
pub(super) const PATIENCE: Duration = Duration::from_secs(30);
/// The limit on a message.
pub(super) const CAP: usize = 16 << 20;

/// A link and the client over it.
pub(super) struct ConnectedClient {
    pub(super) link: HttpLink,
    pub(super) service: Service,
}

pub(super) fn headers(pairs: &[(&str, &str)]) -> Arc<dyn HeaderSource> {
    let pairs: Vec<(String, Secret)> =
        pairs.iter().map(|(name, value)| ((*name).to_owned(), Secret::new(*value))).collect();
    Arc::new(StaticHeaders::new(&pairs).unwrap())
}

pub(super) fn target(url: &str, headers: Arc<dyn HeaderSource>, files: Option<Files<'_>>) -> Target {
    let trust = Trust::new(None);
    let tls = files.map_or_else(|| trust.without_roots(), |files| trust.config(files)).unwrap();
    Target { url: url.parse().unwrap(), headers, tls: Arc::new(tls), reach: Reach::Anywhere, cap: CAP }
}

pub(super) fn link(server: &Server) -> HttpLink {
    HttpLink::new(&target(&server.url(), headers(&[]), None), &Network::default()).unwrap()
}

impl ConnectedClient {
    pub(super) async fn over(link: HttpLink) -> Result<Self, String> {
        let host = HostHandle::new(Arc::new(()), PATIENCE);
        let client = Client::new("it".into(), host, Arc::default(), link.state().broken().clone());
        match timeout(PATIENCE, handshake::initialize(&link, &client)).await.unwrap() {
            Ok(service) => Ok(Self { link, service }),
            Err(trouble) => Err(words(&link, trouble).await),
        }
    }

    pub(super) async fn with(server: &Server) -> Self {
        Self::over(link(server)).await.unwrap()
    }

    /// Returns the text of a tool's answer, or the error.
    pub(super) async fn call(&self, tool: &str, arguments: Value) -> Result<String, String> {
        let Value::Object(arguments) = arguments else { panic!("no arguments") };
        let params = CallToolRequestParams::new(tool.to_owned()).with_arguments(arguments);
        let request = ClientRequest::CallToolRequest(CallToolRequest::new(params));
        let requester = Requester::new(self.service.peer(), self.link.state());
        let called = timeout(PATIENCE, requester.ask(request, None)).await;
        match called.expect("a call must not hang") {
            Ok(ServerResult::CallToolResult(result)) => {
                let result = serde_json::to_value(result).unwrap();
                Ok(result["content"][0]["text"].as_str().unwrap_or("").to_owned())
            }
            Ok(other) => Err(format!("{other:?}")),
            Err(trouble) => Err(words(&self.link, trouble).await),
        }
    }

    pub(super) async fn echo(&self, text: &str) -> Result<String, String> {
        self.call("echo", json!({"text": text})).await
    }

    /// Ends the client as a connection does: the service first, then the link.
    pub(super) async fn end(mut self, grace: Duration) -> HttpLink {
        let _ = self.service.close().await;
        timeout(PATIENCE, self.link.end(grace)).await.expect("an end must not hang");
        self.link
    }
}

async fn words(link: &HttpLink, trouble: Trouble) -> String {
    match trouble {
        Trouble::Gone | Trouble::NotSent => format!("gone: {}", link.state().settled_fault().await),
        Trouble::Failed(fault) => fault.to_string(),
        Trouble::Refused { code, message, .. } => format!("refused: {message} ({code})"),
        Trouble::Unexpected(what) => format!("unexpected: {what}"),
    }
}

/// Checks that nothing remains of a link: no connection, no task.
pub(super) async fn nothing_left(server: &Server) {
    until("a connection is left", || server.open() == 0).await;
    until("a task is left", || Handle::current().metrics().num_alive_tasks() == 0).await;
}
