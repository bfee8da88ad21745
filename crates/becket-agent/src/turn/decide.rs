//! The decision on the next step of a turn. Pure: maps the outcome of a step to the next step.

use becket_llm::StopReason;

/// The maximum number of times that an answer that was cut off is continued.
pub(super) const MOST_CUT_OFF: u32 = 3;
/// The maximum number of times in a row that a model may pause.
const MOST_PAUSES: u32 = 10;

/// The known facts about an answer.
#[derive(Debug, Clone, Copy)]
pub(super) struct AnswerFacts<'a> {
    /// Set if the answer contains calls.
    pub(super) calls: bool,
    /// The reason why it ended.
    pub(super) stop: &'a StopReason,
    /// The number of answers in a row that were cut off, including this one.
    pub(super) cut_off: u32,
    /// The number of answers in a row that were paused, including this one.
    pub(super) paused: u32,
}

/// The step after an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum AfterAnswer {
    /// The calls are run.
    Calls,
    /// The model is done: the end of the turn is checked.
    Done,
    /// The model is asked to continue after being cut off.
    GoOn,
    /// The conversation is sent again as it is.
    Again,
    /// The model declined.
    Declined,
    /// The answers were cut off too often.
    CutOffTooOften,
}

/// Returns the step after an answer.
pub(super) fn after_answer(answer: AnswerFacts<'_>) -> AfterAnswer {
    match answer.stop {
        StopReason::Refusal => AfterAnswer::Declined,
        _ if answer.calls => AfterAnswer::Calls,
        StopReason::MaxTokens if answer.cut_off > MOST_CUT_OFF => AfterAnswer::CutOffTooOften,
        StopReason::MaxTokens => AfterAnswer::GoOn,
        StopReason::PauseTurn if answer.paused <= MOST_PAUSES => AfterAnswer::Again,
        StopReason::PauseTurn
        | StopReason::EndTurn
        | StopReason::StopSequence
        | StopReason::ToolUse
        | StopReason::Other(_) => AfterAnswer::Done,
    }
}

/// The combined results of the calls of an answer.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Batch {
    /// Set if the host, or a person who was asked, interrupted the turn.
    pub(super) interrupted: bool,
    /// Set if a hook returned `continue: false` (D6).
    pub(super) stopped: bool,
    /// Set if some calls wait for a resume (D10).
    pub(super) deferred: bool,
    /// Set if the classifier denied too often.
    pub(super) denied_too_often: bool,
}

/// The step after the calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum AfterCalls {
    /// PostToolBatch is fired, then the next request is sent.
    Batch,
    /// The turn ends: it was interrupted.
    Interrupted,
    /// The turn ends: a hook stopped it.
    Stopped,
    /// The turn ends: calls are deferred.
    Deferred,
    /// The turn ends: the classifier denied too often.
    DeniedTooOften,
}

/// Returns the step after the calls of an answer: an interrupt beats a stop, a stop beats deferred calls.
pub(super) fn after_calls(batch: Batch) -> AfterCalls {
    match batch {
        Batch { interrupted: true, .. } => AfterCalls::Interrupted,
        Batch { stopped: true, .. } => AfterCalls::Stopped,
        Batch { deferred: true, .. } => AfterCalls::Deferred,
        Batch { denied_too_often: true, .. } => AfterCalls::DeniedTooOften,
        Batch { .. } => AfterCalls::Batch,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // rules: L0, L3
    #[test]
    fn every_end_of_an_answer_leads_somewhere() {
        use AfterAnswer::{Again, Calls, CutOffTooOften, Declined, Done, GoOn};
        let other = StopReason::Other("novel".into());
        for (stop, plain, with_calls) in [
            (&StopReason::EndTurn, Done, Calls),
            (&StopReason::ToolUse, Done, Calls),
            (&StopReason::StopSequence, Done, Calls),
            (&other, Done, Calls),
            (&StopReason::MaxTokens, GoOn, Calls),
            (&StopReason::PauseTurn, Again, Calls),
            (&StopReason::Refusal, Declined, Declined),
        ] {
            let of = |calls| after_answer(AnswerFacts { calls, stop, cut_off: 1, paused: 1 });
            assert_eq!((of(false), of(true)), (plain, with_calls), "{stop:?}");
        }
        let cut_off = |cut_off| {
            after_answer(AnswerFacts { calls: false, stop: &StopReason::MaxTokens, cut_off, paused: 0 })
        };
        assert_eq!((cut_off(3), cut_off(4)), (GoOn, CutOffTooOften));
        let paused = |paused| {
            after_answer(AnswerFacts { calls: false, stop: &StopReason::PauseTurn, cut_off: 0, paused })
        };
        assert_eq!((paused(10), paused(11)), (Again, Done));
    }

    // rules: D6, D8, D10
    #[test]
    fn the_strongest_end_of_a_batch_counts() {
        let all = |n: u8| Batch {
            interrupted: n & 1 != 0,
            stopped: n & 2 != 0,
            deferred: n & 4 != 0,
            denied_too_often: n & 8 != 0,
        };
        for n in 0..16 {
            let expected = match n {
                n if n & 1 != 0 => AfterCalls::Interrupted,
                n if n & 2 != 0 => AfterCalls::Stopped,
                n if n & 4 != 0 => AfterCalls::Deferred,
                n if n & 8 != 0 => AfterCalls::DeniedTooOften,
                _ => AfterCalls::Batch,
            };
            assert_eq!(after_calls(all(n)), expected, "{n:04b}");
        }
    }
}
