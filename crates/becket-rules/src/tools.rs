//! The table of known tools: their names, the meaning of a specifier for each, and the input field that it is compared
//! with.
//!
//! Tools of other hosts and MCP tools are unknown here. That is not an error: a rule may name them, and their
//! specifier, if any, is a parameter rule (protocol.md P10).

/// The access of a tool to files, for the rules that cover all of a kind (P7).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// Covered by `Read` rules.
    Read,
    /// Covered by `Edit` rules.
    Edit,
}

/// The meaning of the text between the parentheses of a rule for a tool, and the input field that it is compared with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Primary {
    /// A Bash command (P3–P6).
    Bash(&'static str),
    /// A PowerShell command (P15).
    PowerShell(&'static str),
    /// A path (P7), and the tool's access to it.
    Path(&'static str, Access),
    /// `domain:host` of a URL (P9).
    Domain(&'static str),
    /// A subagent's name (P10).
    Name(&'static str),
    /// A skill's name (P10).
    Skill(&'static str),
    /// None: only parameter rules apply.
    None,
}

/// One known tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Tool {
    /// Its current name; old names are in [`Renames`](crate::Renames).
    pub name: &'static str,
    /// The meaning of its specifier.
    pub primary: Primary,
}

impl Primary {
    /// Returns the input field that the specifier is compared with.
    #[must_use]
    pub fn field(self) -> Option<&'static str> {
        match self {
            Self::Bash(field)
            | Self::PowerShell(field)
            | Self::Path(field, _)
            | Self::Domain(field)
            | Self::Name(field)
            | Self::Skill(field) => Some(field),
            Self::None => None,
        }
    }
}

const fn tool(name: &'static str, primary: Primary) -> Tool {
    Tool { name, primary }
}

const TOOLS: &[Tool] = &[
    tool("Agent", Primary::Name("subagent_type")),
    tool("AskUserQuestion", Primary::None),
    tool("Bash", Primary::Bash("command")),
    tool("CronCreate", Primary::None),
    tool("CronDelete", Primary::None),
    tool("CronList", Primary::None),
    tool("Edit", Primary::Path("file_path", Access::Edit)),
    tool("EnterPlanMode", Primary::None),
    tool("EnterWorktree", Primary::None),
    tool("ExitPlanMode", Primary::None),
    tool("ExitWorktree", Primary::None),
    tool("Glob", Primary::Path("path", Access::Read)),
    tool("Grep", Primary::Path("path", Access::Read)),
    tool("LS", Primary::Path("path", Access::Read)),
    tool("ListMcpResourcesTool", Primary::None),
    tool("Monitor", Primary::Bash("command")),
    tool("MultiEdit", Primary::Path("file_path", Access::Edit)),
    tool("NotebookEdit", Primary::Path("notebook_path", Access::Edit)),
    tool("NotebookRead", Primary::Path("notebook_path", Access::Read)),
    tool("PowerShell", Primary::PowerShell("command")),
    tool("Read", Primary::Path("file_path", Access::Read)),
    tool("ReadMcpResourceTool", Primary::None),
    tool("SendMessage", Primary::None),
    tool("Skill", Primary::Skill("skill")),
    tool("StructuredOutput", Primary::None),
    tool("TaskCreate", Primary::None),
    tool("TaskGet", Primary::None),
    tool("TaskList", Primary::None),
    tool("TaskOutput", Primary::None),
    tool("TaskStop", Primary::None),
    tool("TaskUpdate", Primary::None),
    tool("TodoWrite", Primary::None),
    tool("ToolSearch", Primary::None),
    tool("WebFetch", Primary::Domain("url")),
    tool("WebSearch", Primary::None),
    tool("Workflow", Primary::None),
    tool("Write", Primary::Path("file_path", Access::Edit)),
];

const NAMES: [&str; TOOLS.len()] = {
    let (mut names, mut at) = ([""; TOOLS.len()], 0);
    while at < names.len() {
        names[at] = TOOLS[at].name;
        at += 1;
    }
    names
};

/// Returns the names of the tools in the table, sorted; new names only.
#[must_use]
pub fn known() -> &'static [&'static str] {
    &NAMES
}

/// Returns the tools whose input the rules understand, by name.
#[must_use]
pub fn table() -> &'static [Tool] {
    TOOLS
}

/// Returns the known tool of this name, case-sensitive, new names only.
#[must_use]
pub fn find(name: &str) -> Option<&'static Tool> {
    TOOLS.iter().find(|tool| tool.name == name)
}

/// Returns the input field with the path that a tool reads or writes; `None` for tools without one.
#[must_use]
pub fn path_field(name: &str) -> Option<&'static str> {
    match find(name)?.primary {
        Primary::Path(field, _) => Some(field),
        Primary::Bash(_)
        | Primary::PowerShell(_)
        | Primary::Domain(_)
        | Primary::Name(_)
        | Primary::Skill(_)
        | Primary::None => None,
    }
}
