//! The idle workers of an engine.

use super::process::WorkerProcess;
use crate::handlers::command::command_key::CommandKey;
use std::fmt;
use std::sync::{Mutex, PoisonError};

/// The largest number of workers that wait for an event, of all handlers together.
const MOST: usize = 32;

/// The workers that wait for an event, the longest first. They end when the engine is dropped.
#[derive(Default)]
pub(crate) struct Workers(Mutex<Vec<(CommandKey, WorkerProcess)>>);

impl Workers {
    /// Returns an idle worker; those that can't handle another event, or belong to another configuration, are dropped.
    pub(super) fn take(&self, key: &CommandKey) -> Option<WorkerProcess> {
        let mut idle = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        idle.retain(|(of, worker)| of.has_config_of(key) && worker.is_usable());
        let at = idle.iter().rposition(|(of, _)| of.is_same(key))?;
        Some(idle.remove(at).1)
    }

    /// Keeps a worker for the next event.
    pub(super) fn keep(&self, key: CommandKey, worker: WorkerProcess) {
        let mut idle = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        idle.push((key, worker));
        if idle.len() > MOST {
            idle.remove(0);
        }
    }
}

impl fmt::Debug for Workers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Workers").finish_non_exhaustive()
    }
}
