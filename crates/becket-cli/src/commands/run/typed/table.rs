//! The table of commands.

/// One of the program's own commands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Command {
    /// The name, without the slash.
    pub(crate) name: &'static str,
    /// The argument, as help shows it; empty if the command takes none.
    pub(crate) hint: &'static str,
    /// A short description.
    pub(crate) about: &'static str,
    pub(super) what: Action,
}

impl Action {
    /// Returns true if only a user at a terminal may run the command with this argument: it grants something, switches
    /// the model, or leaves the session.
    ///
    /// A program that drives a session may forward text of its own users. It switches the model by a control request.
    pub(super) const fn requires_user(self, argument: Option<&str>) -> bool {
        match self {
            Action::AddDir | Action::Resume | Action::Logout => true,
            Action::Model => argument.is_some(),
            Action::Help
            | Action::Hooks
            | Action::Permissions
            | Action::Mcp
            | Action::Agents
            | Action::Tasks
            | Action::Cost
            | Action::Btw
            | Action::Compact
            | Action::Clear => false,
        }
    }
}

/// The action.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Action {
    Help,
    Hooks,
    Permissions,
    Mcp,
    Agents,
    Tasks,
    Model,
    AddDir,
    Cost,
    Btw,
    Logout,
    Resume,
    Compact,
    Clear,
}

/// All commands, in the order of help.
pub(crate) const COMMANDS: [Command; 14] = [
    of("help", "", "lists the commands", Action::Help),
    of(
        "hooks",
        "[EVENT | explain [EVENT]]",
        "lists the hooks in force; explains which ran on the last event, and which did not",
        Action::Hooks,
    ),
    of(
        "permissions",
        "",
        "shows the mode, the rules and the working directories, with their sources",
        Action::Permissions,
    ),
    of("mcp", "[SERVER]", "shows the state of the MCP servers; the tools of one", Action::Mcp),
    of("agents", "", "lists the agents that the model may start", Action::Agents),
    of("tasks", "[stop ID]", "lists background tasks; stops one", Action::Tasks),
    of("model", "[NAME]", "shows the current model; switches to another", Action::Model),
    of("add-dir", "DIR", "adds a working directory to this session", Action::AddDir),
    of("cost", "", "shows tokens, price and time so far", Action::Cost),
    of("btw", "QUESTION", "asks a question outside of the conversation", Action::Btw),
    of(
        "logout",
        "[SERVER]",
        "deletes tokens of MCP servers and ends the session; with a server, only its tokens",
        Action::Logout,
    ),
    of("resume", "[ID]", "lists the sessions of this directory; continues one of them", Action::Resume),
    of("compact", "[INSTRUCTIONS]", "replaces the conversation with a summary", Action::Compact),
    of("clear", "", "starts a new conversation", Action::Clear),
];

const fn of(name: &'static str, hint: &'static str, about: &'static str, what: Action) -> Command {
    Command { name, hint, about, what }
}

/// Returns the names of the commands, without the slash.
pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    COMMANDS.iter().map(|command| command.name)
}
