//! The MCP servers that the host is connected to, as handlers call them (H6).

use becket_process::CancellationToken;
use futures_util::future::BoxFuture;
use serde_json::{Map, Value};

/// The MCP servers that the host is connected to.
pub trait McpTools: Send + Sync {
    /// Calls a tool. The engine drops the future at the handler's limit and cancels `call.cancel` when the event is
    /// cancelled; the server has to be told in both cases.
    ///
    /// # Errors
    /// There is no such server or tool, it is not connected, or the call failed: in words, naming what there is.
    fn call<'a>(&'a self, call: McpCall<'a>) -> BoxFuture<'a, Result<McpAnswer, String>>;
}

/// One call of a tool.
#[derive(Debug)]
pub struct McpCall<'a> {
    /// The server's name.
    pub server: &'a str,
    /// The tool's name there.
    pub tool: &'a str,
    /// Its input.
    pub input: Map<String, Value>,
    /// How long the call may take.
    pub limit: std::time::Duration,
    /// Cancelled when nobody waits for the answer any more.
    pub cancel: &'a CancellationToken,
}

/// What a tool answered.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct McpAnswer {
    /// Its text blocks, joined by newlines.
    pub text: String,
    /// Whether the tool says that it failed.
    pub is_error: bool,
}
