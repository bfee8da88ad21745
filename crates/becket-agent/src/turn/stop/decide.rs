//! The decision to end a turn, from its Stop hooks. Pure.

use crate::hook_messages;
use becket_model::{EventKind, Verdict};

/// Number of times that hooks have sent the model back.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(in super::super) struct StopCount {
    /// In a row, without a tool call in between.
    in_row: u32,
    /// Set if any has, in this turn (`stop_hook_active`).
    is_active: bool,
}

impl StopCount {
    /// A tool was called.
    pub(in super::super) fn restart(&mut self) {
        self.in_row = 0;
    }

    pub(super) fn is_active(self) -> bool {
        self.is_active
    }

    /// Counts a continuation, unless the cap is reached: then false. A cap of 0 is none.
    fn go_on(&mut self, cap: u32) -> bool {
        if cap > 0 && self.in_row >= cap {
            return false;
        }
        self.in_row += 1;
        self.is_active = true;
        true
    }
}

/// Combined output of the hooks at the end of a turn.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Says {
    /// The turn is over, whatever else was said (D6).
    pub(super) prevented: Option<Prevention>,
    /// Reasons for the model to continue, one message each.
    pub(super) blocks: Vec<String>,
    /// Context for the model; it continues with that, too.
    pub(super) contexts: Vec<String>,
}

/// That a hook ends the turn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Prevention {
    /// Why, for the user.
    pub(super) because: String,
    /// The hook.
    pub(super) by: String,
}

/// First line of the texts of blocking hooks (L4).
const FEEDBACK: &str = "hook feedback:";

/// Returns the reason for the model to continue, as it reads it: to a subagent, its end is a Stop, too.
pub(super) fn feedback(event: EventKind, reason: &str) -> String {
    let event = if event == EventKind::SubagentStop { EventKind::Stop } else { event };
    format!("{event} {FEEDBACK}\n{reason}")
}

impl Says {
    /// Both: a stop of one of them wins, blocks of all count (L3).
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
    /// It ends.
    Ends,
    /// It ends: a hook said so.
    Prevented(Prevention),
    /// The model continues.
    GoesOn,
    /// The model was to continue, and has done so too often.
    Capped,
}

/// Returns the next step of a turn; counts.
pub(super) fn next(says: &Says, count: &mut StopCount, cap: u32) -> Next {
    if let Some(because) = &says.prevented {
        return Next::Prevented(because.clone());
    }
    if says.blocks.is_empty() && says.contexts.is_empty() {
        return Next::Ends;
    }
    if count.go_on(cap) { Next::GoesOn } else { Next::Capped }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn says(prevented: bool, blocks: usize, contexts: usize) -> Says {
        Says {
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
        let of = |says: &Says| next(says, &mut StopCount::default(), 8);
        assert_eq!(of(&says(true, 1, 1)), Next::Prevented(enough()));
        assert_eq!(of(&says(true, 0, 0)), Next::Prevented(enough()));
        assert_eq!(of(&says(false, 2, 0)), Next::GoesOn);
        assert_eq!(of(&says(false, 0, 1)), Next::GoesOn);
        assert_eq!(of(&says(false, 0, 0)), Next::Ends);
    }

    // rule: L4
    #[test]
    fn the_ninth_in_a_row_is_overridden_and_a_call_restarts_the_count() {
        let mut count = StopCount::default();
        assert!(!count.is_active());
        for n in 0..8 {
            assert_eq!(next(&says(false, n % 2, 1), &mut count, 8), Next::GoesOn, "{n}");
        }
        assert_eq!(next(&says(false, 1, 0), &mut count, 8), Next::Capped);
        assert_eq!(next(&says(false, 0, 1), &mut count, 8), Next::Capped);
        count.restart();
        assert!(count.is_active(), "a call does not make the turn a new one");
        assert_eq!(next(&says(false, 1, 0), &mut count, 8), Next::GoesOn);
    }

    // rule: L4
    #[test]
    fn the_cap_is_a_setting_and_zero_is_none() {
        let mut count = StopCount::default();
        assert_eq!(next(&says(false, 1, 0), &mut count, 1), Next::GoesOn);
        assert_eq!(next(&says(false, 1, 0), &mut count, 1), Next::Capped);
        let mut count = StopCount::default();
        assert!((0..1000).all(|_| next(&says(false, 1, 0), &mut count, 0) == Next::GoesOn));
    }
}
