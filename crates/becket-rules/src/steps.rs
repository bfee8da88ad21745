//! A bound on work that is counted, not timed: the same query has the same result on every machine (rule P6).

use std::sync::atomic::{AtomicU64, Ordering};

/// The remaining steps: bytes of text that patterns are compared with.
#[derive(Debug)]
pub(crate) struct Steps(AtomicU64);

/// An error: no steps are left, so the query has no result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct OutOfSteps;

/// The step limit for all rules on one call: some 20 ms on a machine of 2020, for any line and any rules.
const MOST: u64 = 8 << 20;

impl Default for Steps {
    fn default() -> Self {
        Self(AtomicU64::new(MOST))
    }
}

impl Steps {
    /// Returns steps without a bound, for a single pattern.
    pub(crate) fn unbounded() -> Self {
        Self(AtomicU64::new(u64::MAX))
    }

    /// Consumes `count` steps.
    pub(crate) fn take(&self, count: usize) -> Result<(), OutOfSteps> {
        let count = u64::try_from(count).unwrap_or(u64::MAX);
        let left = self.0.load(Ordering::Relaxed);
        // Only one thread compares rules with a call; with two, each would still be bounded.
        match left.checked_sub(count) {
            Some(less) => {
                self.0.store(less, Ordering::Relaxed);
                Ok(())
            }
            None => {
                self.0.store(0, Ordering::Relaxed);
                Err(OutOfSteps)
            }
        }
    }
}
