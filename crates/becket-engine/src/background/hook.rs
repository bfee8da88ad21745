//! Pending background hooks, as hosts show them.

use crate::config::handler::Handler;
use crate::report::background_id::BackgroundId;
use becket_model::{EventKind, SessionId};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// A background hook that is running, or waits for room to run.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct BackgroundHook {
    /// The id of its run.
    pub id: BackgroundId,
    /// The session whose event started it.
    pub session: SessionId,
    /// The event that it was started for.
    pub event: EventKind,
    /// The handler: its label, its source, and the place where it is written.
    pub handler: Arc<Handler>,
    /// Its state: waiting or running.
    pub state: PendingState,
    /// The time at which it entered this state.
    pub since: Instant,
    /// Its time limit, from its start.
    pub limit: Duration,
}

/// The state of a pending hook.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum PendingState {
    /// The session has no room: the hook has not started, and its limit does not count yet (A1).
    Waiting,
    /// The hook is running.
    Running,
}

impl PendingState {
    /// Returns the word that reports print for this state.
    pub const fn as_str(self) -> &'static str {
        match self {
            PendingState::Waiting => "waiting",
            PendingState::Running => "running",
        }
    }
}
