//! The decision to end a turn, from its Stop hooks. Pure.

use crate::hook_messages;
use becket_model::{EventKind, Verdict};

/// The number of times that hooks have made the model continue.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(in super::super) struct StopCount {
    /// The number in a row, without a tool call in between.
    in_row: u32,
    /// Set if any hook has made the model continue in this turn (`stop_hook_active`).
    is_active: bool,
}

impl StopCount {
    /// Restarts the count after a tool call.
    pub(in super::super) fn restart(&mut self) {
        self.in_row = 0;
    }

    pub(super) fn is_active(self) -> bool {
        self.is_active
    }

    /// Counts a continuation; returns false if the cap is reached. A cap of 0 means no cap.
    fn go_on(&mut self, cap: u32) -> bool {
        if cap > 0 && self.in_row >= cap {
            return false;
        }
        self.in_row += 1;
        self.is_active = true;
        true
    }
}

/// The combined output of the hooks at the end of a turn.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct StopOutput {
    /// Set if the turn ends, whatever else was said (D6).
    pub(super) prevented: Option<Prevention>,
    /// The reasons for the model to continue, one message each.
    pub(super) blocks: Vec<String>,
    /// Context for the model, which also makes it continue.
    pub(super) contexts: Vec<String>,
}

/// A hook's decision to end the turn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Prevention {
    /// The reason for the user.
    pub(super) because: String,
    /// The name of the hook.
    pub(super) by: String,
}

/// The first line of the texts of blocking hooks (L4).
const FEEDBACK: &str = "hook feedback:";

/// Returns the reason to continue as the model reads it: to a subagent, its end is also a Stop.
pub(super) fn feedback(event: EventKind, reason: &str) -> String {
    let event = if event == EventKind::SubagentStop { EventKind::Stop } else { event };
    format!("{event} {FEEDBACK}\n{reason}")
}

impl StopOutput {
    /// Combines both: a stop of one of them wins, blocks of all count (L3).
    pub(super) fn and(mut self, other: Self) -> Self {
        self.prevented = self.prevented.or(other.prevented);
        self.blocks.extend(other.blocks);
        self.contexts.extend(other.contexts);
        self
    }

    /// Returns the output of the hooks of an event at the end of a turn.
    pub(super) fn of(hook: &str, verdict: &Verdict) -> Self {
        Self {
            prevented: verdict.stop.as_ref().map(|said| Prevention {
                because: hook_messages::stop_reason(said),
                by: hook_messages::stopped_by(verdict.event, said),
            }),
            blocks: hook_messages::blocks(verdict)
                .iter()
                .map(|said| feedback(verdict.event, &hook_messages::reason(said)))
                .collect(),
            contexts: hook_messages::contexts(hook, verdict),
        }
    }
}

/// The step after the hooks at the end of a turn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Next {
    /// The turn ends.
    Ends,
    /// The turn ends because a hook said so.
    Prevented(Prevention),
    /// The model continues.
    GoesOn,
    /// The model was to continue, but has already done so too often.
    Capped,
}

/// Returns the next step of a turn, and counts it.
pub(super) fn next(combined: &StopOutput, count: &mut StopCount, cap: u32) -> Next {
    if let Some(because) = &combined.prevented {
        return Next::Prevented(because.clone());
    }
    if combined.blocks.is_empty() && combined.contexts.is_empty() {
        return Next::Ends;
    }
    if count.go_on(cap) { Next::GoesOn } else { Next::Capped }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn combined(prevented: bool, blocks: usize, contexts: usize) -> StopOutput {
        StopOutput {
            prevented: prevented.then(enough),
            blocks: vec!["b".to_owned(); blocks],
            contexts: vec!["c".to_owned(); contexts],
        }
    }

    fn enough() -> Prevention {
        Prevention { because: "enough".to_owned(), by: "Stop hook `h` (user)".to_owned() }
    }

    // rule: L4
    #[test]
    fn preventing_beats_blocks_and_context_goes_on_as_a_block_does() {
        let of = |combined: &StopOutput| next(combined, &mut StopCount::default(), 8);
        assert_eq!(of(&combined(true, 1, 1)), Next::Prevented(enough()));
        assert_eq!(of(&combined(true, 0, 0)), Next::Prevented(enough()));
        assert_eq!(of(&combined(false, 2, 0)), Next::GoesOn);
        assert_eq!(of(&combined(false, 0, 1)), Next::GoesOn);
        assert_eq!(of(&combined(false, 0, 0)), Next::Ends);
    }

    // rule: L4
    #[test]
    fn the_ninth_in_a_row_is_overridden_and_a_call_restarts_the_count() {
        let mut count = StopCount::default();
        assert!(!count.is_active());
        for n in 0..8 {
            assert_eq!(next(&combined(false, n % 2, 1), &mut count, 8), Next::GoesOn, "{n}");
        }
        assert_eq!(next(&combined(false, 1, 0), &mut count, 8), Next::Capped);
        assert_eq!(next(&combined(false, 0, 1), &mut count, 8), Next::Capped);
        count.restart();
        assert!(count.is_active(), "a call does not make the turn a new one");
        assert_eq!(next(&combined(false, 1, 0), &mut count, 8), Next::GoesOn);
    }

    // rule: L4
    #[test]
    fn the_cap_is_a_setting_and_zero_is_none() {
        let mut count = StopCount::default();
        assert_eq!(next(&combined(false, 1, 0), &mut count, 1), Next::GoesOn);
        assert_eq!(next(&combined(false, 1, 0), &mut count, 1), Next::Capped);
        let mut count = StopCount::default();
        assert!((0..1000).all(|_| next(&combined(false, 1, 0), &mut count, 0) == Next::GoesOn));
    }
}
