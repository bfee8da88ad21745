//! Counts the threads of blocking callbacks that nobody waits for any more.
//!
//! Nobody can end a thread. One that never comes back costs its memory for good; a host whose callback hangs must not
//! pay that for every event. INVARIANT: an engine never has more than [`MOST`] of them and those that are waited for.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicIsize, Ordering};

/// How many may be left behind; then no other is started until one of them ends.
pub(crate) const MOST: isize = 128;

/// The threads of an engine that were left behind.
#[derive(Debug, Clone, Default)]
pub(crate) struct Abandoned(Arc<AtomicIsize>);

impl Abandoned {
    /// The two ends of a call: one for who waits, one for the thread. `None` where too many were left behind.
    pub(crate) fn call(&self) -> Option<(End, End)> {
        if self.0.load(Ordering::Acquire) >= MOST {
            return None;
        }
        let one_is_gone = Arc::new(AtomicBool::new(false));
        let end = |change| End { all: self.0.clone(), one_is_gone: one_is_gone.clone(), change };
        Some((end(Change::More), end(Change::Fewer)))
    }
}

/// One end of a call. Dropping it says that this end is done.
#[derive(Debug)]
pub(crate) struct End {
    all: Arc<AtomicIsize>,
    one_is_gone: Arc<AtomicBool>,
    change: Change,
}

/// What it means where this end is done before, or after, the other.
#[derive(Debug, Clone, Copy)]
enum Change {
    /// Whoever waits leaves: the thread is left behind, unless it has ended.
    More,
    /// The thread ends: it is left behind no longer, if it was.
    Fewer,
}

impl Drop for End {
    fn drop(&mut self) {
        let is_last = self.one_is_gone.swap(true, Ordering::AcqRel);
        // The two may come in either order, so the count may pass below zero for a moment.
        let change = match (self.change, is_last) {
            (Change::More, false) => 1,
            (Change::Fewer, true) => -1,
            (Change::More, true) | (Change::Fewer, false) => 0,
        };
        self.all.fetch_add(change, Ordering::AcqRel);
    }
}
