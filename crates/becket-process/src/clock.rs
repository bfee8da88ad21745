//! How much of its limit a run has left, where the limit may stand still and be set anew.
//!
//! Refuses to look at the time: every moment is handed in, so that a pause counts from the call that asked for it and
//! not from when the run hears of it.

use std::num::NonZeroUsize;
use std::time::Duration;

use tokio::time::Instant;

/// The limit of one run. `None` is no limit; a moment past the end of time is none either.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Clock {
    /// It runs out at a moment.
    Running { due: Option<Instant> },
    /// It stands still for as many as hold it.
    Paused { holders: NonZeroUsize, left: Option<Duration> },
}

impl Clock {
    pub(crate) fn new() -> Self {
        Self::Running { due: None }
    }

    /// Sets the limit: counted from `now`, or from the moment it goes on.
    pub(crate) fn limit(&mut self, now: Instant, limit: Option<Duration>) {
        match self {
            Self::Running { due } => *due = after(now, limit),
            Self::Paused { left, .. } => *left = limit,
        }
    }

    pub(crate) fn pause(&mut self, now: Instant) {
        *self = match *self {
            Self::Running { due } => Self::Paused {
                holders: NonZeroUsize::MIN,
                left: due.map(|due| due.saturating_duration_since(now)),
            },
            Self::Paused { holders, left } => Self::Paused { holders: holders.saturating_add(1), left },
        };
    }

    /// One holder less; the last one lets the limit go on with what was left of it.
    pub(crate) fn resume(&mut self, now: Instant) {
        if let Self::Paused { holders, left } = *self {
            *self = match NonZeroUsize::new(holders.get() - 1) {
                Some(holders) => Self::Paused { holders, left },
                None => Self::Running { due: after(now, left) },
            };
        }
    }

    /// When it runs out, if nobody does anything.
    pub(crate) fn due(&self) -> Option<Instant> {
        match self {
            Self::Running { due } => *due,
            Self::Paused { .. } => None,
        }
    }

    /// When it would run out if it went on at `now`.
    pub(crate) fn due_regardless(&self, now: Instant) -> Option<Instant> {
        match self {
            Self::Running { due } => *due,
            Self::Paused { left, .. } => after(now, *left),
        }
    }
}

fn after(now: Instant, limit: Option<Duration>) -> Option<Instant> {
    limit.and_then(|limit| now.checked_add(limit))
}
