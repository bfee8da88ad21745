//! The MCP servers that the host is connected to, as handlers call them (H6).

use becket_process::CancellationToken;
use futures_util::future::BoxFuture;
use serde_json::{Map, Value};

/// The MCP servers that the host is connected to. Not a [`crate::ToolSet`]: a handler names a server and one of its
/// tools, of all connected servers, including those whose tools no model is offered, and no hook or rule sees its call.
pub trait McpTools: Send + Sync {
    /// Calls a tool. The engine drops the future at the handler's limit and cancels `call.cancel` when the event is
    /// cancelled; the server has to be notified in both cases.
    ///
    /// # Errors
    ///
    /// Errors if the server or tool does not exist or is not connected, or if the call failed; the message names what
    /// exists.
    fn call<'a>(&'a self, call: McpCall<'a>) -> BoxFuture<'a, Result<McpAnswer, String>>;
}

/// One call of a tool.
#[derive(Debug)]
pub struct McpCall<'a> {
    /// The server's name.
    pub server: &'a str,
    /// The tool's name on the server.
    pub tool: &'a str,
    /// Its input.
    pub input: Map<String, Value>,
    /// The time that the call may take.
    pub limit: std::time::Duration,
    /// Cancelled when the answer is no longer needed.
    pub cancel: &'a CancellationToken,
}

/// The answer of a tool.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct McpAnswer {
    /// Its text blocks, joined by newlines.
    pub text: String,
    /// Set if the tool reports that it failed.
    pub is_error: bool,
}

impl McpAnswer {
    /// Returns an answer; `is_error` if the tool reports that it failed.
    pub fn new(text: impl Into<String>, is_error: bool) -> Self {
        McpAnswer { text: text.into(), is_error }
    }
}
