//! The ledger behind a lock, with a notification for changes. Owns neither an engine nor its files.

use super::ledger::Ledger;
use becket_process::CancellationToken;
use std::pin::pin;
use std::sync::{Mutex, MutexGuard, PoisonError};
use tokio::sync::{Notify, oneshot};

/// The shared ledger of one engine.
#[derive(Debug)]
pub(super) struct Book {
    ledger: Mutex<Ledger<Grip>>,
    changed: Notify,
}

/// A handle on a pending hook.
#[derive(Debug)]
pub(super) struct Grip {
    /// Cancels the hook (H4).
    pub(super) cancel: CancellationToken,
    /// Starts the hook, if it waits for room.
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

    /// Calls `look` until it returns a value: at once, and then after every change.
    pub(super) async fn until<T>(&self, mut look: impl FnMut(&Book) -> Option<T>) -> T {
        loop {
            // Registered before the look, so that a change right after it is not missed.
            let mut change = pin!(self.changed.notified());
            change.as_mut().enable();
            if let Some(found) = look(self) {
                return found;
            }
            change.await;
        }
    }
}
