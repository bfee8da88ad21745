//! The id of one background run: unique in this process, and distinct from those of others.

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};

/// The id of one run of a hook in the background. Later ones are greater.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct BackgroundId {
    process: u32,
    number: u64,
}

impl BackgroundId {
    /// Returns an id that no other run of this process has.
    pub(crate) fn next() -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        BackgroundId { process: std::process::id(), number: NEXT.fetch_add(1, Ordering::Relaxed) }
    }
}

/// Formats the process and a number: `4711-3`.
impl fmt::Display for BackgroundId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}", self.process, self.number)
    }
}
