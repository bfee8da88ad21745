//! Nested activity of a tool: calls that it makes itself, as a skill runs its commands, and events that it fires. The
//! host
//! receives their reports.

use super::report::Report;
use becket_engine::{Outcome, RunningCall};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// Reports of the calls that one call has made. Cheap to clone; all clones are the same reports. A hook that stops the host stops it there, too (D6), and one without a
/// usable answer is reported (O10).
#[derive(Debug, Clone, Default)]
pub struct NestedCalls {
    reports: Arc<Mutex<Vec<Report>>>,
    fired: Arc<Mutex<Vec<Outcome>>>,
    interrupted: Arc<AtomicBool>,
}

impl NestedCalls {
    /// Returns those of the call that runs a tool; reports of a tool that something else runs are lost.
    #[must_use]
    pub fn of(running: &RunningCall<'_>) -> Self {
        running.of_caller::<Self>().cloned().unwrap_or_default()
    }

    /// Adds the report of a call.
    pub fn add(&self, report: Report) {
        self.reports.lock().unwrap_or_else(PoisonError::into_inner).push(report);
    }

    /// Adds the outcome of an event that the tool has fired. The tool passes its context to the model.
    pub fn fired(&self, outcome: Outcome) {
        self.fired.lock().unwrap_or_else(PoisonError::into_inner).push(outcome);
    }

    /// Records that a person wants the turn to end (D8).
    pub fn interrupt(&self) {
        self.interrupted.store(true, Ordering::SeqCst);
    }

    /// The reports so far, in order; they are gone then.
    #[must_use]
    pub fn take(&self) -> Vec<Report> {
        std::mem::take(&mut *self.reports.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// The events so far, in order; they are gone then.
    pub(super) fn take_fired(&self) -> Vec<Outcome> {
        std::mem::take(&mut *self.fired.lock().unwrap_or_else(PoisonError::into_inner))
    }

    pub(super) fn is_interrupted(&self) -> bool {
        self.interrupted.load(Ordering::SeqCst)
    }
}
