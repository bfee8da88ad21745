//! The definition of an agent, as its file describes it.

use super::memory::MemoryScope;
use crate::definitions::{DefinitionOwner, ModelChoice};
use becket_model::event::PermissionMode;
use std::path::Path;
use std::sync::Arc;

/// The definition of an agent.
#[derive(Debug, Clone, PartialEq)]
pub struct Definition {
    /// The agent's name (`agent_type`); that of a plugin is `plugin:name`.
    pub name: Arc<str>,
    /// The description of when to use the agent, for the model that may start it.
    pub description: String,
    /// The system prompt.
    pub prompt: String,
    /// The tools of the agent; `None` means all.
    pub tools: Option<Vec<String>>,
    /// The tools that the agent does not get, even if `tools` names them.
    pub disallowed_tools: Vec<String>,
    /// The model that the agent uses.
    pub model: ModelChoice,
    /// The permission mode that the agent requests.
    pub permission_mode: Option<PermissionMode>,
    /// The maximum number of its model's answers.
    pub max_turns: Option<u32>,
    /// Set if the agent always runs in the background.
    pub background: bool,
    /// Set if the agent always works in its own worktree.
    pub isolated: bool,
    /// The skills whose texts the agent starts with.
    pub skills: Vec<String>,
    /// The MCP servers that the agent needs, by name.
    pub mcp_servers: Vec<String>,
    /// The MCP servers that the agent describes itself, in the format of a file of servers.
    pub(crate) own_servers: Option<Arc<str>>,
    /// The sessions that share the agent's memory, if it has one.
    pub memory: Option<MemoryScope>,
    /// The first prompt of a session that works as this agent.
    pub initial_prompt: Option<String>,
    /// The owner of the definition.
    pub owner: DefinitionOwner,
    /// The definition's file, or a name in angle brackets if it has none.
    pub file: Arc<Path>,
    /// The text that the agent's hooks are read from, if it has any.
    pub(crate) hooks: Option<Arc<str>>,
}
