//! The identity of a handler across copies of a project.

use becket_engine::handler::Handler;
use becket_model::EventKind;
use std::fmt;

/// A handler of a configuration, whichever copy of the project it was loaded from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub struct HandlerKey {
    /// Its event.
    pub event: EventKind,
    /// Its position among the handlers of the event.
    pub position: u64,
}

impl HandlerKey {
    /// Returns the key of a handler.
    pub fn of(handler: &Handler) -> Self {
        HandlerKey { event: handler.event, position: handler.place.position }
    }
}

impl fmt::Display for HandlerKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}#{}", self.event, self.position)
    }
}
