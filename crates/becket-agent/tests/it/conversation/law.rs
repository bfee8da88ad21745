//! The API accepts every conversation, and the stored entries restore the same one.

use crate::conversation::checker::refusal;
use crate::conversation::moves::{Move, State, moves, replayed};
use becket_agent::conversation::Entry;
use proptest::prelude::*;

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(600) })]

    // rules: L2, D10
    #[test]
    fn the_api_accepts_what_comes_of_any_moves(moves in moves()) {
        let mut state = replayed(&[]).0;
        let mut stored: Vec<Entry> = Vec::new();
        for what in &moves {
            state = match what {
                Move::Store => { stored.extend(state.take_entries()); state }
                Move::Crash { lost } => {
                    stored.truncate(stored.len().saturating_sub(*lost));
                    let (state, misfits) = replayed(&stored);
                    prop_assert_eq!(misfits, 0, "each beginning of the entries fits");
                    state
                }
                _ => state.after(what),
            };
            prop_assert_eq!(refused(&state), None);
        }
        stored.extend(state.take_entries());
        same(state, replayed(&stored))?;
    }

    // rule: L2
    #[test]
    fn lines_lost_anywhere_leave_a_conversation(moves in moves(), keep in prop::collection::vec(any::<bool>(), 60)) {
        let mut state = replayed(&[]).0;
        let mut stored: Vec<Entry> = Vec::new();
        for what in &moves {
            state = state.after(what);
            stored.extend(state.take_entries());
        }
        let left: Vec<Entry> = stored.into_iter().zip(keep).filter_map(|(entry, keep)| keep.then_some(entry)).collect();
        prop_assert_eq!(refused(&replayed(&left).0), None);
    }
}

fn refused(state: &State) -> Option<String> {
    match state {
        State::Whole(conversation) if conversation.is_empty() => None,
        State::Whole(conversation) => refusal(&conversation.messages()),
        State::Open(_) | State::Deferred(_) => None,
    }
}

/// Compares a restored conversation with the original; calls that were not deferred are answered.
fn same(state: State, (again, misfits): (State, usize)) -> Result<(), TestCaseError> {
    prop_assert_eq!(misfits, 0);
    match (state, again) {
        (State::Whole(one), State::Whole(other)) => {
            prop_assert_eq!(one.messages(), other.messages());
            prop_assert_eq!(one.tokens(), other.tokens());
        }
        (State::Open(open), State::Whole(whole)) => {
            let mut messages = whole.messages();
            let unanswered = open.calls().len();
            let errors =
                messages.pop().map(|last| last.content.iter().filter(|block| is_lost(block)).count());
            prop_assert_eq!(errors, Some(unanswered));
        }
        (State::Deferred(one), State::Deferred(other)) => prop_assert_eq!(one.calls(), other.calls()),
        (one, other) => prop_assert!(false, "{one:?} was stored, {other:?} is loaded"),
    }
    Ok(())
}

fn is_lost(block: &becket_llm::Block) -> bool {
    format!("{block:?}").contains("the session ended before")
}
