//! The definition of an agent, as its file describes it.

use super::memory::MemoryScope;
use crate::definitions::{ModelChoice, Whose};
use becket_model::event::PermissionMode;
use std::path::Path;
use std::sync::Arc;

/// An agent.
#[derive(Debug, Clone, PartialEq)]
pub struct Definition {
    /// Its name (`agent_type`); a plugin's is `plugin:name`.
    pub name: Arc<str>,
    /// Description of when to use it, for the model that may start it.
    pub description: String,
    /// Its system prompt.
    pub prompt: String,
    /// The tools that it gets; all if it names none.
    pub tools: Option<Vec<String>>,
    /// The tools that it does not get, whatever it names beside.
    pub disallowed_tools: Vec<String>,
    /// The model that it asks.
    pub model: ModelChoice,
    /// The permission mode that it wants.
    pub permission_mode: Option<PermissionMode>,
    /// Maximum number of answers of its model.
    pub max_turns: Option<u32>,
    /// Set if it runs in the background even if the call does not ask for it.
    pub background: bool,
    /// Set if it works in its own working tree even if the call does not ask for it.
    pub isolated: bool,
    /// The skills whose texts it begins with.
    pub skills: Vec<String>,
    /// The MCP servers that it needs, by name.
    pub mcp_servers: Vec<String>,
    /// The MCP servers that it describes itself, as in a file of servers.
    pub(crate) own_servers: Option<Arc<str>>,
    /// The sessions that share its memory, if it has one.
    pub memory: Option<MemoryScope>,
    /// The first prompt of a session that works as it.
    pub initial_prompt: Option<String>,
    /// Owner of the definition.
    pub whose: Whose,
    /// Its file; a name in angle brackets if it has none.
    pub file: Arc<Path>,
    /// The text that its hooks are read from, if it has any.
    pub(crate) hooks: Option<Arc<str>>,
}
