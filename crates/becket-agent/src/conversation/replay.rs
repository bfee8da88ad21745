//! Restores a conversation from its stored entries.
//!
//! INVARIANT: any sequence of entries, cut off anywhere, gives a valid conversation. Entries that do not fit are left
//! out and reported; missing results are replaced by an error.

use super::deferred::DeferredCalls;
use super::entry::Entry;
use super::open::{AnswerError, OpenCalls};
use super::sendable::SayError;
use super::whole::{Conversation, Next};

/// The result of a call that was open when the session ended.
const LOST: &str =
    "the session ended before this call was answered: it may have run in part, and what it did is not undone";

/// Restores a conversation.
#[derive(Debug, Default)]
pub struct Replay {
    state: State,
}

/// A stored conversation.
#[derive(Debug)]
pub enum StoredConversation {
    /// A complete conversation. Calls without a result were answered with an error, which is yet to be stored.
    Whole(Conversation),
    /// Calls that were deferred (D10).
    Deferred(DeferredCalls),
}

/// An entry that does not fit the entries before it. It is left out.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Misfit {
    /// A result or a hook's text belongs to a call that is not open.
    #[error(transparent)]
    Answer(#[from] AnswerError),
    /// The content is not valid for a user.
    #[error(transparent)]
    Say(#[from] SayError),
    /// Calls that are not open can't be deferred.
    #[error("none of the calls `{}` is open", ids.join("`, `"))]
    Deferral {
        /// The ids of the calls.
        ids: Vec<String>,
    },
    /// There are no deferred calls to resume.
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
    /// Applies the next entry.
    ///
    /// # Errors
    /// Errors if the entry does not fit. The conversation continues without it.
    pub fn take(&mut self, entry: Entry) -> Result<(), Misfit> {
        let state = std::mem::take(&mut self.state);
        let (state, fit) = match entry {
            Entry::Result { .. } | Entry::Beside { .. } => state.beside(entry),
            Entry::Deferred { ids } => state.deferred(ids),
            Entry::Resumed => state.resumed(),
            Entry::UserMessage { .. }
            | Entry::Feedback { .. }
            | Entry::Answered { .. }
            | Entry::Summary { .. } => apply_to_whole(state.whole(), entry),
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
    /// Returns the complete conversation, closing any open calls.
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
                let fit = apply_to_open(&mut deferred.calls, entry);
                return (Self::Deferred(deferred), fit);
            }
            // A result without a resume means that the calls were being cancelled.
            (Self::Deferred(deferred), _) => deferred.calls,
            (Self::Open(calls), _) => calls,
            (state @ Self::Whole(_), _) => return (state, Ok(())),
        };
        let fit = apply_to_open(&mut calls, entry);
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

/// Applies an entry to open calls.
fn apply_to_open(calls: &mut OpenCalls, entry: Entry) -> Result<(), Misfit> {
    match entry {
        Entry::Result { tool_use_id, content, is_error } => calls.answer(&tool_use_id, content, is_error)?,
        Entry::Beside { text, of: Some(id) } => calls.beside_call(&id, text)?,
        Entry::Beside { text, of: None } => calls.beside(text),
        Entry::UserMessage { .. }
        | Entry::Feedback { .. }
        | Entry::Answered { .. }
        | Entry::Deferred { .. }
        | Entry::Resumed
        | Entry::Summary { .. } => {}
    }
    Ok(())
}

/// Applies an entry to a complete conversation.
fn apply_to_whole(mut conversation: Conversation, entry: Entry) -> (State, Result<(), Misfit>) {
    let fit = match entry {
        Entry::Answered { answer } => {
            let state = match conversation.answered(answer) {
                Next::Done(conversation) => State::Whole(conversation),
                Next::Calls(calls) => State::Open(calls),
            };
            return (state, Ok(()));
        }
        Entry::UserMessage { content } => conversation.say(content),
        Entry::Summary { text, keep } => conversation.replace_by_summary(text, keep),
        Entry::Feedback { text } => {
            conversation.feedback(text);
            Ok(())
        }
        Entry::Beside { .. } | Entry::Result { .. } | Entry::Deferred { .. } | Entry::Resumed => Ok(()),
    };
    (State::Whole(conversation), fit.map_err(Misfit::Say))
}
