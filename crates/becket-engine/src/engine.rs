//! The public API: [`Engine`], and the [`HostOperations`] of hosts that run whole sessions.

mod audit;
mod background;
pub(crate) mod builder;
mod call_rights;
mod calls;
mod fire;
mod host_operations;
mod line_rights;
pub(crate) mod program_rules;
pub(crate) mod ready;
mod reload;
pub(crate) mod updates;

use crate::background::Background;
use crate::config::handler::{self, Handler};
use crate::config::hookset::HookSet;
use crate::config::placeholders::Places;
use crate::config::{Config, LoadedFiles};
use crate::engine::builder::Builder;
use crate::handlers::callback::{InvalidCallback, Surroundings};
use crate::handlers::context::{EngineParts, EngineState};
use crate::host::callback::Callback;
use crate::host::private_files::PrivateFiles;
use crate::plan::Plan;
use crate::plan::candidates::Part;
use crate::plan::registrations;
use crate::plan::registrations::RegistrationId;
use crate::plan::snapshot::Snapshot;
use crate::plan::tool_input;
use crate::report::outcome::Outcome;
use crate::report::stream::{Listeners, RunEvents};
use becket_model::Event;
use becket_process::CancellationToken;
pub use host_operations::HostOperations;
pub use reload::{ConfigChanged, PendingConfigChange, ReloadError};
use std::fmt;
use std::sync::Arc;

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

    /// Returns a builder with the defaults.
    pub fn builder() -> Builder {
        Builder::default()
    }

    /// Returns the handlers that would run for an event, and the reason for each that would not. Starts nothing.
    pub fn plan(&self, event: &Event) -> Plan {
        let event = tool_input::normalize(event, &self.inner.tools, self.inner.environment.home());
        fire::plan_for(&self.inner, &self.inner.snapshot(), &event)
    }

    /// Runs the hooks of an event and waits for all of them. Never fails: errors are in the outcome.
    ///
    /// Needs a tokio runtime that drives I/O and time. Dropping the future ends every process that it started.
    pub async fn fire(&self, event: &Event) -> Outcome {
        if !self.inner.is_configured(event.kind()) {
            return audit::unconfigured_event(&self.inner, event);
        }
        // Boxed, so that the future of an event without handlers stays small.
        Box::pin(self.fire_until(event, &CancellationToken::new())).await
    }

    /// Works like [`Engine::fire`] until `cancel` is cancelled: then every hook that is still running is ended (H4). A
    /// tool call that such a hook had not judged yet is settled as denied.
    pub async fn fire_until(&self, event: &Event, cancel: &CancellationToken) -> Outcome {
        if !self.inner.is_configured(event.kind()) {
            return audit::unconfigured_event(&self.inner, event);
        }
        let snapshot = self.inner.snapshot();
        fire::fire(&self.inner, &snapshot, event, cancel).await
    }

    /// Returns the configuration in force.
    pub fn config(&self) -> Arc<Config> {
        self.inner.snapshot().config.clone()
    }

    /// Subscribes to all run events from now on, in order.
    pub fn subscribe(&self) -> RunEvents {
        self.inner.listeners.subscribe()
    }

    /// Adds handlers until [`Engine::unregister`]: a skill's from its first use, an agent's while it runs (C10). Their
    /// `position` determines their order among all others.
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
        // Under the snapshot's lock: a reload in between would leave the set behind outdated gates.
        self.inner.with_snapshot(|snapshot| {
            let part = Part::new(hooks, snapshot.gates.clone(), snapshot.places.clone());
            self.inner.registered.add(part)
        })
    }

    /// Adds an in-process handler until [`Engine::unregister`] (H9). Any number of tasks may call this at once.
    ///
    /// # Errors
    /// Errors if its matcher or its `if` can't be read, or if its time limit is zero; nothing is registered then.
    pub fn on(&self, callback: Callback) -> Result<RegistrationId, InvalidCallback> {
        self.on_all([callback])
    }

    /// Adds several handlers as one registration.
    ///
    /// # Errors
    /// Errors as [`Engine::on`] does, for the first invalid one.
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

    /// Removes the handlers that [`Engine::register`] added; returns false if they are gone already.
    pub fn unregister(&self, id: RegistrationId) -> bool {
        self.inner.registered.remove(id)
    }

    /// Returns the operations of a host that runs a whole session: reloads, permission updates, background hooks,
    /// questions about a call.
    pub fn host(&self) -> HostOperations<'_> {
        HostOperations::new(self)
    }

    /// Ends everything in the background, and waits until every process that was ended is really gone.
    pub async fn close(&self) {
        for pending in self.host().background() {
            self.host().end_background(&pending.session).await;
        }
        self.inner.standbys.end();
        self.inner.runner.all_gone().await;
    }
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
