//! The start of a session: new, or continued.

use crate::conversation::{Conversation, StoredConversation};
use crate::transcript::{Log, RewindPoint, Store, StoreError, StoredSession};
use crate::worktree::WorktreeError;
use becket_model::event::lifecycle::SessionStart;
use std::io;
use std::path::Path;
use std::time::SystemTime;

/// The time after which a provider has dropped its cache of a conversation.
const CACHE_LIVES_S: f64 = 300.0;

/// The kind of start.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Start {
    /// A new session.
    #[default]
    New,
    /// Continues the session with this id.
    Resume {
        /// The id of the session.
        id: String,
    },
    /// Continues the newest session of this directory, or starts a new one if there is none.
    Continue,
    /// Continues a copy of the session with this id, under a new id.
    Fork {
        /// The id of the original.
        id: String,
    },
}

/// The reason why a session can't be opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// The transcript can't be opened.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The transcripts can't be listed.
    #[error("can't look for the newest session: {0}")]
    List(#[from] io::Error),
    /// Nothing is stored, so nothing can be resumed.
    #[error("there is nothing to resume: this session is not stored")]
    NotStored,
    /// The worktree is missing.
    #[error(transparent)]
    Worktree(#[from] WorktreeError),
    /// The MCP servers that the agent of the session describes can't be connected under their names.
    #[error("{0}")]
    Servers(String),
}

/// An opened transcript, and its content.
pub(crate) struct OpenedTranscript {
    pub(crate) id: String,
    pub(crate) log: Option<Log>,
    pub(crate) restored: Option<StoredSession>,
    /// The size of the conversation.
    tokens: Option<u64>,
    /// The `source` of SessionStart.
    pub(crate) source: &'static str,
}

/// Opens the transcript of a starting session. `id` is the id of a new session, `point` the message to which a
/// continued one is rewound.
pub(crate) fn open(
    store: Option<&Store>,
    start: &Start,
    cwd: &Path,
    id: Option<&str>,
    point: Option<&RewindPoint>,
) -> Result<OpenedTranscript, OpenError> {
    let Some(store) = store else {
        return match start {
            Start::New => Ok(OpenedTranscript::unstored(id, "startup")),
            Start::Resume { .. } | Start::Continue | Start::Fork { .. } => Err(OpenError::NotStored),
        };
    };
    let ((mut log, restored), source) = match start {
        Start::New => return Ok(OpenedTranscript::new(store.create(cwd, id)?)),
        Start::Resume { id } => (store.resume(cwd, id)?, "resume"),
        Start::Fork { id: from } => (store.fork(cwd, from, id)?, "fork"),
        Start::Continue => match store.latest(cwd)? {
            Some(newest) => (store.resume(cwd, &newest)?, "resume"),
            None => return Ok(OpenedTranscript::new(store.create(cwd, id)?)),
        },
    };
    let copy_of = restored.copy_of.clone();
    let restored = match point {
        Some(point) => StoredSession { copy_of, ..store.rewind(&mut log, point, cwd)? },
        None => restored,
    };
    Ok(OpenedTranscript::stored(log, restored, source))
}

impl OpenedTranscript {
    fn new(log: Log) -> Self {
        Self { id: log.session().to_owned(), log: Some(log), restored: None, tokens: None, source: "startup" }
    }

    fn stored(log: Log, restored: StoredSession, source: &'static str) -> Self {
        let tokens = tokens(&restored.stored);
        Self { id: log.session().to_owned(), log: Some(log), restored: Some(restored), tokens, source }
    }

    /// Opens a session that replaces a cleared one.
    pub(crate) fn cleared(store: Option<&Store>, cwd: &Path) -> Result<Self, OpenError> {
        let opened = open(store, &Start::New, cwd, None, None)?;
        Ok(Self { source: "clear", ..opened })
    }

    /// Opens a session that is not stored.
    pub(crate) fn unstored(id: Option<&str>, source: &'static str) -> Self {
        let id = id.map_or_else(|| uuid::Uuid::new_v4().to_string(), str::to_owned);
        Self { id, log: None, restored: None, tokens: None, source }
    }

    /// Returns its SessionStart event.
    pub(crate) fn event(&self, facts: StartFacts<'_>) -> SessionStart {
        let StartFacts { model, title, price } = facts;
        let plain =
            SessionStart::new(self.source.to_owned()).model(model.map(str::to_owned)).session_title(title);
        let Some(restored) = &self.restored else { return plain };
        let since = restored.since_last_answer(SystemTime::now()).map(|since| since.as_secs_f64());
        let tokens = self.tokens;
        plain
            .seconds_since_last_response(since)
            .context_tokens(tokens)
            .prompt_cache_likely_expired(since.map(|since| since > CACHE_LIVES_S))
            .estimated_cache_write_usd(tokens.zip(price).and_then(|(tokens, price)| cost(tokens, price)))
    }
}

/// Further facts at the start of a session.
pub(crate) struct StartFacts<'a> {
    /// The model, if the event names it.
    pub(crate) model: Option<&'a str>,
    pub(crate) title: Option<String>,
    pub(crate) price: Option<becket_llm::Price>,
}

fn tokens(stored: &StoredConversation) -> Option<u64> {
    match stored {
        StoredConversation::Whole(conversation) => Some(Conversation::tokens(conversation)),
        StoredConversation::Deferred(_) => None,
    }
}

fn cost(tokens: u64, price: becket_llm::Price) -> Option<f64> {
    price.cost(&becket_llm::Usage { cache_write: tokens, ..becket_llm::Usage::default() })
}
