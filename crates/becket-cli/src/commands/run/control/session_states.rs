//! Reports the state of a session in lines, for a host that asks for them: it works, waits for the host, or is idle.
//!
//! INVARIANT: a session that waits for an answer of the host is never idle.

use super::super::printer::Printer;
use crate::env::Surroundings;
use crate::report::run::{SessionEvent, SessionState};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The variable by which an application requests the lines.
const FOR_APPLICATIONS: &str = "CLAUDE_CODE_EMIT_SESSION_STATE_EVENTS";
/// The variable by which an SDK requests the lines, without passing them to its application.
const FOR_SDKS: &str = "CLAUDE_CODE_SDK_READS_SESSION_STATE";

/// Writes the state of a session, or nothing if no host requests it. Cheap to clone; all clones are the same.
#[derive(Clone, Default)]
pub(crate) struct SessionStates(Option<Arc<Writer>>);

struct Writer {
    printer: Printer,
    for_sdk: bool,
    current: Mutex<Current>,
}

struct Current {
    name: &'static str,
    /// The number of questions that wait for the host.
    waiting: usize,
}

/// Ends the wait for an answer of the host when dropped.
pub(super) struct Waiting<'a>(&'a SessionStates);

impl SessionStates {
    /// Returns the writer of this process.
    pub(crate) fn of(around: &Surroundings, printer: &Printer) -> Self {
        let is_set = |name: &str| around.var(name).is_some_and(|value| !value.is_empty() && value != "0");
        let (for_application, for_sdk) = (is_set(FOR_APPLICATIONS), is_set(FOR_SDKS));
        if !for_application && !for_sdk {
            return SessionStates::default();
        }
        let current = Mutex::new(Current { name: "idle", waiting: 0 });
        let writer = Writer { printer: printer.clone(), for_sdk: !for_application, current };
        SessionStates(Some(Arc::new(writer)))
    }

    /// Reports that a turn begins.
    pub(crate) fn works(&self) {
        self.change(|_| "running");
    }

    /// Reports that no turn is due.
    pub(crate) fn rests(&self) {
        self.change(|_| "idle");
    }

    /// Reports that the host is asked a question.
    pub(super) fn waits(&self) -> Waiting<'_> {
        self.change(|current| {
            current.waiting += 1;
            "requires_action"
        });
        Waiting(self)
    }

    fn change(&self, change: impl FnOnce(&mut Current) -> &'static str) {
        let Some(writer) = &self.0 else { return };
        let mut current = writer.current();
        let name = change(&mut current);
        let name = if current.waiting > 0 { "requires_action" } else { name };
        if current.name != name {
            current.name = name;
            let state = SessionState { name, for_sdk: writer.for_sdk };
            writer.printer.show(SessionEvent::State(state));
        }
    }
}

impl Writer {
    fn current(&self) -> MutexGuard<'_, Current> {
        self.current.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.change(|current| {
            current.waiting = current.waiting.saturating_sub(1);
            "running"
        });
    }
}
