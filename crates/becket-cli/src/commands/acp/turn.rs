//! The turns of a session, so that a cancellation reaches all that the proxy does for them.
//!
//! INVARIANT: the agent receives no prompt of a turn after the cancellation of that turn.

use becket_engine::CancellationToken;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The running turns of a session. An editor may send a prompt before the last one is answered.
#[derive(Default)]
pub(super) struct Turns(Arc<Mutex<Vec<CancellationToken>>>);

/// One turn, from the arrival of its prompt to the answer; it ends when it is dropped.
pub(super) struct Turn {
    token: CancellationToken,
    all: Arc<Mutex<Vec<CancellationToken>>>,
}

impl Turns {
    /// Begins a turn, which `cancel` cancels too.
    pub(super) fn begin(&self, cancel: &CancellationToken) -> Arc<Turn> {
        let token = cancel.child_token();
        let mut all = locked(&self.0);
        all.retain(|turn| !turn.is_cancelled());
        all.push(token.clone());
        Arc::new(Turn { token, all: Arc::clone(&self.0) })
    }

    /// Cancels all turns.
    pub(super) fn cancel(&self) {
        locked(&self.0).drain(..).for_each(|turn| turn.cancel());
    }
}

impl Turn {
    /// Returns the token that is cancelled with the turn.
    pub(super) fn token(&self) -> &CancellationToken {
        &self.token
    }

    /// Returns true if the turn is cancelled.
    pub(super) fn is_cancelled(&self) -> bool {
        self.token.is_cancelled()
    }

    /// Sends something to the agent, unless the turn is cancelled. A cancellation waits meanwhile.
    pub(super) fn send<T>(&self, send: impl FnOnce() -> T) -> Option<T> {
        let _all = locked(&self.all);
        (!self.is_cancelled()).then(send)
    }
}

impl Drop for Turn {
    /// Marks the turn for the next `begin` to remove. Takes no lock: the last owner may be dropped in `send`.
    fn drop(&mut self) {
        self.token.cancel();
    }
}

fn locked(all: &Mutex<Vec<CancellationToken>>) -> MutexGuard<'_, Vec<CancellationToken>> {
    all.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cancellation_reaches_all_turns_that_run_and_none_that_follows() {
        let (turns, cancel) = (Turns::default(), CancellationToken::new());
        let (first, second) = (turns.begin(&cancel), turns.begin(&cancel));
        drop(turns.begin(&cancel));
        assert_eq!(first.send(|| 1), Some(1));
        turns.cancel();
        assert_eq!((first.send(|| 1), second.send(|| 1)), (None, None));
        let next = turns.begin(&cancel);
        assert!(!next.is_cancelled());
        assert_eq!(locked(&turns.0).len(), 1);
        cancel.cancel();
        assert!(next.is_cancelled());
    }
}
