//! Owns every process group that is being ended, until it is gone.
//!
//! Works on threads of its own, one per group and only while the group is being ended: a runtime that is busy, stopped
//! or missing can't keep a group alive. If no thread can be started, the caller waits instead.

use std::thread;
use std::time::Duration;

use crate::count::Count;
use crate::sys::Termination;

/// The stack size, enough for one walk over the process table.
const STACK: usize = 1 << 18;

/// A shared count of groups that are being ended.
#[derive(Debug, Clone)]
pub(crate) struct Reaper {
    pending: Count,
}

impl Reaper {
    pub(crate) fn new() -> Self {
        Self { pending: Count::new() }
    }

    /// Returns the number of groups that are not gone yet.
    pub(crate) fn pending(&self) -> usize {
        self.pending.now()
    }

    /// Resolves when no group is left.
    pub(crate) async fn all_gone(&self) {
        self.pending.none().await;
    }

    /// Sends SIGTERM to the group, and kills the remaining processes after `grace`.
    pub(crate) fn end(&self, ending: Termination, grace: Duration) {
        self.own(ending, move |ending| ending.ask_then_kill(grace));
    }

    /// Kills the group at once, before this returns; waits for its death elsewhere.
    pub(crate) fn kill(&self, mut ending: Termination) {
        ending.kill();
        self.own(ending, |_| ());
    }

    fn own(&self, mut ending: Termination, first: impl FnOnce(&mut Termination) + Send + 'static) {
        let pending = self.pending.one_more();
        let work = move || {
            let pending = pending;
            first(&mut ending);
            // Its drop kills and reaps the rest, even if `first` never ran because no thread could be started.
            drop(ending);
            drop(pending);
        };
        let started = thread::Builder::new().name("becket-reaper".into()).stack_size(STACK).spawn(work);
        drop(started);
    }
}
