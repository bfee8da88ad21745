//! An agent: the MCP client of `rmcp`, with the gateway as its server.

use super::servers;
use becket_testkit::env::{Run, TestEnv};
use becket_testkit::proc::{Marker, eventually};
use rmcp::model::{
    CallToolRequestParams, ClientCapabilities, ClientConfig, ClientRequest, ElicitRequestParams,
    ElicitResult, ElicitationAction, ElicitationCapability, FormElicitationCapability, Implementation,
    ProgressNotificationParam, ProtocolVersion,
};
use rmcp::service::{NotificationContext, PeerRequestOptions, RequestContext, RoleClient, RunningService};
use rmcp::{ClientHandler, ErrorData, ServiceError, ServiceExt};
use serde_json::{Value, json};
use std::os::fd::OwnedFd;
use std::process::{Child, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use tokio::net::unix::pipe::{Receiver, Sender};
use tokio::runtime::Runtime;

/// An agent with a gateway.
pub(super) struct Agent {
    runtime: Runtime,
    pub(super) heard: Heard,
    service: Option<RunningService<RoleClient, Heard>>,
    pub(super) gateway: Child,
    pub(super) marker: Marker,
}

/// The messages of the gateway other than results.
#[derive(Clone, Default)]
pub(super) struct Heard {
    pub(super) changes: Arc<AtomicUsize>,
    pub(super) progress: Arc<Mutex<Vec<ProgressNotificationParam>>>,
    pub(super) questions: Arc<Mutex<Vec<String>>>,
    /// The user's answer to forms; `None` if the agent shows none.
    answer: Option<bool>,
}

impl ClientHandler for Heard {
    fn get_info(&self) -> ClientConfig {
        let mut capabilities = ClientCapabilities::default();
        if self.answer.is_some() {
            let mut elicitation = ElicitationCapability::new();
            elicitation.form = Some(FormElicitationCapability::new());
            capabilities.elicitation = Some(elicitation);
        }
        ClientConfig::new(capabilities, Implementation::new("test-agent", "1"))
            .with_protocol_version(ProtocolVersion::LATEST_WITH_INITIALIZE)
    }

    async fn create_elicitation(
        &self,
        params: ElicitRequestParams,
        _: RequestContext<RoleClient>,
    ) -> Result<ElicitResult, ErrorData> {
        let ElicitRequestParams::FormElicitationParams { message, .. } = params else {
            return Ok(ElicitResult::new(ElicitationAction::Decline));
        };
        self.questions.lock().expect("a list").push(message);
        let mut result = ElicitResult::new(ElicitationAction::Accept);
        result.content = Some(json!({ "allow": self.answer }));
        Ok(result)
    }

    async fn on_progress(&self, told: ProgressNotificationParam, _: NotificationContext<RoleClient>) {
        self.progress.lock().expect("a list").push(told);
    }

    async fn on_tool_list_changed(&self, _: NotificationContext<RoleClient>) {
        self.changes.fetch_add(1, Ordering::SeqCst);
    }
}

/// A gateway that is not started yet.
pub(super) struct Gateway<'a> {
    env: &'a TestEnv,
    servers: Value,
    arguments: Vec<String>,
    answer: Option<bool>,
    by_config: bool,
}

impl<'a> Gateway<'a> {
    /// Prepares the gateway of a project, with the usual servers.
    pub(super) fn of(env: &'a TestEnv) -> Self {
        let servers = servers(env, &[]);
        Gateway { env, servers, arguments: Vec::new(), answer: None, by_config: true }
    }

    pub(super) fn servers(mut self, servers: Value) -> Self {
        self.servers = servers;
        self
    }

    /// Uses only the servers of the project.
    pub(super) fn without_servers(mut self) -> Self {
        self.by_config = false;
        self
    }

    pub(super) fn arguments(mut self, arguments: &[&str]) -> Self {
        self.arguments = arguments.iter().map(|argument| (*argument).to_owned()).collect();
        self
    }

    /// Makes the agent show forms, which its user answers this way.
    pub(super) fn answering(mut self, answer: bool) -> Self {
        self.answer = Some(answer);
        self
    }

    /// Returns the prepared run.
    pub(super) fn prepared(&self) -> Run {
        let config = json!({ "mcpServers": self.servers }).to_string();
        let mut all = vec!["mcp"];
        if self.by_config {
            all.extend(["--mcp-config", &config]);
        }
        all.push("gateway");
        all.extend(self.arguments.iter().map(String::as_str));
        self.env.becket(all).env("MCP_TIMEOUT", "20000")
    }

    /// Starts the gateway, and connects the agent.
    pub(super) fn start(self) -> Agent {
        let marker = Marker::new();
        let (name, value) = marker.env();
        let mut command = self.prepared().env(&name, &value).into_command();
        let log = std::fs::File::create(self.env.root().join("stderr")).expect("a log");
        let mut gateway =
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(log).spawn().expect("it starts");
        let stdin = OwnedFd::from(gateway.stdin.take().expect("piped"));
        let stdout = OwnedFd::from(gateway.stdout.take().expect("piped"));
        let runtime = Runtime::new().expect("a runtime");
        let heard = Heard { answer: self.answer, ..Heard::default() };
        let service = runtime.block_on(async {
            let to = Sender::from_owned_fd(stdin).expect("a pipe");
            let from = Receiver::from_owned_fd(stdout).expect("a pipe");
            heard.clone().serve((from, to)).await.expect("a handshake")
        });
        Agent { runtime, heard, service: Some(service), gateway, marker }
    }
}

impl Agent {
    fn service(&self) -> &RunningService<RoleClient, Heard> {
        self.service.as_ref().expect("it is connected")
    }

    /// Returns the offered tools, unchanged.
    pub(super) fn tools(&self) -> Vec<Value> {
        let tools = self.runtime.block_on(self.service().peer().list_all_tools()).expect("a list");
        tools.iter().map(|tool| serde_json::to_value(tool).expect("JSON")).collect()
    }

    pub(super) fn names(&self) -> Vec<String> {
        self.tools().iter().map(|tool| tool["name"].as_str().expect("a name").to_owned()).collect()
    }

    /// Calls a tool, and returns its result unchanged.
    pub(super) fn call(&self, tool: &str, input: &Value) -> Value {
        self.try_call(tool, input).expect("a result")
    }

    /// Calls a tool.
    ///
    /// # Errors
    /// Errors if the call is answered with an error of the protocol.
    pub(super) fn try_call(&self, tool: &str, input: &Value) -> Result<Value, ServiceError> {
        let result = self.runtime.block_on(self.service().peer().call_tool(params(tool, input)))?;
        Ok(serde_json::to_value(result).expect("JSON"))
    }

    /// Sends a call, and cancels it once `condition` holds.
    pub(super) fn cancelled_call(&self, tool: &str, condition: impl FnMut() -> bool) {
        let mut condition = condition;
        self.runtime.block_on(async {
            let request =
                ClientRequest::CallToolRequest(rmcp::model::CallToolRequest::new(params(tool, &json!({}))));
            let peer = self.service().peer();
            let sent =
                peer.send_cancellable_request(request, PeerRequestOptions::no_options()).await.expect("sent");
            eventually("the call to be made", || condition().then_some(()));
            sent.cancel(Some("enough".to_owned())).await.expect("cancelled");
        });
    }

    /// Sends a call without waiting for its answer.
    pub(super) fn send_call(&self, tool: &str) {
        self.send_call_with(tool, &json!({}));
    }

    /// Sends a call with an input, without waiting for its answer.
    pub(super) fn send_call_with(&self, tool: &str, input: &Value) {
        let peer = self.service().peer().clone();
        let params = params(tool, input);
        self.runtime.spawn(async move { drop(peer.call_tool(params).await) });
    }

    /// Closes the gateway's stdin and stdout; returns its exit code.
    pub(super) fn leave(&mut self) -> Option<i32> {
        if let Some(mut service) = self.service.take() {
            self.runtime.block_on(async { drop(service.close().await) });
        }
        let status = eventually("the gateway to exit", || self.gateway.try_wait().expect("a status"));
        status.code()
    }
}

impl Drop for Agent {
    fn drop(&mut self) {
        // A failed test must not leave the gateway running.
        let _ = self.gateway.kill();
        let _ = self.gateway.wait();
    }
}

fn params(tool: &str, input: &Value) -> CallToolRequestParams {
    let mut params = CallToolRequestParams::new(tool.to_owned());
    params.arguments = input.as_object().cloned();
    params
}

/// Returns the texts of a result.
pub(super) fn texts(result: &Value) -> Vec<&str> {
    result["content"].as_array().into_iter().flatten().filter_map(|block| block["text"].as_str()).collect()
}
