//! Calls that wait for the session to be resumed (`protocol.md` D10).

use super::entry::Entry;
use super::open::OpenCalls;
use super::whole::Conversation;
use becket_engine::ToolCall;

/// The result of a cancelled call.
const CANCELLED: &str = "this call was put off, and cancelled by another prompt: it did not run";

/// A conversation that intentionally ends in calls without results: the only case in which such a conversation is
/// stored.
#[derive(Debug)]
#[must_use = "deferred calls have to be stored"]
pub struct DeferredCalls {
    pub(super) calls: OpenCalls,
}

/// The reason why calls could not be deferred.
#[derive(Debug, thiserror::Error)]
#[error("{}", match id {
    Some(id) => format!("no call `{id}` is open: only open calls can be put off"),
    None => "no call is named: close the calls instead".to_owned(),
})]
#[non_exhaustive]
pub struct DeferError {
    /// The id of the call that is not open; `None` if no call was named.
    pub id: Option<String>,
    /// The open calls, unchanged.
    pub calls: Box<OpenCalls>,
}

impl DeferredCalls {
    /// Returns the waiting calls, in order.
    #[must_use]
    pub fn calls(&self) -> Vec<ToolCall> {
        self.calls.calls()
    }

    /// Opens the calls again: PreToolUse fires once more for each, under the same id. Store the pending entries
    /// **before** the first of them is started: after a crash they are then answered with an error, and none runs
    /// twice.
    pub fn resume(mut self) -> OpenCalls {
        self.calls.body.entries.push(Entry::Resumed);
        self.calls
    }

    /// Answers the calls as cancelled because another prompt came.
    pub fn cancelled(self) -> Conversation {
        self.calls.close(CANCELLED)
    }

    /// Takes the entries that are not stored yet, oldest first; the module documentation says when to store them.
    #[must_use = "what is taken has to be stored"]
    pub fn take_entries(&mut self) -> Vec<Entry> {
        self.calls.take_entries()
    }
}
