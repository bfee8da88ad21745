//! The names of tools of MCP servers: `mcp__server__tool` in the protocol.

use super::Facts;
use crate::McpNames;
use serde_json::{Map, Value};

/// Returns the protocol's name of an MCP tool; `None` if the name is not that of one.
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
            let (server, tool) = named.or_else(|| name.strip_prefix("mcp_")?.split_once('_'))?;
            Some(joined(server, tool))
        }
        McpNames::Hyphen => {
            let (server, tool) = configured(name, &['-', '/'], facts)
                .or_else(|| name.split_once('/'))
                .or_else(|| name.rsplit_once('-'))?;
            Some(joined(server, tool))
        }
        // A single underscore is part of many names: only a configured server counts.
        McpNames::Underscore => configured(name, &['_'], facts).map(|(server, tool)| joined(server, tool)),
    }
}

/// Splits a name after the longest configured server that it begins with.
fn configured<'n>(name: &'n str, separators: &[char], facts: &Facts<'_>) -> Option<(&'n str, &'n str)> {
    let split = |server: &String| {
        let rest = name.strip_prefix(server.as_str())?;
        let tool = rest.strip_prefix(separators).filter(|tool| !tool.is_empty())?;
        Some((&name[..server.len()], tool))
    };
    facts.mcp_servers.iter().filter_map(split).max_by_key(|(server, _)| server.len())
}

/// The characters of names in the protocol (X5).
fn escaped(part: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    part.chars().map(|c| if is_plain(c) { c } else { '_' }).collect()
}
