//! What can be wrong with a configuration, in words that say what to do.

use super::place::Place;

/// The text as a whole is no configuration of MCP servers; nothing was read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ConfigError {
    /// No JSON, or not of this shape.
    #[error("{place}: {what}: write `{{\"mcpServers\": {{\"name\": {{\"command\": …}}}}}}`")]
    NotRead {
        /// Where.
        place: Place,
        /// What the parser says.
        what: String,
    },
    /// `mcpServers` is missing.
    #[error("{place}: there is no `mcpServers`{}: name the servers in an object under this key", near(.meant.as_deref()))]
    NoServers {
        /// Where the object begins.
        place: Place,
        /// A key of the object that may have been meant.
        meant: Option<String>,
    },
    /// `mcpServers` comes twice, and it is not said which one counts.
    #[error("{place}: `mcpServers` comes twice: put all servers into one")]
    Twice {
        /// Where the second one's value begins.
        place: Place,
    },
}

/// What is wrong with one server; the others of the file are not affected.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ServerConfigError {
    /// A value is of another kind than it has to be.
    #[error("{place}: {what}: correct the value")]
    WrongValue {
        /// Where.
        place: Place,
        /// What the parser says.
        what: String,
    },
    /// The same key comes twice in the server.
    #[error("{place}: `{key}` comes twice: remove one")]
    KeyTwice {
        /// Where the second value begins.
        place: Place,
        /// The key.
        key: String,
    },
    /// A server of this name has been configured before.
    #[error("{place}: a server of this name is configured at line {first} as well: rename one")]
    NameTwice {
        /// Where the second one's value begins.
        place: Place,
        /// The line of the first one.
        first: usize,
    },
    /// A server that is not started but reached over a network.
    #[error("{place}: a server of type `{transport}`: this version connects stdio servers only")]
    NotStdio {
        /// Where.
        place: Place,
        /// The type as written; `url` where there is an address and no type.
        transport: String,
    },
    /// `command` is missing or empty.
    #[error("{place}: there is no `command`{}: name the program to start", near(.meant.as_deref()))]
    NoCommand {
        /// Where the server's object begins.
        place: Place,
        /// A key of the object that may have been meant.
        meant: Option<String>,
    },
    /// Variables that are used are not set.
    #[error("{place}: {} not set: set what is missing, or write `${{NAME:-default}}`", quoted(.names))]
    VariableMissing {
        /// Where the server's object begins.
        place: Place,
        /// The names, sorted.
        names: Vec<String>,
    },
    /// A use of a variable that can't be read.
    #[error(
        "{place}: `{text}` is no use of a variable: write `${{NAME}}` or `${{NAME:-default}}`, without another one in it"
    )]
    VariableUnclear {
        /// Where the server's object begins.
        place: Place,
        /// The use as written.
        text: String,
    },
    /// A variable's name that no environment can hold.
    #[error("{place}: `{name}` can't be the name of a variable: remove `=` and NUL, and leave no name empty")]
    VariableName {
        /// Where the value begins.
        place: Place,
        /// The name as written.
        name: String,
    },
    /// A time limit of nothing.
    #[error("{place}: a `timeout` of 0 leaves no time for any call: give milliseconds, or remove it")]
    NoTime {
        /// Where.
        place: Place,
    },
}

fn near(meant: Option<&str>) -> String {
    meant.map_or(String::new(), |meant| format!(" (is `{meant}` meant to be it?)"))
}

fn quoted(names: &[String]) -> String {
    let list = names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
    if names.len() == 1 { format!("the variable {list} is") } else { format!("the variables {list} are") }
}
