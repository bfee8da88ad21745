//! The tools of a host, by their names.
//!
//! INVARIANT: tools have unique names. MCP servers come and go: a call keeps the tool that was found for it.

use super::tool::Tool;
use becket_llm::ToolSpec;
use becket_model::Session;
use becket_rules::shell::Line;
use serde_json::{Map, Value};
use std::collections::HashSet;
use std::fmt;
use std::sync::{Arc, PoisonError, RwLock};

/// Tools in the order in which they are offered.
type ToolList = Arc<[Arc<dyn Tool>]>;

/// A host's tools, in order. Cheap to clone; all clones are the same set.
///
/// It answers the engine's questions about schemas, defaults and prompts for the user ([`crate::Builder::tools`]),
/// contains the tools that agents of hooks may call ([`crate::Builder::agent_tools`]), and those that a host's own
/// model is offered ([`crate::HostOperations::offered_tools`]).
#[derive(Clone, Default)]
pub struct ToolSet {
    tools: Arc<RwLock<ToolList>>,
}

impl ToolSet {
    /// Returns the set of these tools. Of two with the same name the first counts.
    #[must_use]
    pub fn new(tools: impl IntoIterator<Item = Arc<dyn Tool>>) -> Self {
        let set = Self::default();
        set.replace(tools);
        set
    }

    /// Replaces all tools by these; running calls keep theirs.
    pub fn replace(&self, tools: impl IntoIterator<Item = Arc<dyn Tool>>) {
        let mut names = HashSet::new();
        let tools = tools.into_iter().filter(|tool| names.insert(tool.name().to_owned()));
        let tools = tools.collect();
        *self.tools.write().unwrap_or_else(PoisonError::into_inner) = tools;
    }

    /// Returns all tools, in order.
    #[must_use]
    pub fn all(&self) -> ToolList {
        Arc::clone(&self.tools.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Returns the tool of that name, case-sensitive.
    #[must_use]
    pub fn find(&self, name: &str) -> Option<Arc<dyn Tool>> {
        self.all().iter().find(|tool| tool.name() == name).cloned()
    }

    /// Returns the specifications of all tools, in order.
    #[must_use]
    pub fn specs(&self) -> Vec<ToolSpec> {
        self.all().iter().map(|tool| tool.spec()).collect()
    }

    /// Checks an input against the tool's schema (L0, D9). An unknown tool, which belongs to another host, passes.
    ///
    /// # Errors
    /// Returns the problem, for the model; it names the field.
    pub fn check(&self, tool: &str, input: &Map<String, Value>) -> Result<(), String> {
        self.find(tool).map_or(Ok(()), |tool| tool.check(input))
    }

    /// Returns the defaults of the tool's schema; they are filled in before hooks see a call (N3).
    #[must_use]
    pub fn defaults(&self, tool: &str) -> Map<String, Value> {
        self.find(tool).map(|tool| tool.defaults()).unwrap_or_default()
    }

    /// Returns whether the tool enforces restricted rights of its calls (E5). An unknown one does not.
    #[must_use]
    pub fn enforces_rights(&self, tool: &str) -> bool {
        self.find(tool).is_some_and(|tool| tool.enforces_rights())
    }

    /// Returns the commands of a line that need no allow rule beside others ([`Tool::harmless_commands`]). An unknown
    /// tool has none.
    pub(crate) fn harmless_commands(&self, tool: &str, session: &Session, line: &Line) -> Vec<usize> {
        self.find(tool).map(|tool| tool.harmless_commands(session, line)).unwrap_or_default()
    }

    /// Returns whether the user has to answer this tool's prompts (D3).
    #[must_use]
    pub fn requires_user(&self, tool: &str) -> bool {
        self.find(tool).is_some_and(|tool| tool.requires_user())
    }
}

impl FromIterator<Arc<dyn Tool>> for ToolSet {
    fn from_iter<I: IntoIterator<Item = Arc<dyn Tool>>>(tools: I) -> Self {
        Self::new(tools)
    }
}

impl fmt::Debug for ToolSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.all().iter().map(|tool| tool.name())).finish()
    }
}
