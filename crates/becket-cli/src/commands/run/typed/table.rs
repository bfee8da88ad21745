//! Which commands there are.

/// A command of the program's own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Command {
    /// Without the slash.
    pub(crate) name: &'static str,
    /// What stands behind it, as help shows it; nothing where nothing may.
    pub(crate) hint: &'static str,
    /// What it does, in a few words.
    pub(crate) about: &'static str,
    pub(super) what: What,
}

/// What is done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum What {
    Help,
    Hooks,
    Permissions,
    Mcp,
    Agents,
    Tasks,
    Model,
    AddDir,
    Cost,
    Resume,
    Compact,
    Clear,
}

/// All of them, in the order of help.
pub(crate) const COMMANDS: [Command; 12] = [
    of("help", "", "what may be typed", What::Help),
    of(
        "hooks",
        "[EVENT | explain [EVENT]]",
        "the hooks in force; what ran, or did not, on the last event",
        What::Hooks,
    ),
    of("permissions", "", "mode, rules and working directories, and whose they are", What::Permissions),
    of("mcp", "[SERVER]", "how MCP servers stand; the tools of one", What::Mcp),
    of("agents", "", "the agents that the model may start", What::Agents),
    of("tasks", "[stop ID]", "what runs in the background; ends one", What::Tasks),
    of("model", "[NAME]", "which model answers; asks another from now on", What::Model),
    of("add-dir", "DIR", "one more working directory for this session", What::AddDir),
    of("cost", "", "tokens, price and time so far", What::Cost),
    of("resume", "[ID]", "the sessions of this directory; goes on with one of them", What::Resume),
    of("compact", "[WHAT TO HEED]", "puts a summary in the place of the conversation", What::Compact),
    of("clear", "", "begins another conversation in the place of this one", What::Clear),
];

const fn of(name: &'static str, hint: &'static str, about: &'static str, what: What) -> Command {
    Command { name, hint, about, what }
}

/// Their names, without the slash.
pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    COMMANDS.iter().map(|command| command.name)
}
