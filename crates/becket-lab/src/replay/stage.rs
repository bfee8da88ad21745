//! The interceptor of a replay: says to the probes where to write and what to change, and runs no handler that needs the
//! network.

use crate::handler_key::HandlerKey;
use becket_engine::handler::{Action, Handler};
use becket_engine::{InterceptedRun, RunEnd, RunInterceptor};
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};

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
    world: Mutex<World>,
}

/// The state that events meet.
#[derive(Debug, Default)]
struct World {
    intervention: Intervention,
    /// The handlers that run; `None` for all.
    only: Option<BTreeSet<HandlerKey>>,
}

impl Stage {
    /// Creates one whose probes write below `directory`.
    pub(super) fn new(directory: PathBuf) -> Self {
        Stage { directory, world: Mutex::default() }
    }

    /// Sets what the next events meet, and which handlers run then. It holds for events at the same time too.
    pub(super) fn intervene(&self, intervention: Intervention, only: Option<BTreeSet<HandlerKey>>) {
        *self.world() = World { intervention, only };
    }

    fn world(&self) -> MutexGuard<'_, World> {
        self.world.lock().unwrap_or_else(PoisonError::into_inner)
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
        let is_left_out =
            self.world().only.as_ref().is_some_and(|only| !only.contains(&HandlerKey::of(run.handler)));
        // It says nothing; its status says why.
        (needs_network || is_left_out).then(|| RunEnd::exited(0, "", ""))
    }

    fn variables(&self, run: InterceptedRun<'_>) -> Vec<(OsString, OsString)> {
        let trace = self.file(run.handler, run.input).into_os_string();
        let mut variables = vec![("BECKET_REPLAY_TRACE".into(), trace)];
        match &self.world().intervention {
            Intervention::Nothing => {}
            Intervention::Clock(seconds) => {
                variables.push(("BECKET_REPLAY_SHIFT".into(), seconds.to_string().into()));
            }
            Intervention::Git(repository) => variables.push(("GIT_DIR".into(), repository.into())),
        }
        variables
    }
}
