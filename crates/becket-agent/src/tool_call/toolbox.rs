//! The tools of a session, as they are now.
//!
//! INVARIANT: no two tools have one name. MCP servers come and go: a call keeps the tool that it was found as.

use super::names;
use super::tool::Tool;
use becket_engine::Tools;
use becket_llm::ToolSpec;
use serde_json::{Map, Value};
use std::fmt;
use std::sync::{Arc, PoisonError, RwLock};

/// Tools, in order.
type List = Arc<[Arc<dyn Tool>]>;

/// A session's tools. Cheap to clone; all clones are the same box. Hand it to [`becket_engine::Builder::tools`], too: the
/// engine asks it about schemas and about whose prompts a person has to answer.
#[derive(Clone, Default)]
pub struct Toolbox {
    tools: Arc<RwLock<List>>,
}

impl Toolbox {
    /// A box of these tools. Of two with one name the first counts.
    #[must_use]
    pub fn new(tools: impl IntoIterator<Item = Arc<dyn Tool>>) -> Self {
        let toolbox = Self::default();
        toolbox.replace(tools);
        toolbox
    }

    /// Replaces all tools by these; running calls keep theirs.
    pub fn replace(&self, tools: impl IntoIterator<Item = Arc<dyn Tool>>) {
        let mut kept: Vec<Arc<dyn Tool>> = Vec::new();
        let mut names = std::collections::HashSet::new();
        kept.extend(tools.into_iter().filter(|tool| names.insert(tool.name().to_owned())));
        *self.tools.write().unwrap_or_else(PoisonError::into_inner) = kept.into();
    }

    /// All tools, in order.
    #[must_use]
    pub fn all(&self) -> Arc<[Arc<dyn Tool>]> {
        Arc::clone(&self.tools.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// The tool of that name, case-sensitive.
    #[must_use]
    pub fn find(&self, name: &str) -> Option<Arc<dyn Tool>> {
        self.all().iter().find(|tool| tool.name() == name).cloned()
    }

    /// Returns the tools that a model is offered: all that no deny rule removes (P1).
    #[must_use]
    pub fn offered(&self, engine: &becket_engine::Engine) -> Vec<ToolSpec> {
        let tools = self.all();
        let denied = |tool: &dyn Tool| {
            let others = names::others(tool);
            let mut all = std::iter::once(tool.name()).chain(others.iter().map(String::as_str));
            all.any(|name| engine.deny_rule_for_tool(name).is_some())
        };
        let left = tools.iter().filter(|tool| !denied(&***tool));
        left.map(|tool| tool.spec()).collect()
    }

    pub(super) fn unknown(&self, name: &str) -> String {
        let tools = self.all();
        let names: Vec<&str> = tools.iter().map(|tool| tool.name()).collect();
        let name = crate::schema::brief(name);
        match becket_base::suggest(&name, &names) {
            Some(near) => format!("there is no tool `{name}`: did you mean `{near}`?"),
            None => format!("there is no tool `{name}`"),
        }
    }
}

impl Tools for Toolbox {
    /// Accepts an unknown tool, which belongs to another host.
    fn validate(&self, tool: &str, input: &Map<String, Value>) -> Result<(), String> {
        self.find(tool).map_or(Ok(()), |tool| tool.check(input))
    }

    fn defaults(&self, tool: &str) -> Map<String, Value> {
        self.find(tool).map(|tool| tool.defaults()).unwrap_or_default()
    }

    fn requires_user_interaction(&self, tool: &str) -> bool {
        self.find(tool).is_some_and(|tool| tool.needs_person())
    }
}

impl fmt::Debug for Toolbox {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let tools = self.all();
        f.debug_list().entries(tools.iter().map(|tool| tool.name())).finish()
    }
}
