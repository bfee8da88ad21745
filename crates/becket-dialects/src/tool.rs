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
    /// The keys that name the directory in which it runs a command.
    pub directory: &'static [&'static str],
    /// The key of a text or a list that the model may give as the whole input.
    pub bare: Option<&'static str>,
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
    /// One call with the same input, or one for each value of a list of files, patterns or URLs.
    One,
    /// One call for each file of the patch under this key.
    Patch(&'static str),
    /// One call for each file of the patch under this key, and one with the same input if there is none, or if the
    /// input names a file as well.
    PatchOrOne(&'static str),
    /// One call for each command under these keys.
    Commands(&'static [&'static str]),
    /// One call for each path under these keys, a text, an object with a `path`, or a list of both.
    Paths(&'static [&'static str]),
    /// The same for patterns of paths.
    Patterns(&'static [&'static str]),
    /// One call for each URL in the text under this key.
    Urls(&'static str),
    /// A search in files or for files: by the value under this key, or one call of each for an unknown value.
    Search(&'static str),
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
        ToolRow { native, ours, class, keys: &[], shape: CallShape::One, directory: &[], bare: None }
    }

    pub(crate) const fn keys(self, keys: &'static [(&'static str, &'static str)]) -> Self {
        ToolRow { keys, ..self }
    }

    pub(crate) const fn shape(self, shape: CallShape) -> Self {
        ToolRow { shape, ..self }
    }

    /// Names the keys of the directory in which it runs a command.
    pub(crate) const fn directory(self, directory: &'static [&'static str]) -> Self {
        ToolRow { directory, ..self }
    }

    /// Names the key of a value that may be the whole input.
    pub(crate) const fn bare(self, key: &'static str) -> Self {
        ToolRow { bare: Some(key), ..self }
    }

    pub(crate) const fn shell(native: &'static str) -> Self {
        ToolRow::new(native, "Bash", ToolClass::Shell)
    }

    pub(crate) const fn input(native: &'static str) -> Self {
        ToolRow::new(native, "Bash", ToolClass::Input)
    }

    /// Returns the tools of the protocol as which its calls are judged.
    pub fn protocol_names(&self) -> &[&'static str] {
        match self.shape {
            CallShape::Patch(_) | CallShape::PatchOrOne(_) => &["Edit", "Write"],
            CallShape::Search(_) => &["Grep", "Glob"],
            CallShape::One
            | CallShape::Commands(_)
            | CallShape::Paths(_)
            | CallShape::Patterns(_)
            | CallShape::Urls(_) => std::slice::from_ref(&self.ours),
        }
    }

    /// Returns the key without which a call of one of the protocol's tools can't be decided.
    pub(crate) fn essential_key(&self, tool: &str) -> Option<&'static str> {
        match (self.class, tool) {
            (ToolClass::Shell, _) => Some("command"),
            (ToolClass::Write, "Write" | "Edit") | (ToolClass::Read, "Read") => Some("file_path"),
            (ToolClass::Write, "NotebookEdit") => Some("notebook_path"),
            (ToolClass::Network, "WebFetch") => Some("url"),
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

    /// Creates an internal tool that the protocol does not have: it keeps its name.
    pub(crate) const fn native_only(name: &'static str) -> Self {
        ToolRow::internal(name, name)
    }

    pub(crate) const fn internal(native: &'static str, ours: &'static str) -> Self {
        ToolRow::new(native, ours, ToolClass::Internal)
    }
}
