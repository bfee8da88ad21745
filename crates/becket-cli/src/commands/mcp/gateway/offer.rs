//! The tools that a gateway offers, and their names.
//!
//! A tool that hooks and rules know as `mcp__SERVER__TOOL` is offered as `SERVER__TOOL`: agents add their own prefix.
//! The name depends only on the server and the tool, has at most 59 characters of `[A-Za-z0-9_-]`, and is unique. It is
//! never parsed.

use becket_mcp::{ServerState, ServerView, ToolList};
use becket_tools::mcp::{McpServers, OfferedTool};
use serde_json::{Map, Value, json};
use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::watch;

/// The prefix in the names of events and rules.
const PREFIX: &str = "mcp__";

/// The tools, updated as they change.
pub(super) struct Offers {
    servers: McpServers,
    /// The last list of each server: a call reconnects a server that is currently disconnected.
    last: Mutex<HashMap<String, Arc<ToolList>>>,
    current: watch::Sender<Arc<Offer>>,
}

/// The tools at one moment.
#[derive(Default)]
pub(super) struct Offer {
    tools: Vec<(String, OfferedTool)>,
    warnings: Vec<String>,
}

impl Offers {
    pub(super) fn new(servers: McpServers) -> Self {
        Offers { servers, last: Mutex::default(), current: watch::Sender::default() }
    }

    pub(super) fn current(&self) -> Arc<Offer> {
        Arc::clone(&self.current.borrow())
    }

    /// Returns a receiver of changes.
    pub(super) fn changes(&self) -> watch::Receiver<Arc<Offer>> {
        self.current.subscribe()
    }

    /// Lists the tools again, without a request to a server.
    pub(super) fn renew(&self) -> Arc<Offer> {
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        let known = std::mem::take(&mut *last);
        let kept = Mutex::new(&mut *last);
        let offered = self.servers.offered(|view| {
            let tools = list_of(view, known.get(&view.name))?;
            kept.lock().unwrap_or_else(PoisonError::into_inner).insert(view.name.clone(), Arc::clone(&tools));
            Some(tools)
        });
        let offer = Arc::new(Offer {
            tools: offered.tools.into_iter().map(|tool| (host_name(&tool.name.full), tool)).collect(),
            warnings: offered.warnings.iter().map(ToString::to_string).collect(),
        });
        self.current.send_if_modified(|current| {
            let is_new = current.descriptions() != offer.descriptions();
            *current = Arc::clone(&offer);
            is_new
        });
        offer
    }
}

/// Returns the tools of a server: the current list, or the last one before its connection broke.
fn list_of(view: &ServerView, before: Option<&Arc<ToolList>>) -> Option<Arc<ToolList>> {
    match &view.state {
        ServerState::Disabled { .. } | ServerState::NeedsAuth { .. } | ServerState::Closed => None,
        ServerState::Waiting
        | ServerState::Connecting
        | ServerState::Connected { .. }
        | ServerState::Failed { .. } => view.tools.as_ref().or(before).cloned(),
    }
}

fn host_name(full: &str) -> String {
    full.strip_prefix(PREFIX).unwrap_or(full).to_owned()
}

impl Offer {
    /// Returns the tool with that name.
    pub(super) fn find(&self, name: &str) -> Option<&OfferedTool> {
        self.tools.iter().find(|(known, _)| known == name).map(|(_, tool)| tool)
    }

    pub(super) fn names(&self) -> Vec<&str> {
        self.tools.iter().map(|(name, _)| name.as_str()).collect()
    }

    /// Returns the warnings for authors of rules.
    pub(super) fn warnings(&self) -> &[String] {
        &self.warnings
    }

    /// Returns the descriptions of all tools, as MCP writes them.
    pub(super) fn descriptions(&self) -> Vec<Value> {
        self.listed(|_| true)
    }

    /// Returns the descriptions of some tools.
    pub(super) fn listed(&self, is_offered: impl Fn(&OfferedTool) -> bool) -> Vec<Value> {
        let offered = self.tools.iter().filter(|(_, tool)| is_offered(tool));
        offered.map(|(name, tool)| Value::Object(description(name, &tool.listed))).collect()
    }
}

/// Describes a tool. The schema of its output is left out: a hook may replace an answer or add to it.
fn description(name: &str, tool: &becket_mcp::Tool) -> Map<String, Value> {
    let hints = &tool.hints;
    let annotations = json!({
        "readOnlyHint": hints.read_only,
        "destructiveHint": hints.destructive,
        "idempotentHint": hints.idempotent,
        "openWorldHint": hints.open_world,
    });
    let fields = [
        ("name", Some(json!(name))),
        ("title", tool.title.as_ref().map(|title| json!(title))),
        ("description", tool.description.as_ref().map(|description| json!(description))),
        ("inputSchema", Some(Value::Object((*tool.input_schema).clone()))),
        ("annotations", Some(annotations)),
        ("_meta", tool.meta.clone().map(Value::Object)),
    ];
    fields.into_iter().filter_map(|(key, value)| Some((key.to_owned(), value?))).collect()
}

/// Returns the names by which rules may refer to a tool, its own first.
pub(super) fn rule_names(tool: &OfferedTool) -> Vec<String> {
    let own = tool.name.full.to_string();
    let mut seen = HashSet::from([own.clone()]);
    let others = tool.tool.restricting_names().into_iter().filter(|name| seen.insert(name.clone()));
    std::iter::once(own).chain(others).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_loses_its_prefix_alone() {
        for (full, expected) in
            [("mcp__notes__add", "notes__add"), ("mcp__mcp__x__y", "mcp__x__y"), ("other", "other")]
        {
            assert_eq!(host_name(full), expected);
        }
    }
}
