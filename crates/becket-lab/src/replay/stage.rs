//! The interceptor of a replay: says to the probes where to write and what to change, and runs no handler that needs the
//! network.

use crate::handler_key::HandlerKey;
use becket_engine::handler::{Action, Handler};
use becket_engine::{InterceptedRun, RunEnd, RunInterceptor};
use std::ffi::OsString;
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

/// Another world for one answer.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) enum Intervention {
    /// The same one.
    #[default]
    Nothing,
    /// A clock that differs by so many seconds.
    Clock(i64),
    /// Another repository.
    Git(PathBuf),
}

/// The interceptor of one engine.
#[derive(Debug)]
pub(super) struct Stage {
    directory: PathBuf,
    intervention: Mutex<Intervention>,
}

impl Stage {
    /// Creates one whose probes write below `directory`.
    pub(super) fn new(directory: PathBuf) -> Self {
        Stage { directory, intervention: Mutex::default() }
    }

    /// Sets what the next events meet. Events at the same time meet it too.
    pub(super) fn intervene(&self, intervention: Intervention) {
        *self.intervention.lock().unwrap_or_else(PoisonError::into_inner) = intervention;
    }

    fn file(&self, handler: &Handler, input: &[u8]) -> PathBuf {
        let mut hasher = DefaultHasher::new();
        input.hash(&mut hasher);
        let key = HandlerKey::of(handler);
        self.directory.join(format!("{}-{}-{:016x}", key.event, key.position, hasher.finish()))
    }

    /// Returns what the probes of a run have noted, once.
    pub(super) fn trace(&self, handler: &Handler, input: &[u8]) -> Option<String> {
        let file = self.file(handler, input);
        let text = fs::read_to_string(&file).ok()?;
        // What can't be removed goes with the scratch directory.
        drop(fs::remove_file(&file));
        Some(text)
    }
}

impl RunInterceptor for Stage {
    fn replace(&self, run: InterceptedRun<'_>) -> Option<RunEnd> {
        let needs_network = !matches!(run.handler.action, Action::Command(_));
        // It says nothing; its status says why.
        needs_network.then(|| RunEnd::exited(0, "", ""))
    }

    fn variables(&self, run: InterceptedRun<'_>) -> Vec<(OsString, OsString)> {
        let trace = self.file(run.handler, run.input).into_os_string();
        let mut variables = vec![("BECKET_REPLAY_TRACE".into(), trace)];
        match &*self.intervention.lock().unwrap_or_else(PoisonError::into_inner) {
            Intervention::Nothing => {}
            Intervention::Clock(seconds) => {
                variables.push(("BECKET_REPLAY_SHIFT".into(), seconds.to_string().into()));
            }
            Intervention::Git(repository) => variables.push(("GIT_DIR".into(), repository.into())),
        }
        variables
    }
}
