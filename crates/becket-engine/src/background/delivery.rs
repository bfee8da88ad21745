//! The values that a host receives when a background hook has ended: its result, and a wake if the hook requests one.

use crate::report::background_id::BackgroundId;
use crate::report::outcome::Status;
use becket_model::{EventKind, Failure, SessionId, Source};
use std::sync::Arc;
use std::time::Duration;

/// The result of a background hook. Handed over once (A5).
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct BackgroundDelivery {
    /// The id of its run.
    pub id: BackgroundId,
    /// The session whose event started it.
    pub session: SessionId,
    /// The event that it was started for.
    pub event: EventKind,
    /// The handler's label: its command, URL, tool or name.
    pub label: Arc<str>,
    /// The source of the handler.
    pub source: Source,
    /// Texts for the model on its next turn: `additionalContext`, then `systemMessage`, each shortened to the cap (A3,
    /// O8).
    pub contexts: Vec<String>,
    /// Warnings for its author: fields dropped or without effect.
    pub warnings: Vec<String>,
    /// The status of the run; [`Status::Blocked`] for the exit 2 of an `asyncRewake` hook, which also makes a [`Wake`].
    pub outcome: Status,
    /// The reason why it gave no usable answer, or ended with an error. For logs: it blocks nothing.
    pub failure: Option<Failure>,
    /// Its exit code, if it has one.
    pub exit: Option<i32>,
    /// The time that it ran; zero if it never started.
    pub elapsed: Duration,
    /// The number of earlier results of the session that were lost, because too many were waiting to be collected.
    pub missed: u64,
}

/// A request to wake an idle host: an `asyncRewake` hook has ended with exit 2 (A4). Handed over once, to one receiver.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Wake {
    /// The id of the hook's run.
    pub id: BackgroundId,
    /// The session to wake.
    pub session: SessionId,
    /// The event that the hook was started for.
    pub event: EventKind,
    /// The handler's label: its command, URL, tool or name.
    pub label: Arc<str>,
    /// The source of the handler.
    pub source: Source,
    /// The text for the model: the whole stderr, or stdout if stderr is empty.
    pub reminder: String,
    /// The number of earlier wakes of the session that were lost, because too many were waiting to be taken.
    pub missed: u64,
}

impl BackgroundDelivery {
    /// Returns the size of its texts in bytes.
    pub(super) fn weight(&self) -> usize {
        let texts = self.contexts.iter().chain(&self.warnings).map(String::len);
        texts.sum::<usize>() + self.failure.as_ref().map_or(0, |failure| failure.to_string().len())
    }
}

impl Wake {
    /// Returns the size of its text in bytes.
    pub(super) fn weight(&self) -> usize {
        self.reminder.len()
    }
}
