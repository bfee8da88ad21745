//! Which of the program's own tools there are (`--tools`). Those of MCP servers are not among them.

use becket_agent::tool_call::Tool;
use std::sync::Arc;

/// The tools that are kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Base {
    All,
    Only(Arc<[String]>),
}

/// What a tool was called before.
const BEFORE: [(&str, &str); 3] =
    [("Task", "Agent"), ("BashOutput", "TaskOutput"), ("KillShell", "TaskStop")];

fn today(name: &str) -> &str {
    BEFORE.iter().find(|(before, _)| *before == name).map_or(name, |(_, today)| today)
}

impl Base {
    /// Reads the argument. Names that nobody has keep nothing: a list that is made for another program may hold them.
    pub(super) fn of(given: Option<&str>) -> Self {
        match given.map(str::trim) {
            None | Some("default") => Base::All,
            Some(names) => {
                let names = names.split([',', ' ']).filter(|name| !name.is_empty());
                Base::Only(names.map(|name| today(name).to_owned()).collect())
            }
        }
    }

    /// Whether a tool is kept.
    pub(super) fn keeps(&self, tool: &dyn Tool) -> bool {
        match self {
            Base::All => true,
            Base::Only(names) => names.iter().any(|name| name == tool.name()),
        }
    }

    /// The tools that are kept.
    pub(super) fn kept(&self, mut tools: Vec<Arc<dyn Tool>>) -> Vec<Arc<dyn Tool>> {
        tools.retain(|tool| self.keeps(&**tool));
        tools
    }
}
