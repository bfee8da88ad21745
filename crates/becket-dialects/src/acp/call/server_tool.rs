//! The tools of MCP servers, and the names that agents give to tools.

use super::{Part, is_number};
use crate::read::parts::MOST;
use serde_json::{Map, Value};

/// The keys of an input that names the tool of a server.
const KEYS: [&str; 3] = ["server", "tool", "arguments"];

/// The tools of MCP servers that a call may be.
#[derive(Debug, Default)]
pub(super) struct ServerTools {
    pub(super) parts: Vec<Part>,
    /// True if the agent itself gives the name.
    pub(super) is_named: bool,
    /// The tool that the input names, if the input has nothing else.
    explained: Option<String>,
}

impl ServerTools {
    /// Finds the tools. If an agent's own name is ambiguous, each tool is one.
    pub(super) fn of(name: Option<&str>, raw: Option<&Map<String, Value>>) -> Self {
        let mut names = name.map(names_of).unwrap_or_default();
        let is_named = !names.is_empty();
        let text = |key: &str| raw?.get(key)?.as_str();
        let of_raw = text("server").zip(text("tool"));
        let in_raw = of_raw.map(|(server, tool)| full_name(server, tool));
        names.extend(in_raw.filter(|name| !names.contains(name)));
        let is_alone = raw.is_some_and(|raw| raw.keys().all(|key| KEYS.contains(&key.as_str())));
        let inputs = inputs(raw, is_alone);
        let parts =
            names.iter().flat_map(|name| inputs.iter().map(|input| Part::new(name.clone(), input.clone())));
        ServerTools {
            parts: parts.collect(),
            is_named,
            explained: of_raw.filter(|_| is_alone).map(|(_, tool)| tool.to_owned()),
        }
    }

    /// Returns true if a title names only the tool that the input names, as `Tool: server/tool`.
    pub(super) fn explain(&self, title: &str) -> bool {
        let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == '-';
        let mut words = title.split(|c: char| !is_part(c));
        self.explained.as_deref().is_some_and(|tool| words.any(|word| word == tool))
    }
}

/// Returns the inputs that the tool may receive: its arguments, and the whole if there is more than them.
fn inputs(raw: Option<&Map<String, Value>>, is_alone: bool) -> Vec<Map<String, Value>> {
    let raw = raw.cloned().unwrap_or_default();
    match raw.get("arguments") {
        Some(Value::Object(arguments)) if raw.contains_key("tool") => {
            let arguments = arguments.clone();
            if is_alone { vec![arguments] } else { vec![arguments, raw] }
        }
        Some(_) | None => vec![raw],
    }
}

/// Returns the names in the protocol that an agent's own name may stand for.
fn names_of(name: &str) -> Vec<String> {
    if name.starts_with("mcp__") {
        return vec![name.to_owned()];
    }
    let Some(rest) = name.strip_prefix("mcp_") else { return Vec::new() };
    let splits = rest.match_indices('_').filter(|(at, _)| *at > 0 && at + 1 < rest.len());
    splits.take(MOST + 1).map(|(at, _)| full_name(&rest[..at], &rest[at + 1..])).collect()
}

fn full_name(server: &str, tool: &str) -> String {
    format!("mcp__{server}__{tool}")
}

/// Returns the name that an agent hides in `_meta`.
pub(super) fn name_in_meta(described: &Value) -> Option<String> {
    let meta = described.get("_meta")?.as_object()?;
    let of_agent = |value: &Value| value.get("toolName").and_then(Value::as_str).map(str::to_owned);
    let own = meta.get("toolName").and_then(Value::as_str).map(str::to_owned);
    own.or_else(|| meta.values().find_map(of_agent))
}

/// Returns the name in the id of a call, `name-1790000000000-1`, as Gemini CLI and its relatives form it.
pub(super) fn name_in_id(id: &str) -> Option<&str> {
    let (rest, number) = id.rsplit_once('-')?;
    let (name, time) = rest.rsplit_once('-')?;
    let is_made = is_number(number) && is_number(time) && time.len() >= 12;
    (is_made && !name.is_empty()).then_some(name)
}
