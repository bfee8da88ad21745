//! Tracks which turn an interrupt ends: the active one, otherwise that of the prompt that has waited longest.
//!
//! A host may interrupt a prompt right after sending it, before its turn has started.

use becket_engine::CancellationToken;
use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};

/// The turns of the prompts that have arrived and are not done, in order.
#[derive(Debug, Default)]
pub(super) struct Turns(Mutex<VecDeque<PendingTurn>>);

/// A turn that is not done.
#[derive(Debug)]
struct PendingTurn {
    cancel: CancellationToken,
    /// The host's own id of its message.
    message: Option<String>,
}

impl Turns {
    /// Adds the turn of a prompt; it ends with `run` at the latest.
    pub(super) fn add(&self, run: &CancellationToken, message: Option<String>) -> CancellationToken {
        let cancel = run.child_token();
        self.all().push_back(PendingTurn { cancel: cancel.clone(), message });
        cancel
    }

    /// Adds a turn before all others.
    pub(super) fn first(&self, run: &CancellationToken) -> CancellationToken {
        let cancel = run.child_token();
        self.all().push_front(PendingTurn { cancel: cancel.clone(), message: None });
        cancel
    }

    /// Removes the first turn, which is done.
    pub(super) fn remove_first(&self) {
        self.all().pop_front();
    }

    /// Cancels the first turn, if there is one; returns the ids of the messages that are still waiting.
    pub(super) fn interrupt(&self) -> Vec<String> {
        let all = self.all();
        if let Some(turn) = all.front() {
            turn.cancel.cancel();
        }
        all.iter().skip(1).filter_map(|turn| turn.message.clone()).collect()
    }

    fn all(&self) -> std::sync::MutexGuard<'_, VecDeque<PendingTurn>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
