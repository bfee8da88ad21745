//! States of commands that are started ahead of their input.

use std::time::Duration;

/// The limits of a command that waits for its input.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StandbyLimits {
    /// The longest time that it may need until it waits.
    pub start: Duration,
    /// The age at which it is ended.
    pub age: Duration,
}

impl Default for StandbyLimits {
    fn default() -> Self {
        Self { start: Duration::from_secs(10), age: Duration::from_secs(60) }
    }
}

/// The state of a command that is started ahead of its input.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StandbyState {
    /// It does what it does before it needs its input.
    Starting,
    /// It waits for its input.
    Waiting {
        /// The memory of its processes that is in use, in bytes.
        memory: u64,
    },
    /// It can't be used.
    Ended(StandbyEnd),
}

/// The reason why a command that was started ahead of its input can't be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum StandbyEnd {
    /// The system can't start or trace it.
    #[error("it can't be started ahead: {0}")]
    NotStarted(String),
    /// It waits for a limited time, or its code mentions the time: an answer could depend on how long it has waited.
    #[error("its answer could depend on the time that it waits ({0})")]
    TimeLimit(&'static str),
    /// It does not come to a point at which it waits.
    #[error("it does not come to wait for its input")]
    TooSlow,
    /// It has ended, or was ended by another process.
    #[error("it has ended without its input")]
    Exited,
    /// It is too old.
    #[error("it has waited for too long")]
    Aged,
    /// A file that it has read, or looked for, has changed.
    #[error("`{0}` has changed since it was started")]
    Changed(String),
    /// It was ended by its owner.
    #[error("it is not needed any more")]
    Cancelled,
}

impl StandbyEnd {
    /// Returns true if another process of the same command would end in the same way.
    #[must_use]
    pub fn is_lasting(&self) -> bool {
        match self {
            Self::NotStarted(_) | Self::TimeLimit(_) | Self::TooSlow => true,
            Self::Exited | Self::Aged | Self::Changed(_) | Self::Cancelled => false,
        }
    }
}
