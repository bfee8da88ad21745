//! The 33 lifecycle events: one enum, one struct each, grouped by family.
//!
//! The effects that an event may have are in [`crate::table`], its wire format in [`crate::wire::input`].

pub mod agents;
pub mod context;
pub mod environment;
pub mod lifecycle;
pub mod mcp;
pub mod permission;
pub mod tool;

pub(crate) mod body;
mod constructors;
mod session;

pub use body::{EventBody, EventKind, UnknownEvent};
pub use session::{Agent, Effort, PermissionMode, Session};

use crate::table::EventSpec;
use serde_json::{Map, Value};

/// A lifecycle point, with everything that a hook may learn about it.
///
/// ```
/// use becket_model::event::{Event, EventKind, Session, tool::PreToolUse};
///
/// let session = Session::new("s1", "/tmp/s1.jsonl", "/work");
/// let input = serde_json::json!({"command": "ls"}).as_object().cloned().unwrap_or_default();
/// let event = Event::new(session, PreToolUse::new("Bash".into(), input, "toolu_1".into()));
/// assert_eq!(event.kind(), EventKind::PreToolUse);
/// assert_eq!(event.body.subject(), Some("Bash"));
/// ```
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Event {
    /// The facts that all events of a session share (N1).
    pub session: Session,
    /// The event's own fields.
    pub body: EventBody,
    /// Fields that the host adds; they reach the hooks unchanged, after all others (N5).
    pub extra: Map<String, Value>,
    /// Other names of the event's tool. Matchers, `if`, deny and ask rules are tested under each of them as well; allow
    /// rules are not (X5). Never on the wire.
    pub other_names: Vec<String>,
}

impl Event {
    /// Creates an event of `session` without further fields.
    pub fn new(session: Session, body: impl Into<EventBody>) -> Self {
        Event { session, body: body.into(), extra: Map::new(), other_names: Vec::new() }
    }

    /// Sets the other names of the event's tool.
    #[must_use]
    pub fn with_other_names(self, other_names: Vec<String>) -> Self {
        Event { other_names, ..self }
    }

    /// Returns the kind of the event.
    pub fn kind(&self) -> EventKind {
        self.body.kind()
    }

    /// Returns the row of the table by which a model's answer counts: the event's own, or TeammateIdle's for a
    /// TaskCompleted that a teammate fires as it stops (H7).
    pub fn judged_by(&self) -> &'static EventSpec {
        let at_stop = matches!(&self.body, EventBody::TaskCompleted(completed) if completed.at_stop);
        if at_stop { EventKind::TeammateIdle.spec() } else { self.kind().spec() }
    }
}
