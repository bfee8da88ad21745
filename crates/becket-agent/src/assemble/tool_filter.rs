//! The selection of the program's own tools. Those of MCP servers are not affected.

use becket_engine::Tool;
use becket_tools::mcp::RESOURCE_TOOLS;
use std::sync::Arc;

/// The selection of tools.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum ToolFilter {
    /// All tools.
    #[default]
    All,
    /// The tools of these names.
    Only(Arc<[String]>),
}

/// The former names of tools.
const BEFORE: [(&str, &str); 3] =
    [("Task", "Agent"), ("BashOutput", "TaskOutput"), ("KillShell", "TaskStop")];

fn today(name: &str) -> &str {
    BEFORE.iter().find(|(before, _)| *before == name).map_or(name, |(_, today)| today)
}

impl ToolFilter {
    /// Parses names, separated by commas or spaces; `default` means all, as `None` does. Unknown names have no effect:
    /// a list for another program may contain them. [`ToolFilter::unmatched`] returns them.
    #[must_use]
    pub fn of(given: Option<&str>) -> Self {
        match given.map(str::trim) {
            None | Some("default") => ToolFilter::All,
            Some(names) => {
                let names = names.split([',', ' ']).filter(|name| !name.is_empty());
                ToolFilter::Only(names.map(|name| today(name).to_owned()).collect())
            }
        }
    }

    /// Returns true if a tool is kept.
    #[must_use]
    pub fn keeps(&self, tool: &dyn Tool) -> bool {
        match self {
            ToolFilter::All => true,
            ToolFilter::Only(names) => names.iter().any(|name| name == tool.name()),
        }
    }

    /// Returns the names that none of these tools has, in their order. Tools that a session may get later are not among
    /// them: those of servers and for their resources.
    #[must_use]
    pub fn unmatched(&self, tools: &[Arc<dyn Tool>]) -> Vec<String> {
        let ToolFilter::Only(names) = self else { return Vec::new() };
        let is_later = |name: &str| name.starts_with("mcp__") || RESOURCE_TOOLS.contains(&name);
        let is_one = |name: &str| is_later(name) || tools.iter().any(|tool| tool.name() == name);
        names.iter().filter(|name| !is_one(name)).cloned().collect()
    }

    /// Returns the tools that are kept.
    #[must_use]
    pub fn filter(&self, mut tools: Vec<Arc<dyn Tool>>) -> Vec<Arc<dyn Tool>> {
        tools.retain(|tool| self.keeps(&**tool));
        tools
    }
}
