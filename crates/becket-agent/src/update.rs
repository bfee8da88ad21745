//! Updates that a host may show while a session works, in order.
//!
//! Hooks have a stream of their own ([`becket_engine::RunEvent`], by [`becket_engine::Builder::observe`]); these
//! updates are the conversation around them. They decide nothing.

use becket_engine::config::Diagnostic;
use becket_exec::line::Refusal;
use becket_llm::{Block, Delta, Usage};
use becket_model::{AgentId, EventKind};
use becket_tools::tasks::TaskKind;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// One thing that happened in a session.
#[derive(Debug, Clone)]
pub struct Update {
    /// In which agent loop.
    pub of: Origin,
    /// What.
    pub what: UpdateKind,
}

/// Source of an update.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Origin {
    /// The session's own.
    Main,
    /// A subagent's.
    Subagent {
        /// The subagent.
        id: AgentId,
        /// The call of `Agent` that started it.
        tool_use_id: String,
    },
}

/// Kind of an update.
#[derive(Debug, Clone)]
pub enum UpdateKind {
    /// A piece of the answer's text, as it streams.
    Text {
        /// The piece.
        delta: String,
    },
    /// A piece of an answer of any kind, if the session reports them. An answer that fails after its start begins again.
    Piece(Delta),
    /// Whole lines of an answer as MessageDisplay hooks left them, if the session reports them as they come (D11).
    Displayed {
        /// Text to show.
        text: String,
    },
    /// A whole answer of the model.
    Answered {
        /// The provider's id of it, or one that was made up.
        message_id: String,
        /// The model that answered.
        model: String,
        /// Content of the answer; the text as MessageDisplay hooks changed it is in `displayed`.
        content: Vec<Block>,
        /// Text that a MessageDisplay hook shows instead on the screen (D11).
        displayed: Option<String>,
        /// Tokens.
        usage: Usage,
        /// Its name in the transcript, if it is stored.
        uuid: Option<String>,
    },
    /// A message of the user's side: the results of a batch, hook texts, feedback.
    Told {
        /// Content for the model.
        content: Vec<Block>,
        /// Set if a transcript view hides it (L4).
        hidden: bool,
    },
    /// A call is looked at: by its hooks first, and then it may run.
    CallStarted {
        /// The call.
        tool_use_id: String,
        /// The tool.
        tool: String,
    },
    /// A call was answered.
    CallEnded {
        /// The call.
        tool_use_id: String,
        /// The tool.
        tool: String,
        /// Set if the model got an error.
        is_error: bool,
    },
    /// Something for the user's eyes: a hook's `systemMessage`, an action that was not checked (O10), a warning.
    Notice(Notice),
    /// The hooks at the end of a turn have run (L8).
    StopHooks(StopSummary),
    /// A request failed and is sent again.
    Retrying {
        /// Number of the next attempt, from 2.
        attempt: u32,
        /// After this wait.
        after: Duration,
        /// Failure of the previous attempt.
        because: String,
    },
    /// The conversation was replaced by its summary.
    Compacted {
        /// `manual` or `auto`.
        trigger: String,
        /// Its size before, in tokens, as far as it is known.
        tokens_before: u64,
    },
    /// An MCP server says that what it has sent the user to an address for is done (X6).
    ElicitationComplete {
        /// The server.
        server: String,
        /// The server's id of that question.
        id: String,
    },
    /// The session has another title.
    Titled {
        /// The title.
        title: String,
    },
    /// The conversation has ended, and another one begins.
    Cleared {
        /// The id of the new session.
        session: String,
    },
    /// The working directory moved.
    Moved {
        /// The new directory.
        cwd: PathBuf,
    },
    /// A background task began, or ended.
    Task {
        /// Its id.
        id: String,
        /// Status: `running`, `completed`, `failed`, `killed`.
        status: String,
        /// Kind of work.
        kind: TaskKind,
        /// Description of its work.
        description: String,
        /// The private file with its output; gone once the session is.
        output_file: PathBuf,
    },
    /// A program that a shell line wanted to execute was not run (E3).
    ProgramDenied {
        /// The call of the line.
        tool_use_id: String,
        /// Its arguments, joined by blanks.
        command: String,
        /// The reason.
        reason: String,
        /// The programs that led to it, itself last.
        chain: Vec<String>,
    },
    /// Rights have refused something to a program of a shell line, the first time for each path and host (E5).
    AccessRefused {
        /// The call of the line.
        tool_use_id: String,
        /// The program and the right.
        refusal: Refusal,
    },
}

/// Importance of a notice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Level {
    /// Good to know.
    Notice,
    /// Something is not as the user wants it.
    Warning,
    /// Something did not work.
    Error,
}

impl Level {
    /// The word on the wire.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Notice => "notice",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}

/// Something for the user's eyes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Notice {
    /// Importance.
    pub level: Level,
    /// The hook that it comes from, if any: `PreToolUse:Bash`.
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

    /// A warning of the host's own.
    pub fn warning(text: impl Into<String>) -> Self {
        Self { level: Level::Warning, hook: None, text: text.into(), unchecked: false }
    }
}

/// A summary of the hooks at the end of a turn (L8).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StopSummary {
    /// Stop, SubagentStop, TaskCompleted or TeammateIdle.
    pub event: EventKind,
    /// Each hook that ran: its label and how long it took.
    pub hooks: Vec<(String, Duration)>,
    /// Errors: stderr, or the exit code.
    pub errors: Vec<String>,
    /// The reason why a hook kept the turn from continuing, if one did.
    pub prevented: Option<String>,
    /// Set if any hook printed something.
    pub had_output: bool,
    /// Tells this summary from others.
    pub id: String,
}

/// Sender of an agent loop's updates to all watchers. Cheap to clone.
#[derive(Clone)]
pub(crate) struct Updates {
    watchers: Arc<[Arc<dyn Watch>]>,
    of: Origin,
}

impl Updates {
    pub(crate) fn new(watchers: impl IntoIterator<Item = Arc<dyn Watch>>) -> Self {
        Self { watchers: watchers.into_iter().collect(), of: Origin::Main }
    }

    /// The same watchers, about another agent loop.
    pub(crate) fn about(&self, of: Origin) -> Self {
        Self { watchers: Arc::clone(&self.watchers), of }
    }

    /// Sends an update. A panic in a watcher affects only that watcher.
    pub(crate) fn tell(&self, what: UpdateKind) {
        let update = Update { of: self.of.clone(), what };
        for watcher in self.watchers.iter() {
            let _ = catch_unwind(AssertUnwindSafe(|| watcher.on(&update)));
        }
    }

    pub(crate) fn notice(&self, notice: Notice) {
        self.tell(UpdateKind::Notice(notice));
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

/// Sees updates as they happen, on the task that works. Must not block.
pub trait Watch: Send + Sync {
    /// Something happened.
    fn on(&self, update: &Update);
}

impl<F: Fn(&Update) + Send + Sync> Watch for F {
    fn on(&self, update: &Update) {
        self(update);
    }
}
