//! Tracks which turn an interrupt ends: the active one, otherwise that of the prompt that has waited longest. Prompts that
//! wait can be withdrawn: they start no turn.
//!
//! A host may interrupt a prompt right after sending it, before its turn has started.
//!
//! INVARIANT: the first turn is never withdrawn: it may be active.

use becket_engine::CancellationToken;
use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};

/// The turns of the prompts that have arrived and are not done, in order.
#[derive(Debug, Default)]
pub(super) struct Turns(Mutex<VecDeque<PendingTurn>>);

/// The turn of a message of the host. Cheap to clone.
#[derive(Debug, Clone)]
pub(super) struct MessageTurn {
    cancel: CancellationToken,
    withdrawn: CancellationToken,
}

/// A turn that is not done.
#[derive(Debug)]
struct PendingTurn {
    turn: MessageTurn,
    /// The host's own id of its message.
    message: Option<String>,
}

/// The messages that waited at an interrupt, by their ids.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct WaitingMessages {
    /// The messages whose turns follow.
    pub(super) queued: Vec<String>,
    /// The messages that were withdrawn.
    pub(super) withdrawn: Vec<String>,
}

impl MessageTurn {
    /// Creates a turn that ends with `run` at the latest.
    fn of(run: &CancellationToken) -> Self {
        MessageTurn { cancel: run.child_token(), withdrawn: CancellationToken::new() }
    }

    /// Returns the token that ends the turn.
    pub(super) fn cancel(&self) -> &CancellationToken {
        &self.cancel
    }

    /// Returns true if the turn must not start.
    pub(super) fn is_withdrawn(&self) -> bool {
        self.withdrawn.is_cancelled()
    }
}

impl Turns {
    /// Adds the turn of a message; it ends with `run` at the latest.
    pub(super) fn add(&self, run: &CancellationToken, message: Option<String>) -> MessageTurn {
        let turn = MessageTurn::of(run);
        self.all().push_back(PendingTurn { turn: turn.clone(), message });
        turn
    }

    /// Adds a turn before all others; returns the token that ends it.
    pub(super) fn first(&self, run: &CancellationToken) -> CancellationToken {
        let turn = MessageTurn::of(run);
        let cancel = turn.cancel.clone();
        self.all().push_front(PendingTurn { turn, message: None });
        cancel
    }

    /// Removes the first turn, which is done.
    pub(super) fn remove_first(&self) {
        self.all().pop_front();
    }

    /// Returns whether no turn is active or waits.
    pub(super) fn are_done(&self) -> bool {
        self.all().iter().all(|pending| pending.turn.is_withdrawn())
    }

    /// Cancels the first turn, if there is one, and withdraws all messages that wait, if `withdraws` is set.
    pub(super) fn interrupt(&self, withdraws: bool) -> WaitingMessages {
        let all = self.all();
        let mut open = all.iter().filter(|pending| !pending.turn.is_withdrawn());
        if let Some(first) = open.next() {
            first.turn.cancel.cancel();
        }
        let waiting = open.inspect(|pending| {
            if withdraws {
                pending.turn.withdrawn.cancel();
            }
        });
        let messages = waiting.filter_map(|pending| pending.message.clone()).collect();
        match withdraws {
            true => WaitingMessages { queued: Vec::new(), withdrawn: messages },
            false => WaitingMessages { queued: messages, withdrawn: Vec::new() },
        }
    }

    /// Withdraws a message that waits; returns false if there is none with this id, or its turn may have started.
    pub(super) fn withdraw(&self, message: &str) -> bool {
        let all = self.all();
        let mut waiting = all.iter().filter(|pending| !pending.turn.is_withdrawn()).skip(1);
        let found = waiting.find(|pending| pending.message.as_deref() == Some(message));
        found.inspect(|pending| pending.turn.withdrawn.cancel()).is_some()
    }

    fn all(&self) -> std::sync::MutexGuard<'_, VecDeque<PendingTurn>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_waits_is_withdrawn_and_the_first_turn_only_ends() {
        let (turns, run) = (Turns::default(), CancellationToken::new());
        let [first, second, third] = ["1", "2", "3"].map(|id| turns.add(&run, Some(id.to_owned())));
        assert!(!turns.withdraw("1") && turns.withdraw("2") && !turns.withdraw("2") && !turns.withdraw("4"));
        let waiting = turns.interrupt(false);
        assert_eq!(waiting, WaitingMessages { queued: vec!["3".to_owned()], withdrawn: Vec::new() });
        assert!(first.cancel().is_cancelled() && !third.cancel().is_cancelled());
        let waiting = turns.interrupt(true);
        assert_eq!(waiting, WaitingMessages { queued: Vec::new(), withdrawn: vec!["3".to_owned()] });
        assert_eq!(turns.interrupt(true), WaitingMessages::default());
        assert_eq!([first, second, third].map(|turn| turn.is_withdrawn()), [false, true, true]);
    }

    #[test]
    fn withdrawn_messages_in_front_are_passed_over() {
        let (turns, run) = (Turns::default(), CancellationToken::new());
        let woken = turns.first(&run);
        let [second, third] = ["2", "3"].map(|id| turns.add(&run, Some(id.to_owned())));
        assert!(turns.withdraw("2"));
        turns.remove_first();
        turns.interrupt(false);
        assert!(!woken.is_cancelled() && !second.cancel().is_cancelled() && third.cancel().is_cancelled());
    }
}
