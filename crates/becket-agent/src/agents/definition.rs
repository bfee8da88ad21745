//! What an agent is, as its file says it.

use crate::definitions::{ModelChoice, Whose};
use becket_model::event::PermissionMode;
use std::path::Path;
use std::sync::Arc;

/// An agent.
#[derive(Debug, Clone, PartialEq)]
pub struct Definition {
    /// Its name (`agent_type`); a plugin's is `plugin:name`.
    pub name: Arc<str>,
    /// When to use it, for the model that may start it.
    pub description: String,
    /// Its system prompt.
    pub prompt: String,
    /// The tools that it gets; all where it names none.
    pub tools: Option<Vec<String>>,
    /// The tools that it does not get, whatever it names beside.
    pub disallowed_tools: Vec<String>,
    /// The model that it asks.
    pub model: ModelChoice,
    /// The permission mode that it wants.
    pub permission_mode: Option<PermissionMode>,
    /// How many answers its model may give.
    pub max_turns: Option<u32>,
    /// Whether it runs in the background even where the call does not say so.
    pub background: bool,
    /// Whether it works in a working tree of its own even where the call does not say so.
    pub isolated: bool,
    /// Whose definition it is.
    pub whose: Whose,
    /// Its file; a name in angle brackets where it has none.
    pub file: Arc<Path>,
    /// The text that its hooks are read from, where it has any.
    pub(crate) hooks: Option<Arc<str>>,
}
