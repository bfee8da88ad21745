//! A server in this process that follows the script of a test, and records its messages.

use becket_testkit::wait::eventually;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use becket_mcp::config::{ConfiguredServer, ServerConfig, Transport};
use becket_mcp::{Host, InProcessServer, Options, Pool, ServerEnd, ServerSender};
use serde_json::{Value, json};

/// A message of the client, and a way to reply.
pub(crate) struct ReceivedMessage {
    pub(crate) message: Value,
    pub(crate) sender: ServerSender,
    /// The number of the connection, starting from 1.
    pub(crate) connection: usize,
}

type Rule = Box<dyn Fn(&ReceivedMessage) -> Then + Send + Sync>;

/// The reaction to a message.
pub(crate) enum Then {
    /// Reacts as usual.
    Usual,
    /// Returns this result.
    Result(Value),
    /// Returns this error.
    Error(Value),
    /// Reacts as usual, after a while.
    Later(Duration),
    /// Does nothing.
    Silence,
    /// Breaks the connection.
    Break,
}

/// A server.
pub(crate) struct ScriptedServer {
    rule: Rule,
    capabilities: Value,
    connections: AtomicUsize,
    got: Mutex<Vec<Value>>,
}

impl ScriptedServer {
    /// Creates a server with the tools `echo` and `other` that deviates from good behaviour as `rule` defines.
    pub(crate) fn new(rule: impl Fn(&ReceivedMessage) -> Then + Send + Sync + 'static) -> Arc<Self> {
        let capabilities = json!({
            "tools": {"listChanged": true}, "resources": {"listChanged": true}, "prompts": {"listChanged": true},
        });
        let (connections, got) = (AtomicUsize::new(0), Mutex::default());
        Arc::new(Self { rule: Box::new(rule), capabilities, connections, got })
    }

    /// Creates a server whose rule depends on the called tool.
    pub(crate) fn tool(rule: impl Fn(&str, &ReceivedMessage) -> Then + Send + Sync + 'static) -> Arc<Self> {
        Self::new(move |seen| match seen.message["method"].as_str() {
            Some("tools/call") => rule(seen.message["params"]["name"].as_str().unwrap(), seen),
            _ => Then::Usual,
        })
    }

    /// Applies the rule of this server, for a server that is built from another one.
    pub(crate) fn act(&self, seen: &ReceivedMessage) -> Then {
        (self.rule)(seen)
    }

    /// Returns the number of connections so far.
    pub(crate) fn connections(&self) -> usize {
        self.connections.load(Ordering::Acquire)
    }

    /// Returns the messages so far.
    pub(crate) fn got(&self) -> Vec<Value> {
        self.got.lock().unwrap().clone()
    }

    /// Returns the number of calls of a method.
    pub(crate) fn count(&self, method: &str) -> usize {
        self.got.lock().unwrap().iter().filter(|message| message["method"] == method).count()
    }

    /// Waits for a message.
    pub(crate) async fn wait_for(&self, what: &str, is_it: impl Fn(&Value) -> bool) -> Value {
        eventually(what, async || self.got().into_iter().find(|message| is_it(message))).await
    }

    /// Waits for a call of a method.
    pub(crate) async fn wait_for_method(&self, method: &str) -> Value {
        self.wait_for(method, |message| message["method"] == method).await
    }

    /// Returns a pool with this server, named `it`.
    pub(crate) fn pool(self: &Arc<Self>, options: Options, host: Arc<dyn Host>) -> Pool {
        pool(&[("it", self)], options, host)
    }

    fn usual(&self, seen: &ReceivedMessage) -> Then {
        let params = &seen.message["params"];
        match seen.message["method"].as_str() {
            Some("initialize") => Then::Result(json!({
                "protocolVersion": params["protocolVersion"], "capabilities": self.capabilities,
                "serverInfo": {"name": "scripted", "version": "1"},
            })),
            Some("tools/list") => Then::Result(json!({"tools": tools(&["echo", "other"])})),
            Some("tools/call") => Then::Result(said(&params["arguments"].to_string())),
            Some(_) | None => Then::Error(json!({"code": -32601, "message": "no such method"})),
        }
    }

    async fn serve(&self, mut end: ServerEnd, connection: usize) {
        let sender = end.sender().clone();
        while let Some(message) = end.receive().await {
            self.got.lock().unwrap().push(message.clone());
            let seen = ReceivedMessage { message, sender: sender.clone(), connection };
            let mut then = (self.rule)(&seen);
            if let Then::Later(time) = then {
                tokio::time::sleep(time).await;
                then = Then::Usual;
            }
            if let Then::Usual = then {
                if seen.message.get("id").is_none() || seen.message.get("method").is_none() {
                    continue;
                }
                then = self.usual(&seen);
            }
            let id = &seen.message["id"];
            let answer = match then {
                Then::Result(result) => json!({"jsonrpc": "2.0", "id": id, "result": result}),
                Then::Error(error) => json!({"jsonrpc": "2.0", "id": id, "error": error}),
                Then::Usual | Then::Later(_) | Then::Silence => continue,
                Then::Break => return,
            };
            if sender.send(answer).await.is_err() {
                return;
            }
        }
    }
}

/// A server of a test, passed to the pool as one of the host's.
pub(crate) struct SharedServer(pub(crate) Arc<ScriptedServer>);

impl InProcessServer for SharedServer {
    fn connect(&self, end: ServerEnd) {
        let server = Arc::clone(&self.0);
        let connection = server.connections.fetch_add(1, Ordering::AcqRel) + 1;
        tokio::spawn(async move { server.serve(end, connection).await });
    }
}

/// Returns a pool with these servers, for a host.
pub(crate) fn pool(
    servers: &[(&str, &Arc<ScriptedServer>)],
    mut options: Options,
    host: Arc<dyn Host>,
) -> Pool {
    let lend = |(name, server): &(&str, &Arc<ScriptedServer>)| {
        let lent: Arc<dyn InProcessServer> = Arc::new(SharedServer(Arc::clone(server)));
        ((*name).to_owned(), lent)
    };
    options.in_process = servers.iter().map(lend).collect();
    let pool = Pool::new(options, host);
    pool.configure(servers.iter().map(|(name, _)| in_process(name)).collect());
    pool
}

/// Returns the configuration of a server in this process.
pub(crate) fn in_process(name: &str) -> ConfiguredServer {
    ConfiguredServer::of_host(name, ServerConfig { transport: Transport::InProcess, timeout: None })
}

/// Returns empty options.
pub(crate) fn options() -> Options {
    Options::new(Vec::new(), "/")
}

/// Returns a text as the result of a call.
pub(crate) fn said(text: &str) -> Value {
    json!({"content": [{"type": "text", "text": text}]})
}

/// Returns tools in the form of a list.
pub(crate) fn tools(names: &[&str]) -> Value {
    names.iter().map(|name| json!({"name": name, "inputSchema": {"type": "object"}})).collect()
}

/// Sends unsolicited messages, whenever there is room.
pub(crate) fn send(sender: &ServerSender, message: Value) {
    let sender = sender.clone();
    tokio::spawn(async move { sender.send(message).await });
}
