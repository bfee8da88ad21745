//! The last measured size of the session's own conversation: before each request and after each turn.

use std::sync::{Mutex, PoisonError};

/// The last measurement. Readers do not wait for a turn.
#[derive(Debug, Default)]
pub(crate) struct ContextUsage(Mutex<(u64, bool)>);

impl ContextUsage {
    /// Records the number of tokens; `is_whole` is true if a provider has reported it, which includes the system prompt
    /// and tools.
    pub(crate) fn is(&self, tokens: u64, is_whole: bool) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = (tokens, is_whole);
    }

    /// Returns the last measurement.
    pub(crate) fn last(&self) -> (u64, bool) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
