//! The active calls of one connection: their progress, and the pauses of their clocks.
//!
//! A question of the server seldom names the call that it belongs to. Nothing is guessed then: the clocks of all calls
//! of the connection pause, which can only give one of them more time than it should have, and no more than the
//! maximum pause of a clock.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rmcp::model::{ProgressToken, RequestId};
use tokio::sync::watch;

use super::clock::{Clock, Pause};

/// The calls of one connection.
#[derive(Debug, Default)]
pub(super) struct Calls {
    all: Mutex<Vec<Call>>,
    next: std::sync::atomic::AtomicU64,
    count: watch::Sender<usize>,
}

#[derive(Debug)]
struct Call {
    key: u64,
    what: Arc<str>,
    clock: Arc<Clock>,
    /// The ids under which the server knows it, once it was sent.
    sent: Option<(RequestId, ProgressToken)>,
}

impl Calls {
    /// Registers a call, which is active until the returned guard is dropped. `what` describes it in its progress
    /// reports.
    pub(super) fn enter(self: &Arc<Self>, what: &Arc<str>, clock: &Arc<Clock>) -> ActiveCall {
        let key = self.next.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        let call = Call { key, what: Arc::clone(what), clock: Arc::clone(clock), sent: None };
        self.lock().push(call);
        self.count.send_modify(|count| *count += 1);
        ActiveCall { calls: Arc::clone(self), key }
    }

    /// Returns the call of a progress token.
    pub(super) fn of_token(&self, token: &ProgressToken) -> Option<(Arc<str>, Arc<Clock>)> {
        let all = self.lock();
        let call = all.iter().find(|call| call.sent.as_ref().is_some_and(|(_, own)| own == token))?;
        Some((Arc::clone(&call.what), Arc::clone(&call.clock)))
    }

    /// Pauses the clock of the call that a question belongs to; if that is not known, all clocks.
    pub(super) fn pause(&self, of: Option<&RequestId>) -> Vec<Pause> {
        let all = self.lock();
        let is_it = |call: &&Call| call.sent.as_ref().is_some_and(|(id, _)| Some(id) == of);
        match all.iter().find(is_it) {
            Some(call) => vec![call.clock.pause()],
            None => all.iter().map(|call| call.clock.pause()).collect(),
        }
    }

    /// Waits until no call is active.
    pub(super) async fn idle(&self) {
        // The sender is owned here.
        let _ = self.count.subscribe().wait_for(|count| *count == 0).await;
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Call>> {
        self.all.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// An active call.
#[derive(Debug)]
pub(super) struct ActiveCall {
    calls: Arc<Calls>,
    key: u64,
}

impl ActiveCall {
    /// Records the ids of its request on the wire.
    pub(super) fn record_ids(&self, id: &RequestId, token: &ProgressToken) {
        if let Some(call) = self.calls.lock().iter_mut().find(|call| call.key == self.key) {
            call.sent = Some((id.clone(), token.clone()));
        }
    }
}

impl Drop for ActiveCall {
    fn drop(&mut self) {
        self.calls.lock().retain(|call| call.key != self.key);
        self.calls.count.send_modify(|count| *count -= 1);
    }
}
