//! The tools of an agent: names, classes, and how a call becomes calls of the protocol's tools.

/// One tool of an agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ToolRow {
    /// The name in payloads.
    pub native: &'static str,
    /// The tool of the protocol.
    pub ours: &'static str,
    /// The class of its effects.
    pub class: ToolClass,
    /// Keys of the input that have another name in the protocol: theirs, ours.
    pub keys: &'static [(&'static str, &'static str)],
    /// The number and form of the calls that it stands for.
    pub shape: CallShape,
}

/// The effects of a tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ToolClass {
    /// It runs commands.
    Shell,
    /// It sends input to a command that runs, if any.
    Input,
    /// It writes files.
    Write,
    /// It reads files or lists them.
    Read,
    /// It sends requests to other machines.
    Network,
    /// It starts an agent.
    Agent,
    /// It changes only the agent's own state, or asks the user.
    Internal,
}

impl ToolClass {
    /// Returns the class as the documentation names it.
    pub const fn name(self) -> &'static str {
        match self {
            ToolClass::Shell => "shell",
            ToolClass::Input => "input",
            ToolClass::Write => "write",
            ToolClass::Read => "read",
            ToolClass::Network => "network",
            ToolClass::Agent => "agent",
            ToolClass::Internal => "internal",
        }
    }
}

/// The calls of the protocol that one call of an agent stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CallShape {
    /// One call with the same input.
    One,
    /// One call for each file of the patch under this key.
    Patch(&'static str),
    /// One call for each command of the list under this key.
    Commands(&'static str),
    /// One call for each path under one of these keys, a text, a list of texts or of objects with a `path`.
    Paths(&'static [&'static str]),
}

/// The names of tools of MCP servers in payloads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum McpNames {
    /// `mcp__server__tool`, as in the protocol.
    Protocol,
    /// `mcp_server_tool`, with the parts in `mcp_context`.
    Gemini,
    /// `server-tool`, or `server/tool`.
    Hyphen,
    /// `server_tool`.
    Underscore,
    /// There are none.
    None,
}

impl ToolRow {
    pub(crate) const fn new(native: &'static str, ours: &'static str, class: ToolClass) -> Self {
        ToolRow { native, ours, class, keys: &[], shape: CallShape::One }
    }

    pub(crate) const fn keys(self, keys: &'static [(&'static str, &'static str)]) -> Self {
        ToolRow { keys, ..self }
    }

    pub(crate) const fn shape(self, shape: CallShape) -> Self {
        ToolRow { shape, ..self }
    }

    pub(crate) const fn shell(native: &'static str) -> Self {
        ToolRow::new(native, "Bash", ToolClass::Shell)
    }

    pub(crate) const fn input(native: &'static str) -> Self {
        ToolRow::new(native, "Bash", ToolClass::Input)
    }

    /// The key of the protocol without which a call can't be decided about.
    pub(crate) fn essential_key(&self) -> Option<&'static str> {
        match (self.class, self.ours) {
            (ToolClass::Shell, _) => Some("command"),
            (ToolClass::Write, "Write" | "Edit") => Some("file_path"),
            _ => None,
        }
    }

    pub(crate) const fn write(native: &'static str) -> Self {
        ToolRow::new(native, "Write", ToolClass::Write)
    }

    pub(crate) const fn edit(native: &'static str) -> Self {
        ToolRow::new(native, "Edit", ToolClass::Write)
    }

    pub(crate) const fn read(native: &'static str, ours: &'static str) -> Self {
        ToolRow::new(native, ours, ToolClass::Read)
    }

    pub(crate) const fn network(native: &'static str, ours: &'static str) -> Self {
        ToolRow::new(native, ours, ToolClass::Network)
    }

    pub(crate) const fn agent(native: &'static str) -> Self {
        ToolRow::new(native, "Agent", ToolClass::Agent)
    }

    /// An internal tool that the protocol does not have: it keeps its name.
    pub(crate) const fn own(name: &'static str) -> Self {
        ToolRow::internal(name, name)
    }

    pub(crate) const fn internal(native: &'static str, ours: &'static str) -> Self {
        ToolRow::new(native, ours, ToolClass::Internal)
    }
}
