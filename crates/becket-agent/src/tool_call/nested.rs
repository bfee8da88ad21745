//! The calls that a tool makes itself, as a skill runs its commands: what was said about them is the host's to hear.

use super::report::Report;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

/// What came of the calls that one call has made on its way. A hook that stops the host stops it there, too (D6), and one
/// that gave no usable answer is told (O10).
#[derive(Debug, Default)]
pub struct Nested {
    reports: Mutex<Vec<Report>>,
    interrupted: AtomicBool,
}

impl Nested {
    /// Adds the report of a call.
    pub fn add(&self, report: Report) {
        self.reports.lock().unwrap_or_else(PoisonError::into_inner).push(report);
    }

    /// Somebody who was asked on the way wants the turn to end (D8).
    pub fn interrupt(&self) {
        self.interrupted.store(true, Ordering::SeqCst);
    }

    /// The reports so far, in order; they are gone then.
    #[must_use]
    pub fn take(&self) -> Vec<Report> {
        std::mem::take(&mut *self.reports.lock().unwrap_or_else(PoisonError::into_inner))
    }

    pub(super) fn is_interrupted(&self) -> bool {
        self.interrupted.load(Ordering::SeqCst)
    }
}
