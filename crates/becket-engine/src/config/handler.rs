//! A handler as the engine runs it: resolved, compiled, immutable.
//!
//! Raw configuration never gets here: an entry that can't be read is a diagnostic and a
//! [`crate::config::hookset::RejectedHandler`].

use crate::config::rollout::Rollout;
use crate::host::callback::{CallbackFn, InProcess};
use crate::host::names::names;
use becket_model::table::HandlerKind;
use becket_model::{AgentId, EventKind, HandlerOrigin};
use becket_rules::{Condition, Matcher};
use serde_json::{Map, Value};
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// One handler of one event.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Handler {
    /// The event that it is registered for.
    pub event: EventKind,
    /// Its order, source and label, and what its answers may do.
    pub place: HandlerOrigin,
    /// The position of its definition.
    pub location: Location,
    /// The values of the event's subject that it runs for (M1–M7).
    pub matcher: Matcher,
    /// The `if`, for tool events (P12).
    pub condition: If,
    /// The directory that a rule path `/p` in its `if` starts from (P7).
    pub anchor: PathBuf,
    /// Its time limit (H11).
    pub timeout: Timeout,
    /// The text that a host shows while it runs (H13).
    pub status_message: Option<Arc<str>>,
    /// Set if it is removed after its first successful run (C11).
    pub once: Option<Once>,
    /// Set if it runs in the background from the start (A1, A4).
    pub background: Background,
    /// The stage of its rollout: its answers count, or are only recorded up to a day (G5).
    pub rollout: Rollout,
    /// Set if it may ask the user over stdout and stdin (Q1).
    pub questions: bool,
    /// Set if one process of the command answers many events, one after another.
    pub worker: bool,
    /// Set if its command may be started ahead of its event.
    pub warm: Warm,
    /// The only agent whose events it sees, if there is one (C10).
    pub agent_scope: Option<AgentId>,
    /// The plugin or skill whose root and options it sees.
    pub root: Option<Arc<Root>>,
    /// The action to run.
    pub action: Action,
}

/// A handler's `if`.
#[derive(Debug, Clone)]
pub enum If {
    /// No `if` is given.
    Absent,
    /// The condition to evaluate.
    Rule(Condition),
    /// The text of an `if` on an event without a tool call: the handler never runs (P12).
    NeverRuns(Arc<str>),
}

/// A time limit and whether the configuration named it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Timeout {
    /// The time that it may take.
    pub limit: Duration,
    /// Set if the handler has a `timeout`, unset for the event's default.
    pub configured: bool,
}

/// The state of a `once` handler: whether it has had its successful run.
#[derive(Debug, Clone, Default)]
pub struct Once(pub(crate) Arc<AtomicBool>);

/// The background setting of a handler: whether the event waits for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Background {
    /// The event waits for it.
    #[default]
    No,
    /// The event does not wait for it (A1).
    Async,
    /// The event does not wait for it, and exit 2 wakes the host (A4).
    AsyncRewake,
}

/// The setting of a command about starting it ahead of its event.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Warm {
    /// It is started ahead where that saves time and changes nothing.
    Auto,
    /// It is started for each event.
    #[default]
    Off,
}

/// The place where a handler is written.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Location {
    /// The file, or a name in angle brackets for a text that is not in a file (`<--settings>`).
    pub file: Arc<Path>,
    /// Line, from 1; 0 if there is none.
    pub line: u32,
    /// Column in characters, from 1; 0 if there is none.
    pub column: u32,
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.file.display())?;
        if self.line > 0 {
            write!(f, ":{}:{}", self.line, self.column)?;
        }
        Ok(())
    }
}

/// The directory and options that the handlers of a plugin or a skill see (C9, C10, H2). `Debug` shows no option's
/// value: it may be a key (S3).
#[derive(Clone, PartialEq, Eq)]
pub struct Root {
    /// The value of `…_PLUGIN_ROOT`.
    pub root: PathBuf,
    /// The value of `…_PLUGIN_DATA`, for plugins.
    pub data: Option<PathBuf>,
    /// The values of `user_config` by key; each is exported as `…_PLUGIN_OPTION_<KEY>`.
    pub options: Vec<(String, String)>,
}

impl fmt::Debug for Root {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Root")
            .field("root", &self.root)
            .field("data", &self.data)
            .field("options", &names(&self.options))
            .finish()
    }
}

/// The action of a handler, one variant for each kind.
#[derive(Debug, Clone, PartialEq)]
pub enum Action {
    /// A process (H2).
    Command(Command),
    /// A POST request (H5).
    Http(Http),
    /// A tool of a connected MCP server (H6).
    McpTool(McpTool),
    /// One request to a model (H7).
    Prompt(Prompt),
    /// A model with tools (H8).
    Agent(Prompt),
    /// A function of the host (H9).
    Callback(InProcess),
}

impl Action {
    /// Returns its kind, as the table and `type` name it; `None` for a kind that no file can contain.
    pub const fn kind(&self) -> Option<HandlerKind> {
        match self {
            Action::Command(_) => Some(HandlerKind::Command),
            Action::Http(_) => Some(HandlerKind::Http),
            Action::McpTool(_) => Some(HandlerKind::McpTool),
            Action::Prompt(_) => Some(HandlerKind::Prompt),
            Action::Agent(_) => Some(HandlerKind::Agent),
            Action::Callback(_) => None,
        }
    }

    /// Returns whether it is a function that is called on the task that fires.
    pub(crate) const fn is_inline(&self) -> bool {
        matches!(self, Action::Callback(InProcess { how: CallbackFn::Inline(_), .. }))
    }

    /// Returns whether it is a callback whose progress is not reported (H13).
    pub(crate) const fn is_internal(&self) -> bool {
        matches!(self, Action::Callback(InProcess { internal: true, .. }))
    }

    /// Returns the word that reports print for its kind.
    pub const fn name(&self) -> &'static str {
        match self.kind() {
            Some(kind) => kind.name(),
            None => "callback",
        }
    }
}

/// The way a command is spawned (H2).
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Command {
    /// Shell form: the text goes to a shell as it is.
    Shell {
        /// The text.
        script: Arc<str>,
        /// The shell.
        shell: Shell,
    },
    /// Exec form: nothing is tokenised.
    Exec {
        /// A path, or a name that is looked up on `PATH`.
        program: Arc<str>,
        /// The arguments, placeholders not yet filled.
        args: Arc<[String]>,
    },
}

/// The shell of a shell-form command.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Shell {
    /// `/bin/sh` on Unix, Git Bash (else PowerShell) on Windows.
    #[default]
    Default,
    /// `pwsh`, or `powershell` if it is missing.
    PowerShell,
}

/// An HTTP handler (H5). `Debug` shows no value that could be a secret (S3).
#[derive(Clone, PartialEq)]
#[non_exhaustive]
pub struct Http {
    /// The URL that the input is posted to; never expanded.
    pub url: String,
    /// Header names and values, not yet expanded.
    pub headers: Vec<(String, String)>,
    /// The variables that header values may name.
    pub allowed_env_vars: Vec<String>,
}

impl fmt::Debug for Http {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = self.headers.iter().map(|(name, _)| name.as_str()).collect();
        f.debug_struct("Http")
            .field("url", &crate::config::url::shown(&self.url))
            .field("headers", &names)
            .field("allowed_env_vars", &self.allowed_env_vars)
            .finish()
    }
}

/// An MCP tool handler (H6).
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct McpTool {
    /// The server's name.
    pub server: String,
    /// The tool's name on the server.
    pub tool: String,
    /// Its input, `${path}` not yet filled.
    pub input: Map<String, Value>,
}

/// A prompt or agent handler (H7, H8).
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Prompt {
    /// The text, `$ARGUMENTS` not yet filled.
    pub prompt: String,
    /// The model; `None` is the host's small fast one.
    pub model: Option<String>,
    /// Set if a refusal becomes feedback instead of ending the turn.
    pub continue_on_block: bool,
}
