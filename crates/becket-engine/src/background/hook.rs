//! Pending background hooks, as hosts show them.

use crate::config::handler::Handler;
use crate::report::background_id::BackgroundId;
use becket_model::{EventKind, SessionId};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// A background hook that runs, or waits for room to run.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct BackgroundHook {
    /// Its run.
    pub id: BackgroundId,
    /// The session whose event started it.
    pub session: SessionId,
    /// The event that it was started for.
    pub event: EventKind,
    /// The handler: its label, its source, where it is written.
    pub handler: Arc<Handler>,
    /// Its state: waiting or running.
    pub state: PendingState,
    /// Since when it has been in this state.
    pub since: Instant,
    /// The time that it may run, from its start.
    pub limit: Duration,
}

/// The state of a pending hook.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum PendingState {
    /// Its session has no room: it has not started, and its limit does not run (A1).
    Waiting,
    /// It runs.
    Running,
}

impl PendingState {
    /// One word, as reports print it.
    pub const fn as_str(self) -> &'static str {
        match self {
            PendingState::Waiting => "waiting",
            PendingState::Running => "running",
        }
    }
}
