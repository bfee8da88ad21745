//! The conversation of a line of work, whatever state it is in, and its transcript.
//!
//! INVARIANT: what happened is handed to the transcript before the next call or request starts. What could not be written
//! is kept, and written first as soon as something can be.

use super::core::error;
use crate::conversation::{Conversation, Deferred, Entry, OpenCalls, Stored};
use crate::update::{Notice, Updates};

/// Where the entries of a conversation are stored.
pub trait Record: Send {
    /// Stores these entries, in order, so that a crash loses none of them.
    ///
    /// # Errors
    /// How many were stored, and why not all; for the user.
    fn append(&mut self, entries: &[Entry]) -> Result<(), NotStored>;

    /// Stores the session's title.
    ///
    /// # Errors
    /// Why not; for the user.
    fn title(&mut self, title: &str) -> Result<(), NotStored> {
        let _ = title;
        Ok(())
    }
}

/// Why entries were not stored.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{why}")]
pub struct NotStored {
    /// How many of them were stored.
    pub stored: usize,
    /// Why the next was not.
    pub why: String,
}

/// Stores nothing.
#[derive(Debug, Clone, Copy, Default)]
pub struct Unrecorded;

impl Record for Unrecorded {
    fn append(&mut self, _: &[Entry]) -> Result<(), NotStored> {
        Ok(())
    }
}

/// A conversation in one of its states.
enum State {
    Whole(Conversation),
    Open(OpenCalls),
    Deferred(Deferred),
}

/// A conversation and its transcript.
pub(crate) struct Talk {
    state: State,
    record: Box<dyn Record>,
    /// What is not stored yet, oldest first.
    backlog: Vec<Entry>,
    /// Whether the user knows that nothing is stored.
    is_told: bool,
}

impl Talk {
    pub(crate) fn new(stored: Stored, record: Box<dyn Record>) -> Self {
        let state = match stored {
            Stored::Whole(conversation) => State::Whole(conversation),
            Stored::Deferred(deferred) => State::Deferred(deferred),
        };
        Self { state, record, backlog: Vec::new(), is_told: false }
    }

    /// The conversation; calls that are still open are answered with `why`, deferred ones as cancelled (D10).
    pub(crate) fn whole(&mut self, why: &str) -> &mut Conversation {
        let state = std::mem::replace(&mut self.state, State::Whole(Conversation::default()));
        let conversation = match state {
            State::Whole(conversation) => conversation,
            State::Open(open) => open.close(why),
            State::Deferred(deferred) => deferred.cancelled(),
        };
        self.state = State::Whole(conversation);
        match &mut self.state {
            State::Whole(conversation) => conversation,
            State::Open(_) | State::Deferred(_) => {
                // INVARIANT: it was set to `Whole` in the line above.
                unreachable!("the conversation was made whole")
            }
        }
    }

    /// The open calls, if there are any.
    pub(crate) fn open(&mut self) -> Option<&mut OpenCalls> {
        match &mut self.state {
            State::Open(open) => Some(open),
            State::Whole(_) | State::Deferred(_) => None,
        }
    }

    /// The calls that wait for a resume.
    pub(crate) fn deferred(&self) -> Option<&Deferred> {
        match &self.state {
            State::Deferred(deferred) => Some(deferred),
            State::Whole(_) | State::Open(_) => None,
        }
    }

    /// Takes the deferred calls up again; does nothing where there are none.
    pub(crate) fn resume(&mut self) {
        let state = std::mem::replace(&mut self.state, State::Whole(Conversation::default()));
        self.state = match state {
            State::Deferred(deferred) => State::Open(deferred.resume()),
            state @ (State::Whole(_) | State::Open(_)) => state,
        };
    }

    /// The model has answered.
    pub(crate) fn answered(&mut self, answer: becket_llm::Response) {
        let conversation = std::mem::take(self.whole(LOST));
        self.state = match conversation.answered(answer) {
            crate::conversation::Next::Done(conversation) => State::Whole(conversation),
            crate::conversation::Next::Calls(open) => State::Open(open),
        };
    }

    /// Puts calls off; does nothing where none is open.
    pub(crate) fn defer(&mut self, ids: &[String]) {
        let state = std::mem::replace(&mut self.state, State::Whole(Conversation::default()));
        self.state = match state {
            State::Open(open) => match open.defer(ids, LOST) {
                Ok(deferred) => State::Deferred(deferred),
                Err(error) => State::Open(*error.calls),
            },
            state @ (State::Whole(_) | State::Deferred(_)) => state,
        };
    }

    /// Another conversation goes on in this one's place, with a transcript of its own.
    pub(crate) fn replace(&mut self, record: Box<dyn Record>) {
        *self = Self::new(Stored::Whole(Conversation::default()), record);
    }

    /// Stores what waits. What can't be stored is told once, and kept.
    pub(crate) fn store(&mut self, updates: &Updates) {
        self.backlog.extend(match &mut self.state {
            State::Whole(conversation) => conversation.take_entries(),
            State::Open(open) => open.take_entries(),
            State::Deferred(deferred) => deferred.take_entries(),
        });
        if self.backlog.is_empty() {
            return;
        }
        match self.record.append(&self.backlog) {
            Ok(()) => {
                self.backlog.clear();
                if std::mem::take(&mut self.is_told) {
                    updates.notice(Notice::warning("the session is stored again"));
                }
            }
            Err(NotStored { stored, why }) => {
                self.backlog.drain(..stored.min(self.backlog.len()));
                if !std::mem::replace(&mut self.is_told, true) {
                    updates.notice(error(format!("the session can't be stored, and goes on without: {why}")));
                }
            }
        }
    }

    /// Stores the session's title.
    pub(crate) fn store_title(&mut self, title: &str, updates: &Updates) {
        if let Err(failed) = self.record.title(title) {
            updates.notice(error(format!("the session's title can't be stored: {failed}")));
        }
    }
}

/// What a call is answered that nothing else has answered.
const LOST: &str = "the call was not run";
