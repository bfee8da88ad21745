//! The state that all clones of an engine share.

use crate::background::Background;
use crate::config::nesting::EnclosingEvents;
use crate::config::{self, Amendments};
use crate::handlers::command::{Standbys, Workers};
use crate::handlers::host_services::Host;
use crate::handlers::questions::Desk;
use crate::host::environment::Environment;
use crate::host::private_files::PrivateFiles;
use crate::host::tool_set::ToolSet;
use crate::permission::inputs::PermissionSession;
use crate::permission::start_mode::StartMode;
use crate::plan::registrations::Registrations;
use crate::plan::snapshot::Snapshot;
use crate::report::outcome::is_about_permission;
use crate::report::stream::Listeners;
use becket_model::EventKind;
use becket_model::fold::FoldOptions;
use becket_process::{Limits, Runner};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, RwLock};

/// State that all clones of an engine share.
pub(crate) struct EngineState {
    pub(crate) environment: Environment,
    pub(crate) request: config::Request,
    pub(crate) tools: ToolSet,
    pub(crate) limits: Limits,
    pub(crate) runner: Runner,
    /// Commands that wait for their next event.
    pub(crate) workers: Workers,
    /// Commands that are started ahead of their events.
    pub(crate) standbys: Standbys,
    pub(crate) files: Arc<PrivateFiles>,
    pub(crate) background: Background,
    pub(crate) host: Host,
    pub(crate) listeners: Arc<Listeners>,
    pub(crate) registered: Registrations,
    snapshot: RwLock<Arc<Snapshot>>,
    /// The mode that the session starts in.
    pub(crate) started: StartMode,
    /// Changes made by updates; only the holder of this lock replaces the configuration.
    reloading: Mutex<Amendments>,
    /// One bit for each event for which the snapshot has a handler or a rule, so that the others cost next to nothing;
    /// and [`AUDITED`].
    configured: AtomicU64,
    registrations: AtomicU64,
    firings: AtomicU64,
    /// The number of times that an input was serialized to JSON.
    pub(crate) serialized: AtomicU64,
    /// The queue of the questions of all hooks.
    pub(crate) desk: Desk,
    /// The events for which this process runs (H14), determined when handlers are about to run.
    enclosing: OnceLock<EnclosingEvents>,
}

/// The parts of which an engine is built.
pub(crate) struct EngineParts {
    pub(crate) environment: Environment,
    pub(crate) request: config::Request,
    pub(crate) tools: ToolSet,
    pub(crate) limits: Limits,
    pub(crate) files: Arc<PrivateFiles>,
    pub(crate) background: Background,
    pub(crate) host: Host,
    pub(crate) listeners: Arc<Listeners>,
    pub(crate) snapshot: Snapshot,
}

impl EngineState {
    pub(crate) fn new(parts: EngineParts) -> Self {
        EngineState {
            enclosing: OnceLock::new(),
            environment: parts.environment,
            tools: parts.tools,
            limits: parts.limits,
            runner: Runner::new(),
            workers: Workers::default(),
            standbys: Standbys::default(),
            files: parts.files,
            background: parts.background,
            listeners: parts.listeners,
            registered: Registrations::new(),
            configured: AtomicU64::new(events_of(&parts.snapshot)),
            started: StartMode::of(&parts.request, &parts.snapshot.config),
            request: parts.request,
            snapshot: RwLock::new(Arc::new(parts.snapshot)),
            reloading: Mutex::default(),
            registrations: AtomicU64::new(0),
            firings: AtomicU64::new(0),
            serialized: AtomicU64::new(0),
            desk: Desk::new(parts.host.ask_user.clone()),
            host: parts.host,
        }
    }

    /// Returns the events for which this process runs (H14).
    pub(crate) fn enclosing(&self) -> &EnclosingEvents {
        self.enclosing.get_or_init(|| EnclosingEvents::of(&self.environment))
    }

    /// Returns whether there is a handler or a rule for the event, or a handler that could not be loaded; takes a few
    /// nanoseconds (G4).
    pub(crate) fn is_configured(&self, event: EventKind) -> bool {
        let configured = self.configured.load(Ordering::Acquire) & (1 << event as u32) != 0;
        configured || self.registered.has_any(event)
    }

    /// Returns whether verdicts are recorded (G6); takes a few nanoseconds.
    pub(crate) fn is_audited(&self) -> bool {
        self.configured.load(Ordering::Acquire) & AUDITED != 0
    }

    /// Reads the snapshot in force without copying the pointer to it.
    pub(crate) fn with_snapshot<T>(&self, look: impl FnOnce(&Snapshot) -> T) -> T {
        look(&self.snapshot.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Returns the snapshot in force.
    pub(crate) fn snapshot(&self) -> Arc<Snapshot> {
        self.snapshot.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Locks the configuration against replacement by others.
    pub(crate) fn reloading(&self) -> MutexGuard<'_, Amendments> {
        self.reloading.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn replace(&self, new: Snapshot) {
        let mut snapshot = self.snapshot.write().unwrap_or_else(PoisonError::into_inner);
        self.configured.store(events_of(&new), Ordering::Release);
        // Handlers that were registered before are subject to the new gates, too (G1, G2).
        self.registered.regate(&new.gates);
        *snapshot = Arc::new(new);
    }

    /// Returns the number of the next registration, from 0 on.
    pub(crate) fn next_registration(&self) -> u64 {
        self.registrations.fetch_add(1, Ordering::Relaxed)
    }

    /// Returns the number of the next firing, from 1 on.
    pub(crate) fn next_firing(&self) -> u64 {
        self.firings.fetch_add(1, Ordering::Relaxed) + 1
    }

    /// Returns the parts of the session that permissions depend on.
    pub(crate) fn permission_session(&self) -> PermissionSession<'_> {
        PermissionSession {
            tools: &self.tools,
            rule_tools: &self.request.tools,
            environment: &self.environment,
            interactive: self.request.trust.interactive,
        }
    }

    pub(crate) fn fold_options(&self) -> FoldOptions {
        FoldOptions {
            interactive: self.request.trust.interactive,
            context_on_deny: self.request.profile.context_on_deny,
        }
    }
}

/// The bit that is set if verdicts are recorded (G6).
const AUDITED: u64 = 1 << 63;

/// Returns whether permission rules may affect the event.
pub(crate) fn has_rules(snapshot: &Snapshot, event: EventKind) -> bool {
    !snapshot.config.permissions.is_empty() && is_about_permission(event)
}

/// Returns the events for which a snapshot has handlers, also such that could not be loaded, or permission rules, one bit
/// each.
fn events_of(snapshot: &Snapshot) -> u64 {
    const { assert!(EventKind::ALL.len() < 64) };
    let hooks = snapshot.part.hooks();
    let concerned = |event: &EventKind| hooks.has_entry(*event) || has_rules(snapshot, *event);
    let audited = if snapshot.is_audited() { AUDITED } else { 0 };
    EventKind::ALL.into_iter().filter(concerned).fold(audited, |bits, event| bits | (1 << event as u32))
}
