//! What a host may show while a session works, in the order in which it happens.
//!
//! Hooks have a stream of their own ([`becket_engine::RunEvent`], by [`becket_engine::Builder::observe`]); here is the
//! conversation around them. Nothing in here decides anything.

use becket_engine::config::Diagnostic;
use becket_llm::{Block, Usage};
use becket_model::{AgentId, EventKind};
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// One thing that happened in a session.
#[derive(Debug, Clone)]
pub struct Update {
    /// In which line of work.
    pub of: Origin,
    /// What.
    pub what: Happened,
}

/// Whose work an update is about.
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

/// What happened.
#[derive(Debug, Clone)]
pub enum Happened {
    /// A piece of the answer's text, as it streams.
    Text {
        /// The piece.
        delta: String,
    },
    /// Whole lines of an answer as MessageDisplay hooks left them, where the session is to tell them as they come (D11).
    Displayed {
        /// What is to be shown.
        text: String,
    },
    /// A whole answer of the model.
    Answered {
        /// The provider's id of it, or one that was made up.
        message_id: String,
        /// The model that answered.
        model: String,
        /// What it said; the text as MessageDisplay hooks left it is in `displayed`.
        content: Vec<Block>,
        /// What a MessageDisplay hook put in the place of the text on the screen (D11).
        displayed: Option<String>,
        /// Tokens.
        usage: Usage,
    },
    /// A message of the user's side: the results of a batch, hook texts, feedback.
    Told {
        /// What the model is told.
        content: Vec<Block>,
        /// Whether a transcript view hides it (L4).
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
        /// Whether the model was told of an error.
        is_error: bool,
    },
    /// Something for the user's eyes: a hook's `systemMessage`, an action that was not checked (O10), a warning.
    Notice(Notice),
    /// The hooks at the end of a turn have run (L8).
    StopHooks(StopSummary),
    /// A request failed and is sent again.
    Retrying {
        /// Which attempt comes, from 2.
        attempt: u32,
        /// After this wait.
        after: Duration,
        /// Why the one before failed.
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
        /// What it calls that question.
        id: String,
    },
    /// The session has another title.
    Titled {
        /// The title.
        title: String,
    },
    /// The working directory moved.
    Moved {
        /// Where to.
        cwd: PathBuf,
    },
    /// A background task began, or ended.
    Task {
        /// Its id.
        id: String,
        /// Whether it still runs, and how it ended: `running`, `completed`, `failed`, `killed`.
        status: String,
        /// What it does.
        description: String,
        /// The private file that holds what it has said; gone once the session is.
        output_file: PathBuf,
    },
}

/// How much a notice matters.
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
    /// How much it matters.
    pub level: Level,
    /// Whose words it repeats: `PreToolUse:Bash`, if a hook's.
    pub hook: Option<String>,
    /// The text.
    pub text: String,
    /// Whether an action was not checked because a hook gave no usable answer (O10).
    pub unchecked: bool,
}

impl Notice {
    /// What is wrong, or looks wrong, in a file.
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

/// What the hooks at the end of a turn did, in one summary (L8).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StopSummary {
    /// Stop, SubagentStop, TaskCompleted or TeammateIdle.
    pub event: EventKind,
    /// Each hook that ran: its label and how long it took.
    pub hooks: Vec<(String, Duration)>,
    /// What went wrong: stderr, or the exit code.
    pub errors: Vec<String>,
    /// Why the turn was kept from going on, where a hook did that.
    pub prevented: Option<String>,
    /// Whether any hook printed something.
    pub had_output: bool,
    /// Tells this summary from others.
    pub id: String,
}

/// Tells everybody who watches of one line of work. Cheap to clone.
#[derive(Clone)]
pub(crate) struct Updates {
    watchers: Arc<[Arc<dyn Watch>]>,
    of: Origin,
}

impl Updates {
    pub(crate) fn new(watchers: impl IntoIterator<Item = Arc<dyn Watch>>) -> Self {
        Self { watchers: watchers.into_iter().collect(), of: Origin::Main }
    }

    /// The same watchers, about another line of work.
    pub(crate) fn about(&self, of: Origin) -> Self {
        Self { watchers: Arc::clone(&self.watchers), of }
    }

    /// Tells it. A watcher that panics harms nobody but itself.
    pub(crate) fn tell(&self, what: Happened) {
        let update = Update { of: self.of.clone(), what };
        for watcher in self.watchers.iter() {
            let _ = catch_unwind(AssertUnwindSafe(|| watcher.on(&update)));
        }
    }

    pub(crate) fn notice(&self, notice: Notice) {
        self.tell(Happened::Notice(notice));
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
