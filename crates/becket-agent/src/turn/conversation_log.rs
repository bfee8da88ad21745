//! The conversation of an agent loop, in any state, and its transcript.
//!
//! INVARIANT: everything that happened is passed to the transcript before the next call or request starts.

use super::session_shared::error;
use crate::conversation::{Conversation, DeferredCalls, Next, OpenCalls, StoredConversation};
use crate::transcript::{AppendError, Log, Note};
use crate::update::{Notice, Updates};
use std::path::Path;

/// A conversation in one of its states.
enum State {
    Whole(Conversation),
    Open(OpenCalls),
    Deferred(DeferredCalls),
}

/// A conversation and its transcript.
pub(crate) struct ConversationLog {
    state: State,
    /// The transcript; `None` if nothing is stored.
    log: Option<Log>,
    /// Set once the user was told that nothing is stored.
    is_told: bool,
}

impl ConversationLog {
    pub(crate) fn new(stored: StoredConversation, log: Option<Log>) -> Self {
        let state = match stored {
            StoredConversation::Whole(conversation) => State::Whole(conversation),
            StoredConversation::Deferred(deferred) => State::Deferred(deferred),
        };
        Self { state, log, is_told: false }
    }

    /// Returns the conversation; calls that are still open are answered with `why`, deferred ones as cancelled (D10).
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

    /// Returns the open calls, if there are any.
    pub(crate) fn open(&mut self) -> Option<&mut OpenCalls> {
        match &mut self.state {
            State::Open(open) => Some(open),
            State::Whole(_) | State::Deferred(_) => None,
        }
    }

    /// Returns the calls that wait for a resume.
    pub(crate) fn deferred(&self) -> Option<&DeferredCalls> {
        match &self.state {
            State::Deferred(deferred) => Some(deferred),
            State::Whole(_) | State::Open(_) => None,
        }
    }

    /// Resumes the deferred calls; does nothing if there are none.
    pub(crate) fn resume(&mut self) {
        let state = std::mem::replace(&mut self.state, State::Whole(Conversation::default()));
        self.state = match state {
            State::Deferred(deferred) => State::Open(deferred.resume()),
            state @ (State::Whole(_) | State::Open(_)) => state,
        };
    }

    /// Adds an answer of the model.
    pub(crate) fn answered(&mut self, answer: becket_llm::Response) {
        let conversation = std::mem::take(self.whole(LOST));
        self.state = match conversation.answered(answer) {
            Next::Done(conversation) => State::Whole(conversation),
            Next::Calls(open) => State::Open(open),
        };
    }

    /// Defers calls; does nothing if none is open.
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

    /// Replaces this conversation with another one, which has its own transcript.
    pub(crate) fn replace(&mut self, log: Option<Log>) {
        self.go_on_with(StoredConversation::Whole(Conversation::default()), log);
    }

    /// Replaces this conversation with a stored one, in its own transcript.
    pub(crate) fn go_on_with(&mut self, stored: StoredConversation, log: Option<Log>) {
        *self = Self::new(stored, log);
    }

    /// Sets the name of the next prompt in the transcript.
    pub(crate) fn name_prompt(&mut self, name: &str) {
        if let Some(log) = &mut self.log {
            log.name_prompt(name);
        }
    }

    /// Returns the transcript, next to which those of subagents are stored.
    pub(crate) fn log(&self) -> Option<&Log> {
        self.log.as_ref()
    }

    /// Stores the pending entries. An error is reported once; the entries are kept, and stored with the next ones.
    pub(crate) fn store(&mut self, cwd: &Path, updates: &Updates) {
        let entries = match &mut self.state {
            State::Whole(conversation) => conversation.take_entries(),
            State::Open(open) => open.take_entries(),
            State::Deferred(deferred) => deferred.take_entries(),
        };
        let Some(log) = &mut self.log else { return };
        if !entries.is_empty() || log.waiting() > 0 {
            let stored = log.append(entries, cwd);
            self.tell(stored, updates);
        }
    }

    /// Stores a fact about the session.
    pub(crate) fn note(&mut self, note: &Note, cwd: &Path, updates: &Updates) {
        if let Some(log) = &mut self.log {
            let stored = log.note(note, cwd);
            self.tell(stored, updates);
        }
    }

    fn tell(&mut self, stored: Result<(), AppendError>, updates: &Updates) {
        match stored {
            Ok(()) if std::mem::take(&mut self.is_told) => {
                updates.notice(Notice::warning("the session is stored again"));
            }
            Ok(()) => {}
            Err(why) => {
                if !std::mem::replace(&mut self.is_told, true) {
                    updates.notice(error(format!("the session goes on without being stored: {why}")));
                }
            }
        }
    }
}

/// The default result of a call.
const LOST: &str = "the call was not run";
