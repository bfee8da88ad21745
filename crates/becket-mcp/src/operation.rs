//! The operation of a request, as named in errors.

use std::fmt;

/// The operation that was requested from a server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Operation {
    /// A call of a tool.
    Tool(String),
    /// The list of the server's tools.
    Tools,
    /// The list of the server's resources.
    Resources,
    /// A resource, by its URI.
    Resource(String),
    /// The list of the server's prompts.
    Prompts,
    /// A prompt.
    Prompt(String),
    /// Connecting only.
    Connection,
}

impl fmt::Display for Operation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tool(tool) => write!(f, "the tool `{tool}`"),
            Self::Tools => f.write_str("the list of tools"),
            Self::Resources => f.write_str("the list of resources"),
            Self::Resource(uri) => write!(f, "the resource `{uri}`"),
            Self::Prompts => f.write_str("the list of prompts"),
            Self::Prompt(prompt) => write!(f, "the prompt `{prompt}`"),
            Self::Connection => f.write_str("the connection"),
        }
    }
}
