//! Connections that have not presented the token yet: few, and the oldest makes room for the next.
//!
//! Connections without a token, which any user of the machine may hold open, therefore never exclude clients with one.

use becket_engine::CancellationToken;
use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The limit on these connections. Each of them buffers at most the head of a request.
const MOST: usize = 64;

/// All connections without a token, oldest first.
#[derive(Default)]
pub(super) struct Strangers {
    waiting: Mutex<VecDeque<(u64, CancellationToken)>>,
}

/// A connection without a token; when this is dropped, it has been authenticated or closed.
pub(super) struct Stranger {
    number: u64,
    among: Arc<Strangers>,
    is_authenticated: AtomicBool,
    /// Cancelled if the connection has to make room.
    pub(super) end: CancellationToken,
}

impl Strangers {
    /// Adds a connection. If there are too many, the oldest is closed.
    pub(super) fn add(self: &Arc<Self>, number: u64, cancel: &CancellationToken) -> Stranger {
        let end = cancel.child_token();
        let mut waiting = self.waiting();
        waiting.push_back((number, end.clone()));
        if waiting.len() > MOST
            && let Some((_, oldest)) = waiting.pop_front()
        {
            oldest.cancel();
        }
        Stranger { number, among: self.clone(), is_authenticated: AtomicBool::new(false), end }
    }

    fn waiting(&self) -> MutexGuard<'_, VecDeque<(u64, CancellationToken)>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Stranger {
    /// Records that the connection has presented the token: it no longer has to make room.
    pub(super) fn authenticate(&self) {
        self.is_authenticated.store(true, Ordering::Release);
        self.leave();
    }

    /// Returns true if the connection has presented the token.
    pub(super) fn is_authenticated(&self) -> bool {
        self.is_authenticated.load(Ordering::Acquire)
    }

    fn leave(&self) {
        self.among.waiting().retain(|(number, _)| *number != self.number);
    }
}

impl Drop for Stranger {
    fn drop(&mut self) {
        self.leave();
    }
}
