//! Holds back the tools of a batch that have not been started.

use std::sync::{Arc, OnceLock};

/// Shared by the calls of a batch. Once it is pulled, no tool of theirs is started any more; those that run go on (D6).
#[derive(Debug, Clone, Default)]
pub(crate) struct BatchAbort(Arc<OnceLock<String>>);

impl BatchAbort {
    /// Pulls it; the first reason stays.
    pub(crate) fn abort(&self, because: impl Into<String>) {
        let _ = self.0.set(because.into());
    }

    /// Why it was pulled, if it was.
    pub(crate) fn reason(&self) -> Option<String> {
        self.0.get().cloned()
    }
}
