//! The outcome of a firing for Python: the few fields that every host reads immediately, and the whole, as
//! `becket fire --json` prints it, built on demand.

use crate::objects::to_python;
use becket_embed::view::Report;
use becket_embed::view::fired::{self, EventResult, FireReport};
use becket_engine::Settlement;
use becket_model::Event;
use pyo3::prelude::*;

/// The outcome of an event.
#[pyclass(frozen, module = "becket._becket")]
pub(crate) struct Outcome {
    outcome: becket_engine::Outcome,
    subject: Option<String>,
}

impl Outcome {
    pub(crate) fn new(outcome: becket_engine::Outcome, event: &Event) -> Self {
        Outcome { outcome, subject: event.body.subject().map(str::to_owned) }
    }
}

#[pymethods]
impl Outcome {
    /// Returns `passed`, `blocked` or `waits`.
    #[getter]
    fn result(&self) -> &'static str {
        match EventResult::of(&self.outcome) {
            EventResult::Passed => "passed",
            EventResult::Blocked => "blocked",
            EventResult::Waits => "waits",
        }
    }

    /// Returns `proceed`, `block` or `wait`.
    #[getter]
    fn decision(&self) -> &'static str {
        self.outcome.decision().as_str()
    }

    /// Returns whether the call is denied only because the session has no user to ask.
    #[getter]
    fn nobody_to_ask(&self) -> bool {
        self.outcome.nobody_to_ask
    }

    /// Returns the decision of hooks and rules on permission events; `None` if they are undecided.
    #[getter]
    fn permission_decision(&self) -> Option<&'static str> {
        match &self.outcome.settlement {
            Some(Settlement::Denied { .. } | Settlement::Stopped { .. }) => Some("deny"),
            Some(Settlement::Asked { .. }) => Some("ask"),
            Some(Settlement::Deferred) => Some("defer"),
            Some(Settlement::Allowed { .. }) => Some("allow"),
            Some(Settlement::Undecided) | None => None,
        }
    }

    /// Returns the reason.
    #[getter]
    fn reason(&self) -> Option<String> {
        fired::why(&self.outcome)
    }

    /// Returns the whole outcome.
    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        to_python(py, &self.fired())
    }
}

impl Outcome {
    fn fired(&self) -> Report {
        Report::Fire(Box::new(FireReport::new(&self.outcome, self.subject.as_deref(), Vec::new())))
    }
}
