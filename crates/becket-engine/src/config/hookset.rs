//! All handlers of a configuration: compiled, immutable, shared.

use crate::config::handler::{Handler, Location};
use becket_model::{EventKind, Source};
use std::path::PathBuf;
use std::sync::Arc;

/// Handlers by event, in C6 order, with what the configuration could not load.
#[derive(Debug, Default)]
pub struct HookSet {
    by_event: Vec<Vec<Arc<Handler>>>,
    rejected: Vec<RejectedHandler>,
    modules: Vec<HookModule>,
}

/// A module of in-process hooks that a plugin contains for another program. It is not run here (C12).
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct HookModule {
    /// The source that it belongs to.
    pub source: Source,
    /// The path as written.
    pub label: Arc<str>,
    /// The file that it refers to.
    pub file: PathBuf,
    /// The position of its definition.
    pub location: Location,
}

/// A handler, group or event that is written in a configuration and was not loaded (C7). `explain` lists it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct RejectedHandler {
    /// The event, if its name is known; the nearest one if it is misspelt.
    pub event: Option<EventKind>,
    /// The source that it belongs to.
    pub source: Source,
    /// Its label: its command, URL, tool or name.
    pub label: Arc<str>,
    /// The position of its definition.
    pub location: Location,
    /// The reason why it was not loaded, as in the diagnostic.
    pub why: String,
}

/// Handlers that are being collected.
pub(crate) struct HandlersByEvent(Vec<Vec<Arc<Handler>>>);

impl Default for HandlersByEvent {
    fn default() -> Self {
        HandlersByEvent(EventKind::ALL.iter().map(|_| Vec::new()).collect())
    }
}

impl HandlersByEvent {
    pub(crate) fn push(&mut self, handler: Handler) {
        self.0[handler.event as usize].push(Arc::new(handler));
    }

    /// Sorts the handlers of each event.
    pub(crate) fn into_set(mut self, rejected: Vec<RejectedHandler>) -> HookSet {
        for handlers in &mut self.0 {
            handlers.sort_by_key(|handler| handler.place.position);
        }
        HookSet { by_event: self.0, rejected, modules: Vec::new() }
    }
}

impl HookSet {
    /// Sorts handlers into their events, each in the order of [`becket_model::HandlerOrigin::position`].
    pub fn new(handlers: impl IntoIterator<Item = Handler>, rejected: Vec<RejectedHandler>) -> Self {
        let mut by_event = HandlersByEvent::default();
        handlers.into_iter().for_each(|handler| by_event.push(handler));
        by_event.into_set(rejected)
    }

    /// Returns the set with every handler changed, or removed where `amendment` returns `None`.
    pub(crate) fn amended(&self, amendment: impl Fn(Handler) -> Option<Handler>) -> Self {
        let handlers = self.all().filter_map(|handler| amendment(Handler::clone(handler)));
        HookSet::new(handlers, self.rejected.clone()).with_modules(self.modules.clone())
    }

    /// Adds the modules that are not run.
    pub fn with_modules(mut self, modules: Vec<HookModule>) -> Self {
        self.modules = modules;
        self
    }

    /// Returns the modules of in-process hooks in plugins, which are not run (C12).
    pub fn modules(&self) -> &[HookModule] {
        &self.modules
    }

    /// Returns the handlers of an event, in C6 order.
    pub fn of(&self, event: EventKind) -> &[Arc<Handler>] {
        self.by_event.get(event as usize).map_or(&[], Vec::as_slice)
    }

    /// Returns every handler, by event.
    pub fn all(&self) -> impl Iterator<Item = &Arc<Handler>> {
        self.by_event.iter().flatten()
    }

    /// Returns the handlers that could not be loaded.
    pub fn rejected(&self) -> &[RejectedHandler] {
        &self.rejected
    }

    /// Returns whether there is anything to plan for the event (G4).
    pub fn has_any(&self, event: EventKind) -> bool {
        !self.of(event).is_empty()
    }

    /// Returns whether there is anything to plan or to explain for the event: a handler that could not be loaded counts.
    pub(crate) fn has_entry(&self, event: EventKind) -> bool {
        self.has_any(event) || self.rejected.iter().any(|rejected| rejected.event == Some(event))
    }
}
