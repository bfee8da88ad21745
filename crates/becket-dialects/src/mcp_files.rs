//! The files in which an agent's own configuration names MCP servers, for agents that join server and tool ambiguously.

/// The files with the names of MCP servers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct McpFiles {
    /// The servers that the agent brings along.
    pub built_in: &'static [&'static str],
    /// The variable that names the user's directory, and the directory below it.
    pub variable: Option<(&'static str, &'static str)>,
    /// The user's directory below the home directory.
    pub user_directory: &'static str,
    /// The files in the user's directory.
    pub user: &'static [&'static str],
    /// The files in a directory of the project.
    pub project: &'static [&'static str],
    /// The key of the object with a server under each key.
    pub key: &'static str,
}

impl McpFiles {
    /// No file at all: the agent's names of tools need none.
    pub const NONE: McpFiles = McpFiles {
        built_in: &[],
        variable: None,
        user_directory: "",
        user: &[],
        project: &[],
        key: "mcpServers",
    };
}
