//! The tools of an agent: those of its session that its definition allows.
//!
//! INVARIANT: an agent never gets a tool that its session lacks, nor one that starts agents or talks to the user.

use super::definition::Definition;
use super::memory;
use crate::definitions::DefinitionOwner;
use crate::team::OF_TEAM;
use crate::update::Notice;
use becket_engine::{Tool, ToolSet};
use becket_rules::Renames;
use std::sync::Arc;

/// The tools that no subagent gets.
const NEVER: [&str; 6] =
    ["Agent", "AskUserQuestion", "EnterWorktree", "ExitPlanMode", "ExitWorktree", "SendMessage"];

/// Returns the tools of another agent loop that the session also has: a session that works as an agent may have lost
/// some.
pub(crate) fn within(all: Vec<Arc<dyn Tool>>, session: &ToolSet) -> Vec<Arc<dyn Tool>> {
    all.into_iter().filter(|tool| session.find(tool.name()).is_some()).collect()
}

/// Returns the tools of a subagent.
pub(crate) fn of_subagent(
    all: impl IntoIterator<Item = Arc<dyn Tool>>,
    definition: &Definition,
    renames: &Renames,
) -> Vec<Arc<dyn Tool>> {
    let tools = of_main(all, definition, renames);
    tools.into_iter().filter(|tool| !NEVER.contains(&tool.name())).collect()
}

/// Returns the tools of servers that an agent describes itself, without those that its definition disallows.
pub(crate) fn of_own_servers(
    tools: Vec<Arc<dyn Tool>>,
    definition: &Definition,
    renames: &Renames,
) -> impl Iterator<Item = Arc<dyn Tool>> {
    let taken = |name: &str| definition.disallowed_tools.iter().any(|other| is_named(other, name, renames));
    tools.into_iter().filter(move |tool| !taken(tool.name()))
}

/// Returns the tools of a teammate: those of a subagent, and those for working with its team, even if its definition
/// does not name them. Tools that the definition disallows are removed.
pub(crate) fn of_teammate(
    all: &[Arc<dyn Tool>],
    definition: &Definition,
    renames: &Renames,
) -> Vec<Arc<dyn Tool>> {
    let mut tools = of_subagent(all.iter().cloned(), definition, renames);
    let taken = |name: &str| definition.disallowed_tools.iter().any(|other| is_named(other, name, renames));
    let of_team = all.iter().filter(|tool| OF_TEAM.contains(&tool.name()) && !taken(tool.name()));
    for tool in of_team {
        if tools.iter().all(|other| other.name() != tool.name()) {
            tools.push(Arc::clone(tool));
        }
    }
    tools
}

/// Returns the tools of a session that runs as this agent.
pub(crate) fn of_main(
    all: impl IntoIterator<Item = Arc<dyn Tool>>,
    definition: &Definition,
    renames: &Renames,
) -> Vec<Arc<dyn Tool>> {
    let names =
        |list: &[String], tool: &dyn Tool| list.iter().any(|name| is_named(name, tool.name(), renames));
    let gets = |tool: &Arc<dyn Tool>| {
        let wanted = definition.tools.as_ref().is_none_or(|list| names(list, &**tool))
            || definition.memory.is_some() && memory::TOOLS.contains(&tool.name());
        wanted && !names(&definition.disallowed_tools, &**tool)
    };
    all.into_iter().filter(gets).collect()
}

/// Returns whether a name in a list refers to a tool: by its own name, a former one, or its server's (P2, M7).
fn is_named(name: &str, tool: &str, renames: &Renames) -> bool {
    let name = renames.current(name);
    if name == "*" || name == tool {
        return true;
    }
    let server = name.strip_suffix("__*").unwrap_or(name);
    let is_server = server.strip_prefix("mcp__").is_some_and(|server| !server.is_empty());
    is_server && tool.strip_prefix(server).is_some_and(|rest| rest.starts_with("__"))
}

/// Returns notices for names in a definition that match none of these tools. Built-in definitions may name tools that
/// the host does not have.
pub(crate) fn unknown_notices(
    all: &[Arc<dyn Tool>],
    definition: &Definition,
    renames: &Renames,
) -> Vec<Notice> {
    let is_known = |name: &str| all.iter().any(|tool| is_named(name, tool.name(), renames));
    let names = definition.tools.iter().flatten().map(String::as_str);
    let names = names.filter(|_| definition.owner != DefinitionOwner::BuiltIn);
    // A server's tools may change at any time.
    let unknown = names.filter(|name| !name.starts_with("mcp__") && !is_known(name));
    let of = &definition.name;
    let tools = unknown
        .map(|name| Notice::warning(format!("the agent `{of}` names a tool that is not here: `{name}`")));
    let has_server = |name: &str| {
        let prefix = format!("mcp__{name}__");
        all.iter().any(|tool| tool.name().starts_with(&prefix))
    };
    let missing = definition.mcp_servers.iter().filter(|name| !has_server(name));
    let servers = missing.map(|name| {
        Notice::warning(format!("the agent `{of}` needs the MCP server `{name}`, which has no tool here"))
    });
    tools.chain(servers).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    // rules: M7, P2
    #[test]
    fn a_name_means_a_tool_by_any_of_its_names() {
        for (name, tool, expected) in [
            ("Read", "Read", true),
            ("read", "Read", false),
            ("Rea", "Read", false),
            ("*", "Read", true),
            ("Task", "Agent", true),
            ("KillShell", "TaskStop", true),
            ("mcp__srv", "mcp__srv__go", true),
            ("mcp__srv__*", "mcp__srv__go", true),
            ("mcp__srv__go", "mcp__srv__go", true),
            ("mcp__srv__go", "mcp__srv__gone", false),
            ("mcp__srv", "mcp__srv2__go", false),
            ("mcp__", "mcp__srv__go", false),
        ] {
            assert_eq!(is_named(name, tool, &Renames::tools()), expected, "{name} for {tool}");
        }
    }
}
