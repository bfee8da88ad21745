//! Updates that a host may show while a session works, in order.
//!
//! Hooks have their own stream ([`becket_engine::RunEvent`], by [`becket_engine::Builder::observe`]); these updates are
//! about the conversation around them. They decide nothing.

use crate::error_class::ErrorClass;
use becket_engine::config::Diagnostic;
use becket_exec::line::Refusal;
use becket_llm::{Block, Delta, RateLimit, Usage};
use becket_model::{AgentId, EventKind};
use becket_tools::tasks::TaskKind;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// Something that happened in a session.
#[derive(Debug, Clone)]
pub struct Update {
    /// The agent loop in which it happened.
    pub of: Origin,
    /// The kind of update, with its data.
    pub what: UpdateKind,
}

/// The source of an update.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Origin {
    /// The session's own agent loop.
    Main,
    /// The agent loop of a subagent.
    Subagent {
        /// The id of the subagent.
        id: AgentId,
        /// The call of `Agent` that started it.
        tool_use_id: String,
    },
}

/// The kind of an update.
#[derive(Debug, Clone)]
pub enum UpdateKind {
    /// A piece of the answer's text, as it is streamed.
    Text {
        /// The text of the piece.
        delta: String,
    },
    /// A piece of any kind of an answer, if the session reports them. An answer that fails after its start begins
    /// again.
    Piece(Delta),
    /// Complete lines of an answer as changed by MessageDisplay hooks, if the session reports them as they arrive
    /// (D11).
    Displayed {
        /// The text to show.
        text: String,
    },
    /// A complete answer of the model.
    Answered {
        /// The provider's id of the answer, or a generated one.
        message_id: String,
        /// The model that answered.
        model: String,
        /// The content of the answer; the text as changed by MessageDisplay hooks is in `displayed`.
        content: Vec<Block>,
        /// The text that a MessageDisplay hook shows on the screen instead (D11).
        displayed: Option<String>,
        /// The token usage.
        usage: Usage,
        /// The answer's name in the transcript, if it is stored.
        uuid: Option<String>,
    },
    /// A message of the user role: the results of a batch, texts of hooks, feedback.
    UserMessage {
        /// The content for the model.
        content: Vec<Block>,
        /// Set if transcript views hide it (L4).
        hidden: bool,
    },
    /// A call is being processed: its hooks run first, and then it may run.
    CallStarted {
        /// The id of the call.
        tool_use_id: String,
        /// The name of the tool.
        tool: String,
    },
    /// A call was answered.
    CallEnded {
        /// The id of the call.
        tool_use_id: String,
        /// The name of the tool.
        tool: String,
        /// Set if the result is an error.
        is_error: bool,
    },
    /// A message for the user: a hook's `systemMessage`, an action that was not checked (O10), a warning.
    Notice(Notice),
    /// The hooks at the end of a turn have run (L8).
    StopHooks(StopSummary),
    /// A request failed and will be retried.
    Retrying {
        /// The number of the next attempt, from 2.
        attempt: u32,
        /// The maximum number of retries after such an error.
        max_retries: u32,
        /// The wait before it.
        after: Duration,
        /// The HTTP status of the previous attempt, as far as its error determines it; `None` if there was none.
        status: Option<u16>,
        /// The class of its error.
        class: ErrorClass,
        /// The error of the previous attempt.
        because: String,
    },
    /// The provider reports the state of its limit on requests, with each answer.
    RateLimit(RateLimit),
    /// The conversation was replaced by its summary.
    Compacted {
        /// `manual` or `auto`.
        trigger: String,
        /// The size of the conversation before, in tokens, as far as it is known.
        tokens_before: u64,
    },
    /// An MCP server reports that the work behind the address to which it sent the user is done (X6).
    ElicitationComplete {
        /// The name of the server.
        server: String,
        /// The server's id of the question.
        id: String,
    },
    /// The title of the session has changed.
    Titled {
        /// The new title.
        title: String,
    },
    /// The conversation has ended, and another one starts.
    Cleared {
        /// The id of the new session.
        session: String,
    },
    /// The working directory has changed.
    Moved {
        /// The new working directory.
        cwd: PathBuf,
    },
    /// A background task has started or ended.
    Task {
        /// The id of the task.
        id: String,
        /// The status: `running`, `completed`, `failed`, `killed`.
        status: String,
        /// The kind of work.
        kind: TaskKind,
        /// The description of the work.
        description: String,
        /// The private file with the output, which is removed when the session ends.
        output_file: PathBuf,
    },
    /// A program that a shell command line would have executed was not run (E3).
    ProgramDenied {
        /// The call with the command line.
        tool_use_id: String,
        /// The arguments of the program, joined by spaces.
        command: String,
        /// The reason.
        reason: String,
        /// The chain of programs that led to it, ending with the program itself.
        chain: Vec<String>,
    },
    /// A program of a shell command line was refused access; reported once for each path and host (E5).
    AccessRefused {
        /// The call with the command line.
        tool_use_id: String,
        /// The program, and the right that it lacks.
        refusal: Refusal,
    },
}

/// The importance of a notice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Level {
    /// Information.
    Notice,
    /// Something differs from what the user wants.
    Warning,
    /// Something has failed.
    Error,
}

impl Level {
    /// Returns the name on the wire.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Notice => "notice",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}

/// A message for the user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Notice {
    /// The importance.
    pub level: Level,
    /// The hook that the notice comes from, if any: `PreToolUse:Bash`.
    pub hook: Option<String>,
    /// The text.
    pub text: String,
    /// Set if an action was not checked because a hook gave no usable answer (O10).
    pub unchecked: bool,
}

impl Notice {
    /// Returns the notice of a problem in a file.
    #[must_use]
    pub fn of(diagnostic: &Diagnostic) -> Self {
        let level = if diagnostic.is_error() { Level::Error } else { Level::Warning };
        Self { level, ..Self::warning(diagnostic.to_string()) }
    }

    /// Creates a warning of the host's own.
    pub fn warning(text: impl Into<String>) -> Self {
        Self { level: Level::Warning, hook: None, text: text.into(), unchecked: false }
    }
}

/// A summary of the hooks at the end of a turn (L8).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StopSummary {
    /// The event: Stop, SubagentStop, TaskCompleted or TeammateIdle.
    pub event: EventKind,
    /// The label and run time of each hook that ran.
    pub hooks: Vec<(String, Duration)>,
    /// The errors: stderr, or the exit code.
    pub errors: Vec<String>,
    /// The reason why a hook kept the turn from continuing, if one did.
    pub prevented: Option<String>,
    /// Set if any hook printed something.
    pub had_output: bool,
    /// The id of this summary.
    pub id: String,
}

/// Sends an agent loop's updates to all watchers. Cheap to clone.
#[derive(Clone)]
pub(crate) struct Updates {
    watchers: Arc<[Arc<dyn Watch>]>,
    of: Origin,
}

impl Updates {
    pub(crate) fn new(watchers: impl IntoIterator<Item = Arc<dyn Watch>>) -> Self {
        Self { watchers: watchers.into_iter().collect(), of: Origin::Main }
    }

    /// Returns a sender to the same watchers, for another agent loop.
    pub(crate) fn about(&self, of: Origin) -> Self {
        Self { watchers: Arc::clone(&self.watchers), of }
    }

    /// Sends an update. A panic in a watcher affects only that watcher.
    pub(crate) fn send(&self, what: UpdateKind) {
        let update = Update { of: self.of.clone(), what };
        for watcher in self.watchers.iter() {
            let _ = catch_unwind(AssertUnwindSafe(|| watcher.on(&update)));
        }
    }

    pub(crate) fn notice(&self, notice: Notice) {
        self.send(UpdateKind::Notice(notice));
    }
}

impl fmt::Debug for Updates {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Updates")
            .field("watchers", &self.watchers.len())
            .field("of", &self.of)
            .finish_non_exhaustive()
    }
}

/// Receives updates as they happen, on the task that does the work. Must not block.
pub trait Watch: Send + Sync {
    /// Called for each update.
    fn on(&self, update: &Update);
}

impl<F: Fn(&Update) + Send + Sync> Watch for F {
    fn on(&self, update: &Update) {
        self(update);
    }
}
