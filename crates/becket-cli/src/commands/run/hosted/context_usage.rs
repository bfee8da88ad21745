//! `get_context_usage`: how full the model's window is, in the format of the SDKs.

use super::super::session::Session;
use becket_agent::ContextUse;
use serde_json::{Value, json};

/// The prefix of the names of MCP tools.
const OF_SERVERS: &str = "mcp__";

/// Returns the answer. All numbers except the total are estimates, whatever detail was requested.
pub(super) fn usage(session: &Session) -> Value {
    let (info, context) = (session.agent.info(), session.agent.context());
    let ContextUse { total, window, compacts_at, system, tools, messages } = context;
    let (of_servers, own): (Vec<_>, Vec<_>) =
        tools.into_iter().partition(|(name, _)| name.starts_with(OF_SERVERS));
    let sum = |tools: &[(String, u64)]| tools.iter().map(|(_, tokens)| tokens).sum::<u64>();
    let row = |id: &str, name: &str, tokens: u64, kind: &str| json!({"id": id, "name": name, "tokens": tokens, "color": "", "kind": kind});
    let reserve = window - compacts_at;
    json!({
        "categories": [
            row("system_prompt", "System prompt", system, "used"),
            row("system_tools", "System tools", sum(&own), "used"),
            row("mcp_tools", "MCP tools", sum(&of_servers), "used"),
            row("messages", "Messages", messages, "used"),
            row("autocompact_buffer", "Autocompact buffer", reserve, "buffer"),
            row("free_space", "Free space", window.saturating_sub(total).saturating_sub(reserve), "free"),
        ],
        "totalTokens": total,
        "maxTokens": window,
        "rawMaxTokens": window,
        "percentage": (total.saturating_mul(100)) / window.max(1),
        "gridRows": [],
        "model": info.model,
        "memoryFiles": [],
        "mcpTools": of_servers.iter().map(|(name, tokens)| json!({
            "name": name, "serverName": server_of(name), "tokens": tokens, "isLoaded": true,
        })).collect::<Vec<_>>(),
        "systemTools": own.iter().map(|(name, tokens)| json!({"name": name, "tokens": tokens})).collect::<Vec<_>>(),
        "agents": [],
        "autoCompactThreshold": compacts_at,
        "isAutoCompactEnabled": true,
        "apiUsage": null,
    })
}

/// Returns the server in `mcp__server__tool`.
fn server_of(tool: &str) -> &str {
    let rest = tool.strip_prefix(OF_SERVERS).unwrap_or(tool);
    rest.split_once("__").map_or(rest, |(server, _)| server)
}
