//! The answers of a server, independent of the transport.

use std::sync::{Mutex, PoisonError};

use serde_json::{Value, json};

/// The next action of a server.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::connection) enum Act {
    /// Sends a message.
    Say(Value),
    /// Sends an invalid message.
    Text(String),
    /// Disconnects.
    Vanish,
}

/// A server that records the messages it received.
#[derive(Debug, Default)]
pub(in crate::connection) struct Brain(Mutex<Vec<Value>>);

impl Brain {
    /// Handles a message.
    pub(in crate::connection) fn hear(&self, message: Value) -> Vec<Act> {
        let acts = match (message.get("id"), message["method"].as_str()) {
            (Some(id), Some(method)) => answers(id, method, &message["params"]),
            (Some(_) | None, Some(_) | None) => Vec::new(),
        };
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(message);
        acts
    }

    /// Returns all received messages.
    pub(in crate::connection) fn heard(&self) -> Vec<Value> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Returns the number of received messages with this method.
    pub(in crate::connection) fn count(&self, method: &str) -> usize {
        self.heard().iter().filter(|message| message["method"] == method).count()
    }
}

fn answers(id: &Value, method: &str, params: &Value) -> Vec<Act> {
    let result = |result: Value| Act::Say(json!({"jsonrpc": "2.0", "id": id, "result": result}));
    match method {
        "initialize" => vec![result(json!({
            "protocolVersion": "2025-11-25",
            "capabilities": {"tools": {"listChanged": true}},
            "serverInfo": {"name": "trial", "version": "1"},
        }))],
        "tools/list" => vec![result(json!({"tools": [{"name": "echo", "inputSchema": {"type": "object"}}]}))],
        "tools/call" => call(id, params),
        _ => vec![Act::Say(error(Some(id), "not known here"))],
    }
}

fn call(id: &Value, params: &Value) -> Vec<Act> {
    let reply = |text: &str| {
        let result = json!({"content": [{"type": "text", "text": text}]});
        Act::Say(json!({"jsonrpc": "2.0", "id": id, "result": result}))
    };
    let notice = |method: &str, params: Value| {
        Act::Say(json!({"jsonrpc": "2.0", "method": format!("notifications/{method}"), "params": params}))
    };
    let arguments = &params["arguments"];
    match params["name"].as_str().unwrap() {
        "echo" => vec![reply(arguments["text"].as_str().unwrap())],
        "progress" => {
            let token = &params["_meta"]["progressToken"];
            let step =
                |done: u32| notice("progress", json!({"progressToken": token, "progress": done, "total": 2}));
            vec![step(1), step(2), reply("done")]
        }
        "change" => vec![notice("tools/list_changed", json!({})), reply("done")],
        "ask" => vec![Act::Say(json!({"jsonrpc": "2.0", "id": "q1", "method": "ping"})), reply("done")],
        "hang" => Vec::new(),
        "vanish" => vec![Act::Vanish],
        "large" => vec![reply(&"x".repeat(usize::try_from(arguments["bytes"].as_u64().unwrap()).unwrap()))],
        "noise" => vec![Act::Text("listening on port 8".into()), reply("done")],
        "unreadable" => vec![Act::Text(json!({"jsonrpc": "2.0", "id": id, "error": "no"}).to_string())],
        "nameless" => vec![Act::Say(error(None, "which request was that?"))],
        other => panic!("there is no tool `{other}`"),
    }
}

fn error(id: Option<&Value>, message: &str) -> Value {
    let mut error = json!({"jsonrpc": "2.0", "error": {"code": -32000, "message": message}});
    if let Some(id) = id {
        error["id"] = id.clone();
    }
    error
}
