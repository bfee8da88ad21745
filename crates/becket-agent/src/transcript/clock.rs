//! The clock and the ids of lines, which a host may provide.

use std::fmt;
use std::sync::Arc;
use std::time::SystemTime;

/// A clock and a generator of ids. The default is the system's clock and random UUIDs.
#[derive(Clone)]
pub struct ClockAndIds {
    /// Returns the current time.
    pub now: Arc<dyn Fn() -> SystemTime + Send + Sync>,
    /// Returns a new UUID.
    pub id: Arc<dyn Fn() -> String + Send + Sync>,
}

impl Default for ClockAndIds {
    fn default() -> Self {
        Self { now: Arc::new(SystemTime::now), id: Arc::new(|| uuid::Uuid::new_v4().to_string()) }
    }
}

impl fmt::Debug for ClockAndIds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Lent").finish_non_exhaustive()
    }
}
