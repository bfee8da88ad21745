//! Conversion of a file's fields to a [`Definition`].

use super::definition::Definition;
use super::memory::MemoryScope;
use crate::definitions::{DefinitionOwner, Fields, ModelChoice, is_plain};
use becket_model::Source;
use becket_model::event::PermissionMode;
use serde_json::json;
use std::path::Path;
use std::sync::Arc;

/// Fields of other hosts' agents that have no effect here.
const WITHOUT_EFFECT: [&str; 5] =
    ["autoCompactWindow", "effort", "observer", "observerMessage", "omitClaudeMd"];

/// The value that requests an own worktree.
pub(super) const ISOLATED: &str = "worktree";

/// The location of a definition.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place<'a> {
    pub(super) source: &'a Source,
    pub(super) file: &'a Path,
    /// The prefix of the name, for a plugin's agent.
    pub(super) namespace: Option<&'a str>,
    /// The text that the hooks are read from.
    pub(super) text: &'a str,
}

/// Returns the definition, unless an error prevents loading it; the error is then among the findings.
pub(super) fn definition(fields: &mut Fields<'_>, place: Place<'_>) -> Option<Definition> {
    if fields.is_broken() {
        return None;
    }
    let name = name(fields)?;
    let Some(description) = fields.text("description") else {
        let message =
            format!("the agent `{name}` has no `description`, so no model would know when to use it");
        fields.error("description", "missing-description", message);
        return None;
    };
    let of_plugin = matches!(place.source, Source::Plugin(_));
    for key in WITHOUT_EFFECT {
        if fields.has(key) {
            fields.warning(key, "not-supported", format!("`{key}` of an agent has no effect here"));
        }
    }
    let (mcp_servers, own_servers) = servers(fields, of_plugin);
    Some(Definition {
        name: place.namespace.map_or_else(|| name.clone(), |space| format!("{space}:{name}")).into(),
        description,
        prompt: fields.text("prompt").unwrap_or_else(|| fields.body.trim().to_owned()),
        tools: tools(fields, "tools"),
        disallowed_tools: tools(fields, "disallowedTools").unwrap_or_default(),
        model: ModelChoice::of(fields.text("model")),
        permission_mode: mode(fields, of_plugin),
        max_turns: fields.number("maxTurns"),
        background: fields.flag("background").unwrap_or(false),
        isolated: isolated(fields),
        skills: fields.names("skills").unwrap_or_default(),
        mcp_servers,
        own_servers,
        memory: memory(fields),
        initial_prompt: fields.text("initialPrompt"),
        owner: DefinitionOwner::Source(place.source.clone()),
        file: place.file.into(),
        hooks: hooks(fields, of_plugin).then(|| place.text.into()),
    })
}

fn name(fields: &mut Fields<'_>) -> Option<String> {
    let Some(name) = fields.text("name") else {
        let message = "this file has no frontmatter with a `name`, so it defines no agent".to_owned();
        fields.error("name", "missing-name", message);
        return None;
    };
    if is_plain(&name) {
        return Some(name);
    }
    let shown = becket_tools::schema::brief(&name);
    let message =
        format!("`{shown}` is not a name for an agent: use letters, digits, `-`, `_` and `.`, 64 at most");
    fields.error("name", "bad-name", message);
    None
}

/// Returns names of tools, without the text in parentheses after a name: rules judge calls, a list only names tools.
fn tools(fields: &mut Fields<'_>, key: &str) -> Option<Vec<String>> {
    let mut bare = Vec::new();
    for tool in fields.names(key)? {
        match tool.split_once('(') {
            Some((name, _)) => {
                let message = format!("`{tool}` counts as `{name}` here: put the rest into `permissions`");
                fields.warning(key, "specifier-in-tools", message);
                bare.push(name.to_owned());
            }
            None => bare.push(tool),
        }
    }
    // `*` means every tool, as if the list were missing.
    (!bare.iter().any(|tool| tool == "*") || key != "tools").then_some(bare)
}

/// Returns the requested mode. A plugin's agent can't request one.
fn mode(fields: &mut Fields<'_>, of_plugin: bool) -> Option<PermissionMode> {
    let written = fields.text("permissionMode")?;
    if of_plugin {
        let message = "`permissionMode` in an agent that a plugin ships is ignored".to_owned();
        fields.warning("permissionMode", "mode-in-plugin-agent", message);
        return None;
    }
    let mode = PermissionMode::from_name(&written);
    if let PermissionMode::Other(name) = &mode {
        let near = becket_base::suggest(name, &PermissionMode::NAMES);
        let near = near.map(|near| format!(": did you mean `{near}`?")).unwrap_or_default();
        fields.warning("permissionMode", "unknown-mode", format!("there is no mode `{name}`{near}"));
        return None;
    }
    Some(mode)
}

/// Returns the names of the servers that the agent needs, and the servers that it describes itself. A plugin's agent
/// describes none.
fn servers(fields: &mut Fields<'_>, of_plugin: bool) -> (Vec<String>, Option<Arc<str>>) {
    let (names, described) = fields.names_and_described("mcpServers");
    if of_plugin && !described.is_empty() {
        let message =
            "an agent of a plugin has no MCP servers of its own: those that it describes are ignored"
                .to_owned();
        fields.warning("mcpServers", "servers-in-plugin-agent", message);
        return (names, None);
    }
    let text = (!described.is_empty()).then(|| json!({"mcpServers": described}).to_string().into());
    (names, text)
}

/// Returns the sessions that share the agent's memory.
fn memory(fields: &mut Fields<'_>) -> Option<MemoryScope> {
    let written = fields.text("memory")?;
    let scope = MemoryScope::from_name(&written);
    if scope.is_none() {
        let near = becket_base::suggest(&written, &MemoryScope::NAMES);
        let near = near.map(|near| format!(": did you mean `{near}`?")).unwrap_or_default();
        let shown = becket_tools::schema::brief(&written);
        let message = format!("there is no memory `{shown}`{near}; it is `user`, `project` or `local`");
        fields.warning("memory", "unknown-memory", message);
    }
    scope
}

/// Returns whether the agent works in its own worktree.
fn isolated(fields: &mut Fields<'_>) -> bool {
    let Some(written) = fields.text("isolation") else { return false };
    if written != ISOLATED {
        let shown = becket_tools::schema::brief(&written);
        let message =
            format!("there is no isolation `{shown}`, so it is ignored: write `{ISOLATED}` or leave it out");
        fields.warning("isolation", "unknown-isolation", message);
    }
    written == ISOLATED
}

/// Returns whether the agent has hooks that count; those of a plugin's agent don't (C9).
fn hooks(fields: &mut Fields<'_>, of_plugin: bool) -> bool {
    let has = fields.has("hooks");
    if has && of_plugin {
        let message = "hooks in an agent that a plugin ships are ignored".to_owned();
        fields.warning("hooks", "hooks-in-plugin-agent", message);
    }
    has && !of_plugin
}
