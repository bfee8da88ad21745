//! MCP servers in the host's own process: their messages travel in `mcp_message` requests, both ways (`protocol.md` X1).
//!
//! INVARIANT: messages reach the host in the order in which they were sent; a request whose answer is no longer needed is
//! cancelled at the host.

use super::host::Host;
use super::initialize::Initialize;
use crate::peer::{Answer, PendingRequest};
use becket_mcp::config::{ConfiguredServer, Scope, ServerConfig, Transport};
use becket_mcp::{CancellationToken, InProcessServer, ServerEnd, ServerSender};
use becket_tools::discovery::HostServers;
use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;
use serde_json::{Value, json};
use std::collections::HashMap;
use std::sync::Arc;

/// The JSON-RPC code for a failure of the server itself.
const INTERNAL: i64 = -32603;
/// The notification with which a client cancels a request.
const CANCELLED: &str = "notifications/cancelled";

/// Returns the servers of the host: those that `initialize` names, which need no configuration, and those that the
/// command line assigns to the host. No file can name one.
pub(crate) fn host_servers(
    host: &Host,
    wants: Option<&Initialize>,
    configured: &[ConfiguredServer],
) -> HostServers {
    let named = wants.map(|wants| wants.servers.as_slice()).unwrap_or_default();
    let of_host = |(name, timeout): &(String, _)| {
        let config = ServerConfig { transport: Transport::InProcess, timeout: *timeout };
        ConfiguredServer::of_host(name.as_str(), config)
    };
    let servers: Vec<ConfiguredServer> = named.iter().map(of_host).collect();
    let is_hosts = |server: &&ConfiguredServer| {
        let is_in_process = matches!(&server.config, Ok(config) if config.transport == Transport::InProcess);
        server.scope == Scope::CommandLine && is_in_process
    };
    let all = servers.iter().chain(configured.iter().filter(is_hosts));
    let in_process = all.map(|server| server.name.to_string()).map(|name| (name.clone(), host.server(&name)));
    HostServers { in_process: in_process.collect(), servers }
}

impl Host {
    /// Returns a server of the host.
    pub(crate) fn server(&self, name: &str) -> Arc<dyn InProcessServer> {
        Arc::new(HostServer { host: self.clone(), name: name.to_owned() })
    }

    /// Delivers a message of a host's server to the client that is connected to it.
    ///
    /// # Errors
    /// Errors if the server is not connected.
    pub(crate) async fn server_says(&self, name: &str, message: Value) -> Result<(), String> {
        let sender = self.servers().get(name).map(|(_, sender)| sender.clone());
        let gone = || format!("the server `{name}` is not connected");
        sender.ok_or_else(gone)?.send(message).await.map_err(|_| gone())
    }
}

struct HostServer {
    host: Host,
    name: String,
}

impl InProcessServer for HostServer {
    fn connect(&self, end: ServerEnd) {
        let (host, name) = (self.host.clone(), self.name.clone());
        let number = host.connected(&name, end.sender().clone());
        tokio::spawn(async move {
            serve(&host, &name, end).await;
            host.disconnected(&name, number);
        });
    }
}

/// Forwards messages until the client disconnects; then the pending requests are cancelled.
async fn serve(host: &Host, name: &str, mut end: ServerEnd) {
    let sender = end.sender().clone();
    let mut under_way = FuturesUnordered::new();
    let mut cancels: HashMap<String, CancellationToken> = HashMap::new();
    loop {
        tokio::select! {
            message = end.receive() => {
                let Some(message) = message else { return };
                let given_up = given_up(&message).and_then(|id| cancels.remove(&id));
                let id = message.get("id").filter(|_| message.get("method").is_some()).cloned();
                let pending = host.ask(json!({"subtype": "mcp_message", "server_name": name, "message": message}));
                if let Some(cancel) = given_up {
                    cancel.cancel();
                }
                let cancel = CancellationToken::new();
                if let Some(id) = &id {
                    cancels.insert(id.to_string(), cancel.clone());
                }
                under_way.push(carried(pending, id, sender.clone(), cancel));
            }
            Some(done) = under_way.next(), if !under_way.is_empty() => {
                if let Some(id) = done {
                    cancels.remove(&Value::to_string(&id));
                }
            }
        }
    }
}

/// Returns the id of the request that a message cancels.
fn given_up(message: &Value) -> Option<String> {
    let is_one = message.get("method").and_then(Value::as_str) == Some(CANCELLED);
    message.get("params")?.get("requestId").filter(|_| is_one).map(ToString::to_string)
}

/// Waits for the host's answer and forwards it; returns the id of the request, if it was one.
async fn carried(
    pending: PendingRequest,
    id: Option<Value>,
    sender: ServerSender,
    cancel: CancellationToken,
) -> Option<Value> {
    let answer = tokio::select! {
        answer = pending => answer,
        () = cancel.cancelled() => return id,
    };
    // The host only acknowledges a notification or an answer; that needs no reply.
    let id = id?;
    // A disconnected client needs no answer.
    drop(sender.send(reply(&id, answer)).await);
    Some(id)
}

fn reply(id: &Value, answer: Answer) -> Value {
    let failed =
        |why: String| json!({"jsonrpc": "2.0", "id": id, "error": {"code": INTERNAL, "message": why}});
    let mut response = match answer {
        Ok(mut fields) => match fields.get_mut("mcp_response").map(Value::take) {
            Some(Value::Object(response)) => response,
            Some(_) | None => return failed("the host's answer has no `mcp_response`".to_owned()),
        },
        Err(error) => return failed(error.to_string()),
    };
    // Built anew: a client reads a message of another shape as no answer, and its call would wait until its limit.
    match (response.remove("result"), response.remove("error")) {
        (_, Some(error)) if is_error(&error) => json!({"jsonrpc": "2.0", "id": id, "error": error}),
        (_, Some(error)) => failed(format!("the host's `mcp_response` has an unreadable `error`: {error}")),
        (Some(Value::Object(result)), None) => json!({"jsonrpc": "2.0", "id": id, "result": result}),
        (Some(_), None) => failed("`result` of the host's `mcp_response` must be an object".to_owned()),
        (None, None) => failed("the host's `mcp_response` has neither a `result` nor an `error`".to_owned()),
    }
}

fn is_error(error: &Value) -> bool {
    error["code"].is_i64() && error["message"].is_string()
}
