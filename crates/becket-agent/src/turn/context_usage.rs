//! The last measured size of the session's own conversation: before each request and after each turn.

use std::sync::{Mutex, PoisonError};

/// The last look. Readers wait for no turn.
#[derive(Debug, Default)]
pub(crate) struct ContextUsage(Mutex<(u64, bool)>);

impl ContextUsage {
    /// So many tokens; `is_whole` says that a provider has told them, with the system prompt and the tools among them.
    pub(crate) fn is(&self, tokens: u64, is_whole: bool) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = (tokens, is_whole);
    }

    /// Returns the last measurement.
    pub(crate) fn last(&self) -> (u64, bool) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
