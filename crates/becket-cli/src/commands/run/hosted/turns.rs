//! The turn that an interrupt ends: the active one, else that of the prompt that has waited longest.
//!
//! A host may interrupt a prompt right after sending it, before its turn has started.

use becket_engine::CancellationToken;
use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};

/// The turns of the prompts that have arrived and are not done, in their order.
#[derive(Debug, Default)]
pub(super) struct Turns(Mutex<VecDeque<CancellationToken>>);

impl Turns {
    /// Adds a prompt; its turn ends with `run` at the latest.
    pub(super) fn wanted(&self, run: &CancellationToken) -> CancellationToken {
        let turn = run.child_token();
        self.all().push_back(turn.clone());
        turn
    }

    /// Adds a turn before all of those.
    pub(super) fn first(&self, run: &CancellationToken) -> CancellationToken {
        let turn = run.child_token();
        self.all().push_front(turn.clone());
        turn
    }

    /// Removes the first of them, which is done.
    pub(super) fn done(&self) {
        self.all().pop_front();
    }

    /// Ends the first of them; returns false if there is none.
    pub(super) fn interrupt(&self) -> bool {
        let all = self.all();
        if let Some(turn) = all.front() {
            turn.cancel();
        }
        !all.is_empty()
    }

    fn all(&self) -> std::sync::MutexGuard<'_, VecDeque<CancellationToken>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
