//! A client over any link, which uses nothing of this crate above the link.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use becket_testkit::proc::PATIENCE;
pub(in crate::connection) use becket_testkit::wait::until as eventually;
use rmcp::model::{
    CallToolRequest, CallToolRequestParams, ClientRequest, ProgressNotificationParam, ServerResult,
};
use rmcp::service::{
    ClientInitializeError, ClientLifecycleMode, ClientServiceExt, NotificationContext, PeerRequestOptions,
    RequestHandle, RunningService, ServiceError,
};
use rmcp::{ClientHandler, RoleClient};
use serde_json::{Value, json};
use tokio::time::timeout;

use crate::connection::link::{Link, NotSent};

/// A recorder of unsolicited messages to the client.
#[derive(Debug, Clone, Default)]
struct Ears(Arc<Mutex<Vec<String>>>);

impl Ears {
    fn note(&self, what: String) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(what);
    }
}

impl ClientHandler for Ears {
    async fn on_progress(&self, progress: ProgressNotificationParam, _: NotificationContext<RoleClient>) {
        self.note(format!("progress {}", progress.progress));
    }

    async fn on_tool_list_changed(&self, _: NotificationContext<RoleClient>) {
        self.note("tools changed".into());
    }
}

/// A client that is connected over a link.
pub(in crate::connection) struct Trial<L> {
    pub(in crate::connection) link: L,
    service: RunningService<RoleClient, Ears>,
    ears: Ears,
}

impl<L: Link> Trial<L> {
    /// Connects, or returns the error for the user.
    pub(in crate::connection) async fn connect(link: L) -> Result<Self, String> {
        let ears = Ears::default();
        let wire = link.wire().await.map_err(|fault| fault.to_string())?;
        let greeting = ears.clone().serve_with_lifecycle(wire, ClientLifecycleMode::Initialize);
        let service = match timeout(PATIENCE, greeting).await.unwrap() {
            Ok(service) => service,
            Err(ClientInitializeError::TransportError { error, .. }) => match NotSent::within(&error) {
                Some(fault) => return Err(fault.to_string()),
                None => return Err(link.state().settled_fault().await.to_string()),
            },
            Err(ClientInitializeError::ConnectionClosed(_)) => {
                return Err(link.state().settled_fault().await.to_string());
            }
            Err(other) => return Err(other.to_string()),
        };
        Ok(Self { link, service, ears })
    }

    /// Calls a tool; the handle returns the answer.
    pub(in crate::connection) async fn ask(&self, tool: &str, arguments: Value) -> RequestHandle<RoleClient> {
        self.try_ask(tool, arguments).await.unwrap()
    }

    async fn try_ask(&self, tool: &str, arguments: Value) -> Result<RequestHandle<RoleClient>, ServiceError> {
        let Value::Object(arguments) = arguments else { panic!("{arguments} is not an object") };
        let params = CallToolRequestParams::new(tool.to_owned()).with_arguments(arguments);
        let request = ClientRequest::CallToolRequest(CallToolRequest::new(params));
        let options = PeerRequestOptions::no_options();
        self.service.peer().send_request_with_option(request, options).await
    }

    /// Returns the text of a tool's answer, or the error for the user.
    pub(in crate::connection) async fn call(&self, tool: &str, arguments: Value) -> Result<String, String> {
        let answer = async {
            self.try_ask(tool, arguments).await?.rx.await.unwrap_or(Err(ServiceError::TransportClosed))
        };
        match timeout(PATIENCE, answer).await.expect("no call hangs") {
            Ok(ServerResult::CallToolResult(result)) => {
                Ok(serde_json::to_value(&result.content).unwrap()[0]["text"].as_str().unwrap().to_owned())
            }
            Ok(other) => panic!("{other:?}"),
            Err(ServiceError::McpError(error)) => Err(error.message.into_owned()),
            Err(ServiceError::TransportSend(error)) => match NotSent::within(&error) {
                Some(fault) => Err(fault.to_string()),
                None => Err(self.link.state().settled_fault().await.to_string()),
            },
            Err(ServiceError::TransportClosed) => Err(self.link.state().settled_fault().await.to_string()),
            Err(other) => Err(other.to_string()),
        }
    }

    /// Returns whether the client can make calls.
    pub(in crate::connection) async fn works(&self) -> bool {
        self.call("echo", json!({"text": "a"})).await == Ok("a".into())
    }

    pub(in crate::connection) fn heard(&self) -> Vec<String> {
        self.ears.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Ends the client, then the link.
    pub(in crate::connection) async fn end(mut self, grace: Duration) -> L {
        let _ = self.service.close().await;
        self.link.end(grace).await;
        self.link
    }
}
