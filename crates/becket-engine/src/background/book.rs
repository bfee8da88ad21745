//! The ledger under its lock, and the bell that rings when it changes. Holds neither an engine nor its files.

use super::ledger::Ledger;
use becket_process::CancellationToken;
use std::pin::pin;
use std::sync::{Mutex, MutexGuard, PoisonError};
use tokio::sync::{Notify, oneshot};

/// The books of one engine.
#[derive(Debug)]
pub(super) struct Book {
    ledger: Mutex<Ledger<Grip>>,
    changed: Notify,
}

/// A handle on a pending hook.
#[derive(Debug)]
pub(super) struct Grip {
    /// Ends it (H4).
    pub(super) cancel: CancellationToken,
    /// Lets it start, where it waits.
    pub(super) start: Option<oneshot::Sender<()>>,
}

impl Book {
    pub(super) fn new() -> Self {
        Book { ledger: Mutex::new(Ledger::new()), changed: Notify::new() }
    }

    /// Locks the ledger for a moment; the guard is never held across an await or a call into foreign code.
    pub(super) fn open(&self) -> MutexGuard<'_, Ledger<Grip>> {
        self.ledger.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Wakes every waiting task, which then checks the ledger again.
    pub(super) fn ring(&self) {
        self.changed.notify_waiters();
    }

    /// Looks until there is something to be found; at once, and then after every change.
    pub(super) async fn until<T>(&self, mut look: impl FnMut(&Book) -> Option<T>) -> T {
        loop {
            // Before the look: a change that comes right after it must not be missed.
            let mut change = pin!(self.changed.notified());
            change.as_mut().enable();
            if let Some(found) = look(self) {
                return found;
            }
            change.await;
        }
    }
}
