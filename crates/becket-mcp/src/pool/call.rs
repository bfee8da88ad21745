//! Requests of callers: a tool call, the use of a prompt.

use std::time::Duration;

use serde_json::{Map, Value};

/// A call of a tool.
#[derive(Debug, Clone)]
pub struct ToolCall<'a> {
    /// The name of the server in the configuration.
    pub server: &'a str,
    /// The name of the tool on the server.
    pub tool: &'a str,
    /// The input of the tool.
    pub input: Map<String, Value>,
    /// The time limit on the call, from now on; the `timeout` of the server counts if it is shorter. It pauses while
    /// the server waits for an answer of the user.
    pub limit: Duration,
    /// The behaviour if the server is not connected.
    pub connect: Connect,
}

/// The use of a prompt.
#[derive(Debug, Clone)]
pub struct PromptCall<'a> {
    /// The name of the prompt on the server.
    pub name: &'a str,
    /// The arguments of the prompt.
    pub arguments: Map<String, Value>,
    /// The time limit, as for a [`ToolCall`].
    pub limit: Duration,
}

/// The behaviour if a server is not connected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Connect {
    /// Connects the server first, within the limit of the call.
    IfNeeded,
    /// Fails the call: hooks never connect (`protocol.md` H6). A session that has expired is replaced anyway.
    Never,
}
