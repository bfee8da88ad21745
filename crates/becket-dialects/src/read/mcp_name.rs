//! The names of tools of MCP servers: `mcp__server__tool` in the protocol.

use super::Facts;
use crate::McpNames;
use serde_json::{Map, Value};

/// Returns the protocol's name of an MCP tool; `None` for the name of any other tool.
pub(super) fn read(
    names: McpNames,
    name: &str,
    fields: &Map<String, Value>,
    facts: &Facts<'_>,
) -> Option<String> {
    let joined = |server: &str, tool: &str| format!("mcp__{}__{}", escaped(server), escaped(tool));
    if name.starts_with("mcp__") && name.get(5..)?.contains("__") {
        return Some(name.to_owned());
    }
    match names {
        McpNames::Protocol | McpNames::None => None,
        McpNames::Gemini => {
            let context = |key: &str| fields.get("mcp_context")?.get(key)?.as_str();
            let named = context("server_name").zip(context("tool_name"));
            let (server, tool) = named.or_else(|| configured(name.strip_prefix("mcp_")?, &["_"], facts))?;
            Some(joined(server, tool))
        }
        // A hyphen or an underscore is part of many names: only a configured server counts.
        McpNames::Hyphen => configured(name, &["-", "/"], facts).map(|(server, tool)| joined(server, tool)),
        McpNames::Underscore => {
            configured(name, &["__", "_"], facts).map(|(server, tool)| joined(server, tool))
        }
    }
}

/// Splits a name after the longest configured server that it begins with, as it is or with plain characters alone.
fn configured<'n>(name: &'n str, separators: &[&str], facts: &Facts<'_>) -> Option<(&'n str, &'n str)> {
    let split = |server: String| {
        let rest = name.strip_prefix(server.as_str())?;
        let tool = separators.iter().find_map(|separator| rest.strip_prefix(*separator))?;
        (!tool.is_empty()).then(|| (&name[..server.len()], tool))
    };
    let servers = facts.mcp_servers.iter().filter(|server| !server.is_empty());
    let spelled = servers.flat_map(|server| [server.clone(), escaped(server)]);
    spelled.filter_map(split).max_by_key(|(server, _)| server.len())
}

/// Replaces the characters that names in the protocol can't have (X5).
fn escaped(part: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    part.chars().map(|c| if is_plain(c) { c } else { '_' }).collect()
}
