//! The interceptor of a replay: tells the probes where to write and what to change, and runs no handler that needs the
//! network.

use crate::handler_key::HandlerKey;
use becket_base::text_file;
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
    /// No intervention: the same world.
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

/// The state in which events are fired.
#[derive(Debug, Default)]
struct World {
    intervention: Intervention,
    /// The handlers that run; `None` for all.
    only: Option<BTreeSet<HandlerKey>>,
}

impl Stage {
    /// Creates an interceptor whose probes write below `directory`.
    pub(super) fn new(directory: PathBuf) -> Self {
        Stage { directory, world: Mutex::default() }
    }

    /// Sets the state for the next events, and the handlers that run. It applies to concurrent events, too.
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

    /// Returns the notes of a run's probes, once.
    pub(super) fn trace(&self, handler: &Handler, input: &[u8]) -> Option<String> {
        let file = self.file(handler, input);
        let text = text_file::read(&file).ok()?;
        // A file that can't be removed is removed with the scratch directory.
        drop(fs::remove_file(&file));
        Some(text)
    }
}

impl RunInterceptor for Stage {
    fn replace(&self, run: InterceptedRun<'_>) -> Option<RunEnd> {
        let needs_network = !matches!(run.handler.action, Action::Command(_));
        let is_left_out =
            self.world().only.as_ref().is_some_and(|only| !only.contains(&HandlerKey::of(run.handler)));
        // The answer is empty; its status has the reason.
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
