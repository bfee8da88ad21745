//! Nested activity of a tool: calls that it makes itself, such as a skill's commands, and events that it fires. The
//! host receives their reports.

use super::report::Report;
use becket_engine::{Outcome, RunningCall};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// Reports of the calls that one call has made. Cheap to clone; all clones are the same reports. A hook that stops the
/// host in a nested call also stops it after the outer one (D6), and a hook without a usable answer is reported (O10).
#[derive(Debug, Clone, Default)]
pub struct NestedCalls {
    reports: Arc<Mutex<Vec<Report>>>,
    fired: Arc<Mutex<Vec<Outcome>>>,
    interrupted: Arc<AtomicBool>,
}

impl NestedCalls {
    /// Returns the reports of the call that runs a tool; reports of a tool that is run by something else are lost.
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

    /// Takes the reports so far, in order.
    #[must_use]
    pub fn take(&self) -> Vec<Report> {
        std::mem::take(&mut *self.reports.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Takes the events so far, in order.
    pub(super) fn take_fired(&self) -> Vec<Outcome> {
        std::mem::take(&mut *self.fired.lock().unwrap_or_else(PoisonError::into_inner))
    }

    pub(super) fn is_interrupted(&self) -> bool {
        self.interrupted.load(Ordering::SeqCst)
    }
}
