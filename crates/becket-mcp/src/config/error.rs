//! Errors in a configuration, with messages that say what to do.
//!
//! Names and keys are quoted as written, shortened if they are long. Values are not quoted: any of them may be secret.

use super::name::Visible;
use super::place::Place;

/// An error outside of the servers of a text.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ConfigError {
    /// The text is not JSON.
    #[error("{place}: {what}: write `{{\"mcpServers\": {{\"name\": {{\"command\": …}}}}}}`")]
    NotRead {
        /// The position.
        place: Place,
        /// The parser's message.
        what: String,
    },
    /// A value has the wrong type.
    #[error("{place}: {what} is {is}: write {wanted}{effect}")]
    WrongKind {
        /// The position.
        place: Place,
        /// The part of the text.
        what: String,
        /// The actual type.
        is: &'static str,
        /// The expected type.
        wanted: &'static str,
        /// The effect until it is corrected; empty if there is none.
        effect: &'static str,
    },
    /// `mcpServers` is missing.
    #[error("{place}: there is no `mcpServers`{}: name the servers in an object under this key", near(.meant.as_deref()))]
    NoServers {
        /// The position of the object.
        place: Place,
        /// A key of the object that may have been meant.
        meant: Option<String>,
    },
    /// A duplicate key is ambiguous.
    #[error("{place}: `{}` comes twice: put all of it into one{effect}", cut(.key))]
    DuplicateKey {
        /// The position of the second one's value.
        place: Place,
        /// The key.
        key: String,
        /// The effect until it is corrected; empty if there is none.
        effect: &'static str,
    },
    /// A key has no meaning in this file.
    #[error("{place}: `{key}` counts only in {belongs}: move it there")]
    Powerless {
        /// The position of the value.
        place: Place,
        /// The key.
        key: &'static str,
        /// The files in which it counts.
        belongs: &'static str,
    },
    /// A pattern of a policy can't be parsed.
    #[error("{place}: this pattern of `{list}` {why}{effect}")]
    Pattern {
        /// The position of the pattern.
        place: Place,
        /// The list.
        list: &'static str,
        /// The problem, and what to do.
        why: &'static str,
        /// The effect until it is corrected.
        effect: &'static str,
    },
}

/// An error in one server's entry; the others of the file are not affected.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ServerConfigError {
    /// A value has the wrong type.
    #[error("{place}: {what} is {is}: write {wanted}")]
    WrongKind {
        /// The position.
        place: Place,
        /// The value.
        what: String,
        /// The actual type.
        is: &'static str,
        /// The expected type.
        wanted: &'static str,
    },
    /// A value can't be used.
    #[error("{place}: {what}: correct the value")]
    WrongValue {
        /// The position.
        place: Place,
        /// The problem.
        what: String,
    },
    /// The server has a duplicate key.
    #[error("{place}: `{}` comes twice: remove one", cut(.key))]
    KeyTwice {
        /// The position of the second value.
        place: Place,
        /// The key.
        key: String,
    },
    /// A server of this name has been configured before.
    #[error("{place}: a server of this name is configured at line {first} as well: rename one")]
    NameTwice {
        /// The position of the second one's value.
        place: Place,
        /// The line of the first one.
        first: usize,
    },
    /// No server can have this name.
    #[error("{place}: the name `{}` {why}: rename the server", cut(.name))]
    NameUnfit {
        /// The position of the server's object.
        place: Place,
        /// The name.
        name: String,
        /// The problem.
        why: &'static str,
    },
    /// The transport is unknown.
    #[error("{place}: there is no type `{}`{}: write one of {known}", cut(.kind), near(.meant.as_deref()))]
    TypeUnknown {
        /// The position.
        place: Place,
        /// The type as written.
        kind: String,
        /// A known type that may have been meant.
        meant: Option<String>,
        /// The known types.
        known: String,
    },
    /// There is an address and no type.
    #[error("{place}: there is a `url` and no `type`: write `\"type\": \"{likely}\"` beside it{}", or_other(.likely))]
    TypeMissing {
        /// The position of the server's object.
        place: Place,
        /// The type that it most likely is.
        likely: &'static str,
    },
    /// There are an address and a program and no `type`.
    #[error(
        "{place}: there are a `command` and a `url` and no `type`: remove one, or write the type that is meant"
    )]
    TypeUnclear {
        /// The position of the server's object.
        place: Place,
    },
    /// `command` is missing or empty.
    #[error(
        "{place}: there is no `command`{}: name the program to start, or write a `type` and a `url`",
        near(.meant.as_deref())
    )]
    NoCommand {
        /// The position of the server's object.
        place: Place,
        /// A key of the object that may have been meant.
        meant: Option<String>,
    },
    /// A member is missing without which a server of this type can't be reached.
    #[error("{place}: there is no `{key}`{}: a server of type `{kind}` needs one", near(.meant.as_deref()))]
    Missing {
        /// The position of the server's object.
        place: Place,
        /// The key.
        key: &'static str,
        /// The type.
        kind: &'static str,
        /// A key of the object that may have been meant.
        meant: Option<String>,
    },
    /// An address can't be used.
    #[error("{place}: `{key}` {why}")]
    Url {
        /// The position of the value.
        place: Place,
        /// The key.
        key: &'static str,
        /// The problem, and what to do.
        why: String,
    },
    /// A header can't be sent.
    #[error("{place}: the header `{}` {why}", cut(.name))]
    Header {
        /// The position of the value.
        place: Place,
        /// The name as written.
        name: String,
        /// The problem, and what to do.
        why: &'static str,
    },
    /// The `oauth` members are inconsistent or incomplete.
    #[error("{place}: `oauth` {why}")]
    Grant {
        /// The position of the problem, or of `oauth` if something is missing.
        place: Place,
        /// The problem, and what to do.
        why: String,
    },
    /// There is a private key without its certificate.
    #[error("{place}: `tls` has a `key` and no `cert`: name the certificate as well")]
    KeyAlone {
        /// The position of `tls`.
        place: Place,
    },
    /// Variables are used that are not set.
    #[error("{place}: {} not set: set what is missing, or write `${{NAME:-default}}`", quoted(.names))]
    VariableMissing {
        /// The position of the server's object.
        place: Place,
        /// The names, sorted.
        names: Vec<String>,
    },
    /// A use of a variable is malformed.
    #[error(
        "{place}: `{}` is not a use of a variable: write `${{NAME}}` or `${{NAME:-default}}`, without another one in it",
        cut(.text)
    )]
    VariableUnclear {
        /// The position of the server's object.
        place: Place,
        /// The use as written.
        text: String,
    },
    /// A variable is not valid Unicode, in a value that must be text.
    #[error("{place}: a variable that is used in it is not UTF-8: set it to text")]
    VariableNotText {
        /// The position of the server's object.
        place: Place,
    },
    /// A variable has a name that no environment can contain.
    #[error("{place}: `{}` can't be the name of a variable: remove `=` and NUL, and leave no name empty", cut(.name))]
    VariableName {
        /// The position of the value.
        place: Place,
        /// The name as written.
        name: String,
    },
    /// The time limit is zero.
    #[error("{place}: a `timeout` of 0 leaves no time for any call: give milliseconds, or remove it")]
    NoTime {
        /// The position.
        place: Place,
    },
}

/// Returns a text of the user, shortened to a readable length and without control characters.
pub(super) fn cut(text: &str) -> String {
    const LONGEST: usize = 80;
    Visible(&becket_base::text::cut(text, LONGEST)).to_string()
}

pub(super) fn near(meant: Option<&str>) -> String {
    meant.map_or(String::new(), |meant| format!(" (is `{}` meant to be it?)", cut(meant)))
}

fn or_other(likely: &str) -> &'static str {
    if likely == "http" { " (or `sse`, if it is an older server)" } else { "" }
}

fn quoted(names: &[String]) -> String {
    let list = names.iter().map(|name| format!("`{}`", cut(name))).collect::<Vec<_>>().join(", ");
    if names.len() == 1 { format!("the variable {list} is") } else { format!("the variables {list} are") }
}
