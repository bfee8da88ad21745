//! What callers say: a call of a tool, the use of a prompt.

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
    /// The longest the call may take, from now on; the `timeout` of the server counts where it is shorter. It stands still
    /// while the server waits for an answer of the user.
    pub limit: Duration,
    /// What happens if the server is not connected.
    pub connect: Connect,
}

/// The use of a prompt.
#[derive(Debug, Clone)]
pub struct PromptCall<'a> {
    /// The name of the prompt on the server.
    pub name: &'a str,
    /// What it wants to know.
    pub arguments: Map<String, Value>,
    /// The longest it may take, as for a [`ToolCall`].
    pub limit: Duration,
}

/// What happens if a server is needed that is not connected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Connect {
    /// It is connected first, within the limit of the call.
    IfNeeded,
    /// The call fails: hooks never connect (`protocol.md` H6). A session that has expired is begun anew all the same.
    Never,
}
