//! A first-come, first-served queue of turns: the earliest turn goes first, and a dropped one leaves the queue.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::Notify;

/// The queue of turns.
#[derive(Debug, Clone, Default)]
pub(crate) struct Turns(Arc<Queue>);

#[derive(Debug, Default)]
struct Queue {
    state: Mutex<State>,
    /// Notified whenever a turn is dropped.
    left: Notify,
}

#[derive(Debug, Default)]
struct State {
    next: u64,
    waiting: BTreeSet<u64>,
}

/// A place in the queue; dropping it leaves the queue.
#[derive(Debug)]
pub(crate) struct Turn {
    number: u64,
    queue: Arc<Queue>,
}

impl Turns {
    /// Takes the last place in the queue.
    pub(crate) fn take(&self) -> Turn {
        let mut state = self.0.lock();
        let number = state.next;
        state.next += 1;
        state.waiting.insert(number);
        Turn { number, queue: self.0.clone() }
    }
}

impl Turn {
    /// Waits until all earlier turns are dropped. Cancel-safe.
    pub(crate) async fn wait(&self) {
        loop {
            // Registered before the check, so that a drop after it is noticed.
            let left = self.queue.left.notified();
            if self.queue.lock().waiting.first() == Some(&self.number) {
                return;
            }
            left.await;
        }
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        self.queue.lock().waiting.remove(&self.number);
        self.queue.left.notify_waiters();
    }
}

impl Queue {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
