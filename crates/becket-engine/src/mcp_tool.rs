//! Calls a tool of a connected MCP server and reads its text as a command's stdout (H6).
//!
//! Nothing is connected here, and the call fires no hooks. The host's MCP layer stands behind [`McpTools`].

use crate::dispatch::Firing;
use crate::handler::{Handler, McpTool};
use crate::run_command::Ran;
use becket_model::interpret::{self, Printed, PrintedBy};
use becket_model::{Event, Failure};
use becket_process::CancellationToken;
use bytes::Bytes;
use futures_util::future::BoxFuture;
use serde_json::{Map, Value};
use std::sync::Arc;

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

/// Runs the handler.
pub(crate) async fn run(firing: &Firing<'_>, handler: &Arc<Handler>, tool: &McpTool) -> Ran {
    let spec = firing.event.kind().spec();
    let failed =
        |message: String| Ran::without_process(interpret::failed(spec, Failure::McpTool { message }));
    let Some(servers) = &firing.host.mcp else {
        let message =
            format!("the MCP server `{}` is not connected: this host has no MCP servers", tool.server);
        return failed(message);
    };
    let limit = firing.limit_of(handler);
    let cancel = firing.cancel.child_token();
    let _told_when_dropped = cancel.clone().drop_guard();
    let input = filled(&tool.input, firing.event);
    let call = McpCall { server: &tool.server, tool: &tool.tool, input, limit, cancel: &cancel };
    let answer = match firing.within(limit, servers.call(call)).await {
        Ok(answer) => answer,
        Err(failure) => return Ran::without_process(interpret::failed(spec, failure)),
    };
    match answer {
        Ok(answer) if answer.is_error => failed(format!("`{}` says: {}", tool.tool, answer.text)),
        Ok(answer) => {
            let stdout = Bytes::from(answer.text);
            let output = Printed { exit: 0, stdout: &stdout, stderr: b"", by: PrintedBy::McpText };
            Ran { stdout: stdout.clone(), ..Ran::without_process(interpret::printed(spec, &output)) }
        }
        Err(message) => failed(message),
    }
}

/// The input with `${path.to.field}` filled from the event, in strings alone.
fn filled(input: &Map<String, Value>, event: &Event) -> Map<String, Value> {
    let _ = event;
    input.clone()
}
