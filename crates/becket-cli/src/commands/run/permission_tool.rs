//! A tool of an MCP server as the user of a session (`--permission-prompt-tool mcp__SERVER__TOOL`).
//!
//! INVARIANT: only a fully valid answer is a yes: an error of the server, text that is not JSON, and an answer that
//! repeats a decision deny the call.

use super::control::read_permission;
use super::options::server_tool;
use crate::peer::{Answer, NoAnswer};
use becket_agent::tool_call::{AskPermission, PermissionAnswer, PermissionPrompt};
use becket_engine::CancellationToken;
use becket_mcp::{Connect, Pool, ToolCall};
use becket_model::interpret::parse_message;
use futures_util::future::BoxFuture;
use serde_json::{Value, json};
use std::time::Duration;

/// The limit on an answer: a user may take their time. It ends with the call that needs it.
const LIMIT: Duration = Duration::from_secs(24 * 60 * 60);

/// A tool that decides permissions.
pub(super) struct PermissionTool {
    pool: Pool,
    server: String,
    tool: String,
}

impl PermissionTool {
    /// Returns the tool with that name.
    ///
    /// # Errors
    /// Errors if it can't be a tool of any of the session's servers.
    pub(super) fn new(given: &str, pool: Option<&Pool>) -> Result<Self, String> {
        let (server, tool) =
            server_tool(given).ok_or_else(|| format!("`{given}` is not the name of an MCP tool"))?;
        let pool = pool.ok_or_else(|| format!("there are no MCP servers, so none has the tool `{given}`"))?;
        let known: Vec<String> = pool.servers().into_iter().map(|view| view.name).collect();
        if !known.iter().any(|name| name == server) {
            return Err(format!("there is no MCP server `{server}`, only `{}`", known.join("`, `")));
        }
        Ok(PermissionTool { pool: pool.clone(), server: server.to_owned(), tool: tool.to_owned() })
    }

    async fn answer(&self, prompt: &PermissionPrompt, cancel: &CancellationToken) -> Result<Answer, String> {
        let fields =
            json!({"tool_name": prompt.tool, "input": prompt.input, "tool_use_id": prompt.tool_use_id});
        let Value::Object(input) = fields else { return Err("it can't be asked".to_owned()) };
        let (server, tool) = (self.server.as_str(), self.tool.as_str());
        let call = ToolCall { server, tool, input, limit: LIMIT, connect: Connect::IfNeeded };
        let answer = self.pool.call(call, cancel).await.map_err(|error| error.to_string())?;
        let text = answer.text();
        match answer.is_error {
            true => Err(text),
            false => read(&text).map_err(|error| format!("its answer is not JSON: {error}")),
        }
    }
}

/// Reads an answer. A repeated decision is an error of the peer (O1).
fn read(text: &str) -> Result<Answer, serde_json::Error> {
    // A text that is another kind of JSON has its own message.
    let Ok((answer, keys)) = parse_message(text, &[]) else { return serde_json::from_str(text).map(Ok) };
    let answer = Value::Object(answer);
    Ok(if keys.is_empty() { Ok(answer) } else { Err(NoAnswer::Repeated { answer, keys }) })
}

impl AskPermission for PermissionTool {
    fn ask<'a>(
        &'a self,
        prompt: &'a PermissionPrompt,
        cancel: &'a CancellationToken,
    ) -> BoxFuture<'a, PermissionAnswer> {
        Box::pin(async move {
            match self.answer(prompt, cancel).await {
                Ok(answer) => read_permission(prompt, answer),
                Err(why) => {
                    let message =
                        format!("the tool `mcp__{}__{}` gave no permission: {why}", self.server, self.tool);
                    PermissionAnswer::Deny { message: Some(message), interrupt: false }
                }
            }
        })
    }
}
