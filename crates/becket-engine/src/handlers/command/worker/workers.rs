//! The idle workers of an engine.

use super::process::WorkerProcess;
use crate::config::handler::Handler;
use crate::config::{Config, nesting};
use becket_model::EventKind;
use becket_process::{Command, Program};
use std::ffi::OsString;
use std::fmt;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

/// The largest number of workers that wait for an event, of all handlers together.
const MOST: usize = 32;

/// The workers that wait for an event, the longest first. They end when the engine is dropped.
#[derive(Default)]
pub(crate) struct Workers(Mutex<Vec<(WorkerKey, WorkerProcess)>>);

/// The properties that two events share if they may have the same worker.
#[derive(Debug)]
pub(super) struct WorkerKey {
    /// The configuration under which it was started: another one may grant it other rights.
    config: Arc<Config>,
    event: EventKind,
    program: Program,
    env: Vec<(OsString, OsString)>,
    cwd: PathBuf,
}

impl WorkerKey {
    /// Creates the key. The mark of the event (H14) and a private directory differ between events.
    pub(super) fn new(config: &Arc<Config>, handler: &Handler, command: &Command) -> Self {
        let differs = |name: &OsString| {
            name == nesting::VARIABLE || (command.confinement.is_some() && name == "TMPDIR")
        };
        let env = command.env.iter().filter(|(name, _)| !differs(name)).cloned().collect();
        let (program, cwd) = (command.program.clone(), command.cwd.clone());
        Self { config: Arc::clone(config), event: handler.event, program, env, cwd }
    }

    fn is_same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.config, &other.config)
            && (self.event, &self.program, &self.cwd) == (other.event, &other.program, &other.cwd)
            && self.env == other.env
    }
}

impl Workers {
    /// Returns an idle worker; those that can't handle another event, or belong to another configuration, are dropped.
    pub(super) fn take(&self, key: &WorkerKey) -> Option<WorkerProcess> {
        let mut idle = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        idle.retain(|(of, worker)| Arc::ptr_eq(&of.config, &key.config) && worker.is_usable());
        let at = idle.iter().rposition(|(of, _)| of.is_same(key))?;
        Some(idle.remove(at).1)
    }

    /// Keeps a worker for the next event.
    pub(super) fn keep(&self, key: WorkerKey, worker: WorkerProcess) {
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
