//! One open session: an engine, the facts that its events share, and the hooks that its program has registered.

use crate::event;
use crate::open::Registration;
use crate::servers::SessionServers;
use crate::view::background::{self, BackgroundResults};
use crate::view::finding::CheckReport;
use crate::view::planned::{PlanReport, Runs};
use becket_engine::config::Config;
use becket_engine::handler::Action;
use becket_engine::{
    Callback, CancellationToken, Engine, Environment, Hook, Outcome, ReadyEvent, RegistrationId,
};
use becket_model::wire::input::Fields;
use becket_model::{Event, EventKind, SessionId};
use futures_util::FutureExt;
use futures_util::future::join;
use serde_json::Value;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::{RwLock, RwLockReadGuard};

/// The limit on hooks that a program may register for a session.
const MOST_HOOKS: usize = 1_024;

const EVENT_NAME: &str = "hook_event_name";

/// A session. It lives until it is closed: dropping it detaches its background hooks, but still ends its MCP servers.
pub struct Session {
    id: Arc<str>,
    engine: Engine,
    facts: Facts,
    ends: SessionResources,
    hooks: Mutex<HashMap<String, RegistrationId>>,
    /// A lock that each firing reads; while the write lock is held, none is in progress.
    under_way: RwLock<()>,
}

/// The resources that are ended with a session.
pub(crate) struct SessionResources {
    /// The token that ends everything the session runs.
    pub(crate) cancel: CancellationToken,
    /// The MCP servers that its hooks may call.
    pub(crate) servers: Option<SessionServers>,
}

/// The facts about the session that events contain unless they name their own.
pub(crate) struct Facts {
    pub(crate) start: PathBuf,
    pub(crate) transcript: PathBuf,
    pub(crate) mode: Option<&'static str>,
    /// The variables that its hooks and programs get.
    pub(crate) environment: Environment,
}

impl Facts {
    /// Returns the session as its events name it.
    fn of_session(&self, id: &Arc<str>) -> becket_model::Session {
        becket_model::Session::new(SessionId::from(id.clone()), &self.transcript, &self.start)
    }
}

/// The firing was cancelled: hooks that still ran were ended, and nothing was decided.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("it was cancelled: hooks that still ran were ended, so nothing was decided")]
pub struct FiringCancelled;

impl Session {
    pub(crate) fn new(id: Arc<str>, engine: Engine, facts: Facts, ends: SessionResources) -> Self {
        Session { id, engine, facts, ends, hooks: Mutex::default(), under_way: RwLock::default() }
    }

    /// Returns the directory in which it starts.
    pub(crate) fn start(&self) -> &Path {
        &self.facts.start
    }

    pub(crate) fn environment(&self) -> &Environment {
        &self.facts.environment
    }

    /// Returns the session as its events name it.
    pub(crate) fn of_events(&self) -> becket_model::Session {
        self.facts.of_session(&self.id)
    }

    /// Prevents the session from being closed as long as the guard is alive.
    pub(crate) async fn holds_open(&self) -> RwLockReadGuard<'_, ()> {
        self.under_way.read().await
    }

    /// Returns its id, as hooks see it.
    pub fn id(&self) -> &Arc<str> {
        &self.id
    }

    /// Returns its engine.
    pub fn engine(&self) -> &Engine {
        &self.engine
    }

    /// Returns the token that ends everything it runs. The token of a firing should be a child of it.
    pub fn cancel(&self) -> &CancellationToken {
        &self.ends.cancel
    }

    /// Creates an event from its fields. The session fills in `hook_event_name`, `session_id`, `cwd`, `transcript_path`
    /// and `permission_mode` if they are missing.
    ///
    /// # Errors
    /// Errors with a message about the mismatch.
    pub fn event(
        &self,
        name: &str,
        given: impl IntoIterator<Item = (String, Value)>,
    ) -> Result<Event, String> {
        let kind = event::kind(name).map_err(|error| error.to_string())?;
        let mut fields = Fields::new(kind);
        let mut named = None;
        for (name, value) in given {
            if name == EVENT_NAME { named = Some(value) } else { fields.put(name, value) }
        }
        own(EVENT_NAME, named.as_ref(), kind.name())?;
        own("session_id", fields.get("session_id"), &self.id)?;
        let facts = &self.facts;
        let mut unless_given = |name: &str, value: &dyn Fn() -> String| {
            if fields.get(name).is_none() {
                fields.put(name, value().into());
            }
        };
        unless_given("session_id", &|| self.id.to_string());
        unless_given("cwd", &|| facts.start.to_string_lossy().into_owned());
        unless_given("transcript_path", &|| facts.transcript.to_string_lossy().into_owned());
        if let Some(mode) = facts.mode.filter(|_| kind.spec().carries.permission_mode) {
            unless_given("permission_mode", &|| mode.to_owned());
        }
        fields.into_event().map_err(|error| format!("`input`: {error}"))
    }

    /// Plans an event. Hooks that are registered, removed or reloaded before it is fired only affect later events.
    pub fn ready(&self, event: Event) -> ReadyEvent {
        self.engine.host().ready(event)
    }

    /// Runs the hooks of an event until `cancel`, and returns the event with its outcome. If they allow a change of a
    /// settings file, the file is read again (C8).
    ///
    /// # Errors
    /// Errors if it was cancelled.
    pub async fn fire(
        &self,
        event: ReadyEvent,
        cancel: &CancellationToken,
    ) -> Result<(Event, Outcome), FiringCancelled> {
        let _under_way = self.under_way.read().await;
        let (event, mut outcome) = event.fire_until(cancel).await;
        if event.kind() == EventKind::ConfigChange {
            let mut change = self.engine.host().pending_change(&event);
            // If the file can't be read, nothing changes; a reload reports the reason.
            while !cancel.is_cancelled() && change.settle(outcome.clone()).is_none() {
                (_, outcome) = self.ready(event.clone()).fire_until(cancel).await;
            }
        }
        if cancel.is_cancelled() { Err(FiringCancelled) } else { Ok((event, outcome)) }
    }

    /// Returns the hooks that an event would run, in order of listing.
    pub fn plan(&self, event: &Event) -> Runs {
        Runs::new(&self.engine.plan(event))
    }

    /// Returns the hooks that an event would run, and the reasons why others would not.
    pub fn explain(&self, event: &Event) -> PlanReport {
        PlanReport::explain(&self.engine, event, Vec::new())
    }

    /// Returns the problems in the configuration; its valid parts work.
    pub fn check(&self) -> CheckReport {
        checked(&self.engine.config())
    }

    /// Adds a hook of the program (H9).
    ///
    /// # Errors
    /// Errors if its id is taken, or its event, time limit, matcher or condition is invalid.
    pub fn register(&self, wants: &Registration, hook: Arc<dyn Hook>) -> Result<(), String> {
        let callback = callback(wants, hook)?;
        let mut hooks = self.hooks.lock().unwrap_or_else(PoisonError::into_inner);
        if hooks.len() >= MOST_HOOKS {
            return Err(format!("the session has {MOST_HOOKS} hooks of the program already"));
        }
        match hooks.entry(wants.id.clone()) {
            Entry::Occupied(_) => Err(format!("there is a hook `{}` already: unregister it first", wants.id)),
            Entry::Vacant(place) => {
                let id = self.engine.on(callback).map_err(|error| error.to_string())?;
                place.insert(id);
                Ok(())
            }
        }
    }

    /// Removes a hook.
    ///
    /// # Errors
    /// Errors if it does not exist.
    pub fn unregister(&self, id: &str) -> Result<(), String> {
        let known = self.hooks.lock().unwrap_or_else(PoisonError::into_inner).remove(id);
        let known = known.ok_or_else(|| format!("there is no hook `{id}` of the program"))?;
        self.engine.unregister(known);
        Ok(())
    }

    /// Takes the results of background hooks. Wakes are taken first: each is delivered once, even if its result arrives
    /// a moment later.
    pub fn background(&self) -> BackgroundResults {
        let mut wakes = Vec::new();
        let waiting = self.engine.host().wakes();
        while let Some(Some(wake)) = waiting.next().now_or_never() {
            wakes.push(wake.into());
        }
        let delivered = self.engine.host().collect_background(&SessionId::from(self.id.clone()));
        BackgroundResults { background: background::left(delivered, Vec::new()), wakes }
    }

    /// Returns the environment files that hooks have filled; later ones win (H12).
    pub fn env_files(&self) -> Vec<PathBuf> {
        self.engine.host().env_files(&SessionId::from(self.id.clone()))
    }

    /// Reads the configuration again.
    ///
    /// # Errors
    /// Errors if it can no longer be read; the configuration is then unchanged.
    pub fn reload(&self) -> Result<CheckReport, String> {
        let config = self.engine.host().reload().map_err(|error| error.to_string())?;
        Ok(checked(&config))
    }

    /// Returns the events that a hook or a permission rule may affect: PreToolUse and PermissionRequest are included if
    /// there is any rule, since a rule denies a call without a hook. A registered hook or a reload changes them.
    pub fn events(&self) -> Vec<&'static str> {
        let concerns = |event: &EventKind| self.engine.host().concerns(*event);
        EventKind::ALL.iter().copied().filter(concerns).map(EventKind::name).collect()
    }

    /// Ends everything that it runs, and waits for its end. Background hooks first get the budget of SessionEnd (A5);
    /// firings are ended at once.
    pub async fn close(&self) {
        self.ends.cancel.cancel();
        let hooks = async {
            // A firing ends its running hooks.
            drop(self.under_way.write().await);
            self.engine.host().finish_background(&self.facts.of_session(&self.id)).await;
            self.engine.close().await;
        };
        let servers = async {
            if let Some(servers) = &self.ends.servers {
                servers.close().await;
            }
        };
        join(hooks, servers).await;
        self.engine.host().forget_session(&SessionId::from(self.id.clone()));
    }
}

/// The number of processes that may be started on a program's own thread: one start takes a tenth of a millisecond,
/// about as much as waking another thread for it.
const STARTS: usize = 1;

/// Returns whether an event may start on a program's own thread (see [`crate::caller_executor`]): it runs functions of
/// the program, and so few commands that starting them does not block an event loop.
pub fn runs_on_caller(event: &ReadyEvent) -> bool {
    let actions = || event.runs().iter().map(|run| &run.handler.action);
    let starts = actions().filter(|action| matches!(action, Action::Command(_))).count();
    starts <= STARTS && actions().all(|action| matches!(action, Action::Callback(_) | Action::Command(_)))
}

/// Rejects a field whose only valid value was not given.
fn own(name: &str, given: Option<&Value>, value: &str) -> Result<(), String> {
    match given {
        Some(given) if given.as_str() != Some(value) => {
            Err(format!("`input.{name}` is {given}, but must be `{value}`: leave it out"))
        }
        Some(_) | None => Ok(()),
    }
}

fn checked(config: &Config) -> CheckReport {
    CheckReport::new(&config.diagnostics, config.files)
}

fn callback(wants: &Registration, hook: Arc<dyn Hook>) -> Result<Callback, String> {
    let kind = event::kind(&wants.event).map_err(|error| error.to_string())?;
    let mut callback =
        Callback::object(kind, hook).named(format!("the program's hook {}", wants.id)).order(wants.order);
    if let Some(on_failure) = wants.on_failure {
        callback = callback.on_failure(on_failure.into());
    }
    if let Some(matcher) = &wants.matcher {
        callback = callback.matcher(matcher.as_str());
    }
    if let Some(condition) = &wants.condition {
        callback = callback.when(condition.as_str());
    }
    match wants.timeout {
        None => Ok(callback),
        Some(seconds) => Ok(callback.timeout(limit(seconds)?)),
    }
}

/// Returns the time limit of a hook, from its seconds.
///
/// # Errors
/// Errors if it is not a valid time.
pub fn limit(seconds: f64) -> Result<Duration, String> {
    let limit = Duration::try_from_secs_f64(seconds).ok().filter(|limit| !limit.is_zero());
    limit.ok_or_else(|| "`timeout` must be a number of seconds above 0".to_owned())
}
