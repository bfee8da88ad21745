//! A conversation again, from what was stored of it.
//!
//! INVARIANT: whatever the entries are, and wherever they end, a valid conversation comes of them. What does not fit is
//! left out and named; what is missing is answered with an error.

use super::deferred::DeferredCalls;
use super::entry::Entry;
use super::open::{AnswerError, OpenCalls};
use super::sendable::SayError;
use super::whole::{Conversation, Next};

/// Result of a call that was open when the session ended.
const LOST: &str =
    "the session ended before this call was answered: it may have run in part, and what it did is not undone";

/// Makes a conversation again.
#[derive(Debug, Default)]
pub struct Replay {
    state: State,
}

/// A stored conversation.
#[derive(Debug)]
pub enum StoredConversation {
    /// A conversation. Calls without a result have got an error, which waits to be stored.
    Whole(Conversation),
    /// Calls that wait (D10).
    Deferred(DeferredCalls),
}

/// An entry that does not fit what precedes it. It is left out.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Misfit {
    /// A result or a hook's text, of a call that is not open.
    #[error(transparent)]
    Answer(#[from] AnswerError),
    /// Something that can't be said.
    #[error(transparent)]
    Say(#[from] SayError),
    /// Calls that are not open can't have been put off.
    #[error("none of the calls `{}` is open", ids.join("`, `"))]
    Deferral {
        /// The calls.
        ids: Vec<String>,
    },
    /// No calls were put off.
    #[error("there are no calls to resume")]
    Resume,
}

#[derive(Debug)]
enum State {
    Whole(Conversation),
    Open(OpenCalls),
    Deferred(DeferredCalls),
}

impl Default for State {
    fn default() -> Self {
        Self::Whole(Conversation::default())
    }
}

impl Replay {
    /// Takes the next entry.
    ///
    /// # Errors
    /// It does not fit. The conversation continues without it.
    pub fn take(&mut self, entry: Entry) -> Result<(), Misfit> {
        let state = std::mem::take(&mut self.state);
        let (state, fit) = match entry {
            Entry::Result { .. } | Entry::Beside { .. } => state.beside(entry),
            Entry::Deferred { ids } => state.deferred(ids),
            Entry::Resumed => state.resumed(),
            Entry::Said { .. } | Entry::Feedback { .. } | Entry::Answered { .. } | Entry::Summary { .. } => {
                added(state.whole(), entry)
            }
        };
        self.state = state;
        self.state.forget_entries();
        fit
    }

    /// Returns the conversation. Open calls are answered with an error, unless they were deferred.
    #[must_use]
    pub fn finish(self) -> StoredConversation {
        match self.state {
            State::Whole(conversation) => StoredConversation::Whole(conversation),
            State::Open(calls) => StoredConversation::Whole(calls.close(LOST)),
            State::Deferred(deferred) => StoredConversation::Deferred(deferred),
        }
    }
}

impl State {
    /// The conversation, whatever was open.
    fn whole(self) -> Conversation {
        match self {
            Self::Whole(conversation) => conversation,
            Self::Open(calls) => calls.close(LOST),
            Self::Deferred(deferred) => deferred.cancelled(),
        }
    }

    /// Applies an entry that may come while calls are open.
    fn beside(self, entry: Entry) -> (Self, Result<(), Misfit>) {
        let mut calls = match (self, &entry) {
            (Self::Whole(mut conversation), Entry::Beside { text, .. }) => {
                conversation.beside(text.as_str());
                return (Self::Whole(conversation), Ok(()));
            }
            (Self::Whole(conversation), Entry::Result { tool_use_id, .. }) => {
                let unknown = AnswerError::Unknown { id: tool_use_id.clone() };
                return (Self::Whole(conversation), Err(unknown.into()));
            }
            (Self::Deferred(mut deferred), Entry::Beside { .. }) => {
                let fit = told(&mut deferred.calls, entry);
                return (Self::Deferred(deferred), fit);
            }
            // A result without a resume: they were being cancelled.
            (Self::Deferred(deferred), _) => deferred.calls,
            (Self::Open(calls), _) => calls,
            (state @ Self::Whole(_), _) => return (state, Ok(())),
        };
        let fit = told(&mut calls, entry);
        (Self::Open(calls), fit)
    }

    fn deferred(self, ids: Vec<String>) -> (Self, Result<(), Misfit>) {
        let Self::Open(calls) = self else { return (self, Err(Misfit::Deferral { ids })) };
        let open = calls.calls();
        let known: Vec<&String> = ids.iter().filter(|id| open.iter().any(|call| call.id == **id)).collect();
        match calls.defer(&known, LOST) {
            Ok(deferred) => (Self::Deferred(deferred), Ok(())),
            Err(error) => (Self::Open(*error.calls), Err(Misfit::Deferral { ids })),
        }
    }

    fn resumed(self) -> (Self, Result<(), Misfit>) {
        match self {
            Self::Deferred(deferred) => (Self::Open(deferred.resume()), Ok(())),
            Self::Whole(_) | Self::Open(_) => (self, Err(Misfit::Resume)),
        }
    }

    /// Drops the pending entries, which come from the store.
    fn forget_entries(&mut self) {
        let entries = match self {
            Self::Whole(conversation) => conversation.take_entries(),
            Self::Open(calls) => calls.take_entries(),
            Self::Deferred(deferred) => deferred.take_entries(),
        };
        drop(entries);
    }
}

/// An entry for open calls.
fn told(calls: &mut OpenCalls, entry: Entry) -> Result<(), Misfit> {
    match entry {
        Entry::Result { tool_use_id, content, is_error } => calls.answer(&tool_use_id, content, is_error)?,
        Entry::Beside { text, of: Some(id) } => calls.beside_call(&id, text)?,
        Entry::Beside { text, of: None } => calls.beside(text),
        Entry::Said { .. }
        | Entry::Feedback { .. }
        | Entry::Answered { .. }
        | Entry::Deferred { .. }
        | Entry::Resumed
        | Entry::Summary { .. } => {}
    }
    Ok(())
}

/// An entry for a whole conversation.
fn added(mut conversation: Conversation, entry: Entry) -> (State, Result<(), Misfit>) {
    let fit = match entry {
        Entry::Answered { answer } => {
            let state = match conversation.answered(answer) {
                Next::Done(conversation) => State::Whole(conversation),
                Next::Calls(calls) => State::Open(calls),
            };
            return (state, Ok(()));
        }
        Entry::Said { content } => conversation.say(content),
        Entry::Summary { text, keep } => conversation.replace_by_summary(text, keep),
        Entry::Feedback { text } => {
            conversation.feedback(text);
            Ok(())
        }
        Entry::Beside { .. } | Entry::Result { .. } | Entry::Deferred { .. } | Entry::Resumed => Ok(()),
    };
    (State::Whole(conversation), fit.map_err(Misfit::Say))
}
