//! The reasons why an event has no answer.

use std::io;

/// The reason why the hooks of an event were not run to their end, or their answer was not written.
#[derive(Debug, thiserror::Error)]
pub enum FiringError {
    /// No runtime.
    #[error("the runtime can't be started: {0}")]
    Runtime(io::Error),
    /// The reader of stdout is gone, or the disk is full.
    #[error("the output can't be written: {0}")]
    Output(#[from] io::Error),
    /// A signal.
    #[error("interrupted; the hooks that still ran were ended, so nothing was decided")]
    Interrupted,
    /// A bug.
    #[error("internal error: this is a bug in becket, please report the output above")]
    Panicked,
}

impl FiringError {
    /// Runs `work`: a panic would end the process with a code that a host takes for "nothing to say".
    ///
    /// # Errors
    /// Returns those of `work`, and an error if it panics.
    pub fn unless_it_panics<T, E: From<FiringError>>(work: impl FnOnce() -> Result<T, E>) -> Result<T, E> {
        let caught = std::panic::catch_unwind(std::panic::AssertUnwindSafe(work));
        caught.unwrap_or_else(|_| Err(FiringError::Panicked.into()))
    }
}
