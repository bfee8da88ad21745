//! Limits on the servers that connect at once (`protocol.md` X2): a few that this machine has to start, more of the
//! others.

use tokio::sync::{Semaphore, SemaphorePermit};

use crate::config::ServerConfig;
use crate::options::Options;

/// Two kinds of lanes.
#[derive(Debug)]
pub(super) struct Lanes {
    local: Semaphore,
    remote: Semaphore,
}

impl Lanes {
    pub(super) fn new(options: &Options) -> Self {
        let lanes = |count: std::num::NonZeroUsize| Semaphore::new(count.get().min(Semaphore::MAX_PERMITS));
        Self { local: lanes(options.local_lanes), remote: lanes(options.remote_lanes) }
    }

    /// Waits for a lane, which is occupied until the permit is dropped.
    pub(super) async fn enter(&self, config: &ServerConfig) -> Option<SemaphorePermit<'_>> {
        let lanes = if config.transport.is_local() { &self.local } else { &self.remote };
        // The semaphore is never closed: an error would only mean that no lane is occupied.
        lanes.acquire().await.ok()
    }
}
