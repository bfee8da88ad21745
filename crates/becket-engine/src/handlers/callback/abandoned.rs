//! A counter of abandoned threads of blocking callbacks, for which no event waits any more.
//!
//! A thread can't be ended from outside. One that never returns costs its memory for good; a host with a hanging
//! callback must not pay that for every event. INVARIANT: an engine never has more threads than [`MOST`] and those that
//! events wait for.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicIsize, Ordering};

/// The number of threads that may be abandoned; then no other is started until one of them ends.
pub(crate) const MOST: isize = 128;

/// The abandoned threads of an engine.
#[derive(Debug, Clone, Default)]
pub(crate) struct AbandonedThreads(Arc<AtomicIsize>);

impl AbandonedThreads {
    /// Creates the two ends of a call: one for the waiting event, one for the thread. `None` if too many threads are
    /// abandoned.
    pub(crate) fn call(&self) -> Option<(End, End)> {
        if self.0.load(Ordering::Acquire) >= MOST {
            return None;
        }
        let one_is_gone = Arc::new(AtomicBool::new(false));
        let end = |change| End { all: self.0.clone(), one_is_gone: one_is_gone.clone(), change };
        Some((end(Change::More), end(Change::Fewer)))
    }
}

/// One end of a call. Dropping it marks this end as done.
#[derive(Debug)]
pub(crate) struct End {
    all: Arc<AtomicIsize>,
    one_is_gone: Arc<AtomicBool>,
    change: Change,
}

/// The change of the counter when this end is dropped before, or after, the other.
#[derive(Debug, Clone, Copy)]
enum Change {
    /// The waiting event gives up: the thread is abandoned, unless it has ended.
    More,
    /// The thread ends: it is no longer abandoned, if it was.
    Fewer,
}

impl Drop for End {
    fn drop(&mut self) {
        let is_last = self.one_is_gone.swap(true, Ordering::AcqRel);
        // The two may happen in either order, so the count may be below zero for a moment.
        let change = match (self.change, is_last) {
            (Change::More, false) => 1,
            (Change::Fewer, true) => -1,
            (Change::More, true) | (Change::Fewer, false) => 0,
        };
        self.all.fetch_add(change, Ordering::AcqRel);
    }
}
