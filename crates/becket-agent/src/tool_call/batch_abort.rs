//! Holds back the tools of a batch that have not been started.

use std::sync::{Arc, OnceLock};

/// A flag shared by the calls of a batch. Once it is set, none of their tools is started any more; running ones
/// continue (D6).
#[derive(Debug, Clone, Default)]
pub(crate) struct BatchAbort(Arc<OnceLock<String>>);

impl BatchAbort {
    /// Sets the reason to stop; only the first call has an effect.
    pub(crate) fn abort(&self, because: impl Into<String>) {
        let _ = self.0.set(because.into());
    }

    /// Returns the reason, if it is set.
    pub(crate) fn reason(&self) -> Option<String> {
        self.0.get().cloned()
    }
}
