//! The public face: an engine that holds events for one session's configuration.

mod background;
pub(crate) mod builder;
mod calls;
mod fire;
pub(crate) mod program_rules;
pub(crate) mod ready;
pub(crate) mod updates;

use crate::background::Background;
use crate::config::handler::{self, Action, Handler};
use crate::config::hookset::HookSet;
use crate::config::nesting;
use crate::config::nesting::EventMark;
use crate::config::placeholders::Places;
use crate::config::text_shell::{PathStyle, TextShell};
use crate::config::{self, Config, LoadedFiles};
use crate::engine::builder::Builder;
use crate::handlers::callback::{InvalidCallback, Surroundings};
use crate::handlers::context::{EngineParts, EngineState};
use crate::host::callback::Callback;
use crate::host::private_files::PrivateFiles;
use crate::plan::Plan;
use crate::plan::candidates::Part;
use crate::plan::gates::Gates;
use crate::plan::registrations;
use crate::plan::registrations::RegistrationId;
use crate::plan::snapshot::Snapshot;
use crate::plan::tool_input;
use crate::plan::variables;
use crate::report::outcome::Outcome;
use crate::report::stream::{Listeners, RunEvents};
use becket_model::{Event, EventKind, SessionId, Source};
use becket_process::CancellationToken;
use std::ffi::OsString;
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// Runs the hooks of one session. Cheap to clone; all clones are the same engine.
///
/// ```
/// use becket_engine::{Decision, Engine, Environment};
/// use becket_model::event::tool::PreToolUse;
/// use becket_model::{Event, Session};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let settings = r#"{"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [
///     {"type": "command", "command": "echo 'not on a Friday' >&2; exit 2"}]}]}}"#;
/// let engine = Engine::builder()
///     .environment(Environment::empty().with_var("PATH", "/usr/bin:/bin"))
///     .start_dir("/tmp")
///     .settings_text(settings)
///     .build()?;
/// let input = serde_json::from_str(r#"{"command": "make deploy"}"#)?;
/// let call = PreToolUse::new("Bash".into(), input, "toolu_1".into());
/// let event = Event::new(Session::new("s1", "/tmp/s1.jsonl", "/tmp"), call);
/// assert_eq!(engine.plan(&event).runs().len(), 1);
///
/// let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
/// let outcome = runtime.block_on(engine.fire(&event));
/// match outcome.decision() {
///     Decision::Proceed => unreachable!("the guard denies it"),
///     Decision::Block => assert_eq!(outcome.reason().as_deref(), Some("not on a Friday")),
///     Decision::Wait => unreachable!("nobody is asked"),
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Engine {
    inner: Arc<EngineState>,
}

impl Engine {
    /// Returns the shared state, for the parts of the public API in other modules.
    pub(crate) fn inner(&self) -> &EngineState {
        &self.inner
    }

    /// Starts to describe an engine.
    pub fn builder() -> Builder {
        Builder::default()
    }

    /// Returns the handlers that would run for an event, and the reason for each that would not. Starts nothing.
    pub fn plan(&self, event: &Event) -> Plan {
        let event = tool_input::normalize(event, &self.inner.tools, self.inner.environment.home());
        fire::plan_for(&self.inner, &self.inner.snapshot(), &event)
    }

    /// The mark of an event (H14): what the commands of its handlers carry.
    pub fn mark(&self, event: &Event) -> EventMark {
        let event = tool_input::normalize(event, &self.inner.tools, self.inner.environment.home());
        EventMark::of(&self.inner.request.profile.name, &event)
    }

    /// Returns the variables that a command of the event gets in addition to those of the host, for reports; none for
    /// other kinds.
    pub fn added_variables(&self, event: &Event, handler: &Handler) -> Vec<(OsString, OsString)> {
        let Action::Command(command) = &handler.action else { return Vec::new() };
        let snapshot = self.inner.snapshot();
        let shell = TextShell::of(command, &self.inner.environment, &snapshot.places.profile);
        let style = shell.ok().flatten().map_or(PathStyle::Native, |shell| shell.style());
        let mut all = variables::of_handler(&snapshot, event, handler, style);
        let mark = self.inner.enclosing.variable(self.mark(event), &handler.location);
        all.push((nesting::VARIABLE.into(), mark.into()));
        all.retain(|(name, value)| self.inner.environment.var(name) != Some(value));
        all
    }

    /// Runs the hooks of an event and waits for all of them. Never fails: what goes wrong is in the outcome.
    ///
    /// Needs a tokio runtime that drives I/O and time. Dropping the future ends every process that it started.
    pub async fn fire(&self, event: &Event) -> Outcome {
        if !self.inner.concerns(event.kind()) {
            return fire::unconfigured(&self.inner, event);
        }
        // Boxed, so that the future of an event without handlers stays small.
        Box::pin(self.fire_until(event, &CancellationToken::new())).await
    }

    /// As [`Engine::fire`], until `cancel` is cancelled: then every hook that still runs is ended (H4). A tool call that
    /// such a hook had not judged yet is settled as denied.
    pub async fn fire_until(&self, event: &Event, cancel: &CancellationToken) -> Outcome {
        if !self.inner.concerns(event.kind()) {
            return fire::unconfigured(&self.inner, event);
        }
        let snapshot = self.inner.snapshot();
        fire::fire(&self.inner, &snapshot, event, cancel).await
    }

    /// Runs the handlers of PreToolUse on an input that a PermissionRequest hook has put in place of the one that they
    /// have judged (D9). `event` is PreToolUse with that input. Only their denials and asks count, together with deny
    /// and ask rules; a critical removal is asked about (D3). The allow of that hook covers whatever is then neither
    /// denied nor asked about.
    pub async fn review_rewrite(&self, event: &Event, cancel: &CancellationToken) -> Outcome {
        let snapshot = self.inner.snapshot();
        fire::second_look(&self.inner, &snapshot, event, cancel).await
    }

    /// Returns whether a handler or a permission rule may affect the event: a host that asks before it fires skips
    /// events that nothing can hold back. Permission rules concern PreToolUse and PermissionRequest, without any
    /// handler.
    pub fn concerns(&self, event: EventKind) -> bool {
        self.inner.concerns(event)
    }

    /// Returns whether any handler is configured for the event (G4).
    pub fn has_any(&self, event: EventKind) -> bool {
        self.inner.registered.has_any(event)
            || self.inner.with_snapshot(|snapshot| snapshot.part.hooks().has_any(event))
    }

    /// The configuration in force.
    pub fn config(&self) -> Arc<Config> {
        self.inner.snapshot().config.clone()
    }

    /// The handlers of the configuration in force, without those registered since.
    pub fn hooks(&self) -> Arc<HookSet> {
        self.inner.snapshot().part.hooks().clone()
    }

    /// Returns the gates that let handlers run or hold them back by their source alone (G1–G3).
    pub fn gates(&self) -> Gates {
        self.inner.snapshot().gates.clone()
    }

    /// Returns how many matchers have been evaluated since the configuration was captured; remembered answers don't
    /// count (M9).
    pub fn matchers_asked(&self) -> u64 {
        self.inner.with_snapshot(|snapshot| snapshot.part.judged())
    }

    /// Returns how many times an event's input has been written as JSON: once per event at most, and never if only
    /// callbacks match (N2).
    pub fn inputs_serialized(&self) -> u64 {
        self.inner.serialized.load(Ordering::Relaxed)
    }

    /// Everything that happens from now on, in order.
    pub fn subscribe(&self) -> RunEvents {
        self.inner.listeners.subscribe()
    }

    /// Adds handlers until [`Engine::unregister`]: a skill's from its first use, an agent's while it runs (C10).
    /// They keep the order that `position` gives them among all others.
    pub fn register(&self, handlers: impl IntoIterator<Item = Handler>) -> RegistrationId {
        let handlers = handlers.into_iter().map(|mut handler| {
            let number = self.inner.next_registration();
            handler.place.position = registrations::position(handler.place.position, number);
            if self.inner.request.waits_for_async {
                handler.background = handler::Background::No;
            }
            handler
        });
        let hooks = Arc::new(HookSet::new(handlers, Vec::new()));
        // Under the snapshot's lock: a reload in between would leave the set behind gates that no longer hold.
        self.inner.with_snapshot(|snapshot| {
            let part = Part::new(hooks, snapshot.gates.clone(), snapshot.places.clone());
            self.inner.registered.add(part)
        })
    }

    /// Adds an in-process handler until [`Engine::unregister`] (H9). From as many tasks at once as there are.
    ///
    /// # Errors
    /// Its matcher or its `if` can't be read, or it was given no time; nothing is registered then.
    pub fn on(&self, callback: Callback) -> Result<RegistrationId, InvalidCallback> {
        self.on_all([callback])
    }

    /// Adds several as one registration.
    ///
    /// # Errors
    /// As [`Engine::on`], for the first that is wrong.
    pub fn on_all(
        &self,
        callbacks: impl IntoIterator<Item = Callback>,
    ) -> Result<RegistrationId, InvalidCallback> {
        let request = &self.inner.request;
        let around =
            Surroundings { profile: &request.profile, tools: &request.tools, project_dir: &request.start };
        let handlers: Result<Vec<Handler>, _> =
            callbacks.into_iter().map(|callback| callback.compile(&around)).collect();
        Ok(self.register(handlers?))
    }

    /// Removes what [`Engine::register`] added; false if it is gone already.
    pub fn unregister(&self, id: RegistrationId) -> bool {
        self.inner.registered.remove(id)
    }

    /// The environment files that the session's hooks have filled, in the order in which a shell evaluates them
    /// before each of the host's shell tools: later ones win (H12).
    pub fn env_files(&self, session: &SessionId) -> Vec<PathBuf> {
        self.inner.files.env_files(session)
    }

    /// Returns the directory with the texts of hooks that were too long to go on in full (O8), if there are any.
    pub fn long_texts(&self, session: &SessionId) -> Option<PathBuf> {
        self.inner.files.texts(session)
    }

    /// Forgets a session, as `/clear` and the end of a session do: its private files (H12), and the uncollected results
    /// of its background hooks. Those that still run are ended, without a wait: see [`Engine::end_background`].
    pub fn forget_session(&self, session: &SessionId) {
        self.inner.background.forget(session);
        self.inner.files.forget(session);
    }

    /// Reads the configuration again, at one of the refresh points (C8). Work under way keeps what it started with.
    ///
    /// # Errors
    /// [`KeptOld`] where the change leaves a file unreadable: then the old configuration stays.
    pub fn reload(&self) -> Result<Arc<Config>, KeptOld> {
        self.take_up(|_| config::load(&self.inner.request))
    }

    /// Takes up what `read` makes of what is in force.
    fn take_up(&self, read: impl FnOnce(&LoadedFiles) -> LoadedFiles) -> Result<Arc<Config>, KeptOld> {
        // One at a time: what was read first must not replace what was read later.
        let amendments = self.inner.reloading();
        let old = self.inner.snapshot();
        let loaded = amendments.over(read(&old.loaded));
        match config::judge(&old.config, config::resolve(&loaded)) {
            config::Reload::Accepted(new) => {
                self.inner.replace(old.with_config(Arc::new(loaded), new.clone(), &self.inner.environment));
                Ok(new)
            }
            config::Reload::KeptOld { why } => Err(KeptOld { why }),
        }
    }

    /// A settings file has changed: the old configuration's ConfigChange hooks judge the change, and if they let it
    /// pass that source is read again, and no other: what was blocked before does not come in with it (C8). A policy
    /// change always passes. A change of a source that holds no settings (`skills`) leaves the configuration as it is.
    pub async fn config_changed(&self, event: &Event) -> ConfigChanged {
        self.config_heard(event, self.fire(event).await)
    }

    /// The second half of [`Engine::config_changed`], for a host that has fired the event itself, to tell its user what came
    /// of it: does what these hooks have left to do.
    pub fn config_heard(&self, event: &Event, outcome: Outcome) -> ConfigChanged {
        let of_policy = event.body.subject() == Some("policy_settings");
        if outcome.verdict.blocks() && !of_policy {
            return ConfigChanged::Blocked(Box::new(outcome));
        }
        let Some(changed) = event.body.subject().and_then(changed_source) else {
            return ConfigChanged::Accepted(self.config());
        };
        match self.take_up(|old| config::load_changed(old, &changed)) {
            Ok(config) => ConfigChanged::Accepted(config),
            Err(kept) => ConfigChanged::KeptOld(kept),
        }
    }

    /// Ends what runs in the background, and waits until every process that was ended is really gone.
    pub async fn close(&self) {
        for pending in self.background() {
            self.end_background(&pending.session).await;
        }
        self.inner.runner.all_gone().await;
    }
}

/// The source that ConfigChange names.
fn changed_source(name: &str) -> Option<Source> {
    match name {
        "policy_settings" => Some(Source::Policy),
        "user_settings" => Some(Source::User),
        "project_settings" => Some(Source::Project),
        "local_settings" => Some(Source::Local),
        _ => None,
    }
}

/// The old configuration stays, since the new one can't be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the configuration stays as it was: {why}")]
#[non_exhaustive]
pub struct KeptOld {
    /// The file, and the error in it.
    pub why: String,
}

/// The result of a change on disk.
#[derive(Debug)]
pub enum ConfigChanged {
    /// The new configuration is in force.
    Accepted(Arc<Config>),
    /// A hook blocked the change.
    Blocked(Box<Outcome>),
    /// A file can't be read any more.
    KeptOld(KeptOld),
}

/// The parts of an engine.
pub(crate) struct Parts {
    pub(crate) loaded: Arc<LoadedFiles>,
    pub(crate) config: Arc<Config>,
    pub(crate) builder: Builder,
}

impl Engine {
    pub(crate) fn from_parts(Parts { loaded, config, builder }: Parts) -> Self {
        let environment = builder.request.environment.clone();
        let places = Arc::new(Places {
            profile: builder.request.profile.clone(),
            project_dir: builder.request.start.clone(),
        });
        let snapshot =
            Snapshot::new(loaded, config, &environment, places, builder.start, builder.request.trust);
        let files = Arc::new(PrivateFiles::new(builder.session_dir.clone(), environment.temp()));
        let listeners = Arc::new(Listeners::new(builder.observers));
        let background = Background::new(listeners.clone(), files.clone(), builder.session_dir);
        Engine {
            inner: Arc::new(EngineState::new(EngineParts {
                environment,
                request: builder.request,
                tools: builder.tools,
                limits: builder.limits,
                files,
                background,
                host: builder.host,
                listeners,
                snapshot,
            })),
        }
    }
}

impl fmt::Debug for Engine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Engine").field("config", &self.config()).finish_non_exhaustive()
    }
}
