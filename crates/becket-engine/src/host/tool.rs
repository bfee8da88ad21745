//! A tool of the host: its description for hooks, rules and the model, and its work.

use becket_llm::{Block, Object, ToolSpec};
use becket_model::{Rights, Session, as_tool_name};
use becket_process::CancellationToken;
use becket_rules::PermissionUpdate;
use becket_rules::shell::Line;
use futures_util::future::BoxFuture;
use serde_json::{Map, Value};
use std::any::Any;
use std::path::PathBuf;
use std::time::Duration;

/// A tool. It only does its work: hooks, rules, the mode and the user decide beforehand whether a call may run.
///
/// Only [`Tool::name`], [`Tool::spec`] and [`Tool::run`] are required; the other methods default to a cautious answer.
pub trait Tool: Send + Sync {
    /// Returns its name, as the model calls it and as hooks and rules know it.
    fn name(&self) -> &str;

    /// Returns another name that deny and ask rules, matchers and `if` may use: the full name before it was cut (X5).
    /// Allow rules can't use it.
    fn other_name(&self) -> Option<&str> {
        None
    }

    /// Returns the specification for the model.
    fn spec(&self) -> ToolSpec;

    /// Returns the known effects of the tool.
    fn hints(&self) -> Hints {
        Hints::default()
    }

    /// Returns the MCP server that it belongs to.
    fn server(&self) -> Option<&ToolServer> {
        None
    }

    /// Returns whether the user has to answer its prompts, as an MCP tool declares by
    /// `anthropic/requiresUserInteraction`: no hook's allow and no mode replaces the answer (D3).
    fn requires_user(&self) -> bool {
        false
    }

    /// Returns whether a call runs with [`RunningCall::rights`] and no more, or not at all (E5). Otherwise a call with
    /// restricted rights is denied.
    fn enforces_rights(&self) -> bool {
        false
    }

    /// Checks an input against the tool's schema: the model's own (L0), and one that a hook rewrote (D9).
    ///
    /// # Errors
    /// Returns the problem, for the model; it names the field.
    fn check(&self, input: &Map<String, Value>) -> Result<(), String> {
        let _ = input;
        Ok(())
    }

    /// Returns the defaults of its schema; they are filled in before hooks see a call (N3).
    fn defaults(&self) -> Map<String, Value> {
        Map::new()
    }

    /// Returns the effect of a call, as modes see it (P14); [`Effect::Acts`] if it is not certain.
    ///
    /// `input` is the one that would run: paths absolute (N3), defaults filled in, rewritten if a hook did so. Called
    /// on the task that fires, so it may access a few files and must not wait.
    fn effect(&self, session: &Session, input: &Map<String, Value>) -> Effect {
        let _ = (session, input);
        Effect::Acts
    }

    /// Returns the commands of a line that need no allow rule beside commands that have one, by their indices in
    /// [`Line::commands`]: they only read, wherever the others may have left the session (P4, P14). Called like
    /// [`Tool::effect`], only for calls of a shell, and only if allow rules cover a part of the line.
    fn harmless_commands(&self, session: &Session, line: &Line) -> Vec<usize> {
        let _ = (session, line);
        Vec::new()
    }

    /// Returns the rule updates that the user is offered beside yes and no (P13).
    fn suggestions(&self, session: &Session, input: &Map<String, Value>) -> Vec<PermissionUpdate> {
        let _ = (session, input);
        Vec::new()
    }

    /// Returns the file that a call with this input reads or changes, absolute; `None` if it does not concern a single
    /// file.
    fn touches(&self, input: &Map<String, Value>) -> Option<PathBuf> {
        let _ = input;
        None
    }

    /// Reads the output by which a PostToolUse hook replaces this tool's output (D11). By default a string is shown as
    /// it is, and anything else as JSON.
    ///
    /// # Errors
    /// Errors if it does not have the shape of this tool's output: then the original stays.
    fn replaced(&self, value: &Value) -> Result<ToolOutput, String> {
        let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        Ok(ToolOutput::text(text, value.clone()))
    }

    /// Runs a call. After `cancel` it is dropped within a few seconds: everything that it has started has to end with
    /// it.
    fn run<'a>(&'a self, running: RunningCall<'a>) -> BoxFuture<'a, Result<ToolOutput, ToolFailure>>;
}

impl dyn Tool + '_ {
    /// Returns the names that deny and ask rules, matchers and `if` may use for it beside its own, and allow rules may
    /// not (P2, X5): the full name before it was cut, and its server's name if that contains `__`, since rules without
    /// `__*` can't tell such a server from a tool. An event about a call of the tool carries them
    /// ([`becket_model::Event::other_names`]).
    #[must_use]
    pub fn restricting_names(&self) -> Vec<String> {
        let server =
            self.server().map(|server| as_tool_name(&server.name)).filter(|name| name.contains("__"));
        let server = server.map(|name| format!("mcp__{name}"));
        self.other_name().map(str::to_owned).into_iter().chain(server).collect()
    }
}

/// A call as a model wrote it.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolCall {
    /// Its id (`tool_use_id`).
    pub id: String,
    /// The tool.
    pub name: String,
    /// The input.
    pub input: Object,
}

/// A running call.
#[derive(Debug, Clone, Copy)]
pub struct RunningCall<'a> {
    /// The session of the call.
    pub session: &'a Session,
    /// The id of the call.
    pub id: &'a str,
    /// The input that hooks and rules have judged.
    pub input: &'a Map<String, Value>,
    /// The model's own input, not normalized or rewritten, for responses that repeat parts of it (N3).
    pub own: &'a Map<String, Value>,
    /// The rights that hooks leave to the call, those of each hook, with paths as they are written. The call has the
    /// rights that all of them leave, and the settings may leave fewer (E5).
    pub rights: &'a [Rights],
    /// Cancelled once the result is no longer needed.
    pub cancel: &'a CancellationToken,
    /// The time limit. The tool enforces it itself, since only it knows when its clock is paused.
    pub limit: Duration,
    /// A value of the caller, for tools that are built for it; see [`RunningCall::of_caller`].
    pub caller: &'a (dyn Any + Send + Sync),
}

impl<'a> RunningCall<'a> {
    /// Returns the caller's value if it has this type.
    #[must_use]
    pub fn of_caller<T: Any>(&self) -> Option<&'a T> {
        self.caller.downcast_ref()
    }
}

/// The effect of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Effect {
    /// The call reads inside the working directories, or is a command that only reads.
    Reads,
    /// The call edits inside the working directories.
    Edits,
    /// The call edits elsewhere.
    EditsElsewhere,
    /// The call edits protected files: `.git`, settings, shell profiles.
    EditsProtected,
    /// The call edits files, among other or unknown effects: a command line with `rm` or a redirection.
    ActsAndEdits,
    /// Anything else, including unknown effects.
    Acts,
}

/// A tool's declared effects; by default the cautious ones (X5).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Hints {
    /// The tool changes nothing.
    pub read_only: bool,
    /// The tool may destroy something.
    pub destructive: bool,
    /// The tool interacts with the outside world.
    pub open_world: bool,
    /// Its calls may run concurrently with other such calls.
    pub together: bool,
}

impl Default for Hints {
    fn default() -> Self {
        Self { read_only: false, destructive: true, open_world: true, together: false }
    }
}

/// The MCP server of a tool, as events name it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ToolServer {
    /// Its name in the configuration.
    pub name: String,
    /// The origin of its configuration.
    pub source: String,
}

impl ToolServer {
    /// Returns a server by its name, with the origin of its configuration.
    pub fn new(name: impl Into<String>, source: impl Into<String>) -> Self {
        Self { name: name.into(), source: source.into() }
    }

    /// Returns the fields of `mcp_server` in events.
    #[must_use]
    pub fn on_the_wire(&self) -> Map<String, Value> {
        let fields = [("name", &self.name), ("source", &self.source)];
        fields.into_iter().map(|(key, value)| (key.to_owned(), Value::String(value.clone()))).collect()
    }
}

/// The output of a tool.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct ToolOutput {
    /// The content for the model.
    pub content: Vec<Block>,
    /// The output for hooks: `tool_response`.
    pub response: Value,
}

/// The reason why a tool that was started gave no answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{error}")]
#[non_exhaustive]
pub struct ToolFailure {
    /// The error for the model.
    pub error: String,
    /// Set if the tool's own work was interrupted.
    pub interrupted: bool,
}

impl ToolOutput {
    /// Returns an output of blocks.
    pub fn new(content: Vec<Block>, response: Value) -> Self {
        Self { content, response }
    }

    /// Returns an output of text.
    pub fn text(text: impl Into<String>, response: Value) -> Self {
        Self { content: vec![Block::Text(text.into())], response }
    }

    /// Returns its text alone, as in batches.
    #[must_use]
    pub fn as_text(&self) -> String {
        let texts: Vec<&str> = self.content.iter().filter_map(Block::as_text).collect();
        texts.join("\n")
    }
}

impl ToolFailure {
    /// Returns a failure of the tool itself.
    pub fn new(error: impl Into<String>) -> Self {
        Self { error: error.into(), interrupted: false }
    }

    /// Sets whether the tool's own work was interrupted.
    #[must_use]
    pub fn interrupted(self, interrupted: bool) -> Self {
        Self { interrupted, ..self }
    }
}
