//! Values that hosts get of a background hook that has ended: its result, and the wake of one that asked for it.

use crate::report::background_id::BackgroundId;
use crate::report::outcome::Status;
use becket_model::{EventKind, Failure, SessionId, Source};
use std::sync::Arc;
use std::time::Duration;

/// The result of a background hook. Handed over once (A5).
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct BackgroundDelivery {
    /// Its run.
    pub id: BackgroundId,
    /// The session whose event started it.
    pub session: SessionId,
    /// The event that it was started for.
    pub event: EventKind,
    /// The handler's label: its command, URL, tool or name.
    pub label: Arc<str>,
    /// The source of the handler.
    pub source: Source,
    /// For the model, on its next turn: `additionalContext`, then `systemMessage`, each cut to what may go on (A3, O8).
    pub contexts: Vec<String>,
    /// Warnings for its author: fields dropped or without effect.
    pub warnings: Vec<String>,
    /// The status of the run; [`Status::Blocked`] for the exit 2 of an `asyncRewake` hook, which also makes a [`Wake`].
    pub outcome: Status,
    /// The reason for which it gave no usable answer, or ended with an error. For logs: it holds nothing back.
    pub failure: Option<Failure>,
    /// Its exit code, where it had one.
    pub exit: Option<i32>,
    /// The time that it ran; zero if it never started.
    pub elapsed: Duration,
    /// The number of earlier results of the session that were lost, because too many were waiting to be collected.
    pub missed: u64,
}

/// An `asyncRewake` hook has ended with exit 2: an idle host goes on (A4). Handed over once, to one taker.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Wake {
    /// The hook's run.
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
    /// The bytes of its texts.
    pub(super) fn weight(&self) -> usize {
        let texts = self.contexts.iter().chain(&self.warnings).map(String::len);
        texts.sum::<usize>() + self.failure.as_ref().map_or(0, |failure| failure.to_string().len())
    }
}

impl Wake {
    /// The bytes of its text.
    pub(super) fn weight(&self) -> usize {
        self.reminder.len()
    }
}
