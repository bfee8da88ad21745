//! Cut off anywhere, a transcript loads; what it held until then is there.

use crate::conversation::moves::{Move, State, moves, replayed};
use crate::transcript::fixture::{Home, a_session, cwd, refused, text, whole};
use becket_agent::conversation::{Conversation, StoredConversation};
use becket_agent::transcript::Flaw;
use proptest::prelude::*;
use std::fs;

// rules: L2, D10
#[test]
fn a_transcript_cut_at_any_byte_loads_and_goes_on() {
    let home = Home::new();
    let mut log = home.create();
    drop(a_session(&mut log));
    drop(log);
    let bytes = fs::read(home.path()).unwrap();
    let mut sizes = Vec::new();
    for cut in 0..=bytes.len() {
        home.put(&bytes[..cut]);
        let (mut log, restored) = home.resume();
        assert_eq!(refused(&restored.stored), None, "cut at {cut}");
        // At most the line that was cut is lost, and a whole one that lacks its newline is not.
        let whole_lines = bytes[..cut].iter().filter(|byte| **byte == b'\n').count();
        let torn = restored.damage.iter().filter(|damage| matches!(damage.what, Flaw::Torn { .. })).count();
        assert_eq!(restored.damage.len(), torn, "cut at {cut}: {:?}", restored.damage);
        assert!(torn <= 1 && restored.damage.iter().all(|damage| damage.line == whole_lines + 1));
        let mut conversation = whole(restored);
        sizes.push(conversation.len());
        conversation.say(text("go on")).unwrap();
        log.append(conversation.take_entries(), cwd()).unwrap();
        drop(log);
        let (_, again) = home.resume();
        assert_eq!(again.damage.len(), torn, "cut at {cut}: {:?}", again.damage);
        assert_eq!(whole(again).messages(), conversation.messages(), "cut at {cut}");
    }
    assert!(sizes.is_sorted() && sizes.last() == Some(&5), "{sizes:?}");
}

/// Makes the moves with a log; gives the state, all of which is stored, and how many crashes tore a line.
fn stored(home: &Home, moves: &[Move]) -> (State, usize) {
    let mut log = home.create();
    let (mut state, mut crashes) = (replayed(&[]).0, 0);
    for what in moves {
        state = state.after(what);
        if matches!(what, Move::Store) {
            log.append(state.take_entries(), cwd()).unwrap();
        }
        if let Move::Crash { lost } = what {
            drop(log);
            let bytes = fs::read(home.path()).unwrap_or_default();
            home.put(&bytes[..bytes.len().saturating_sub(lost * 9)]);
            let (again, restored) = home.resume();
            crashes += 1;
            assert!(restored.damage.len() <= crashes, "{:?}", restored.damage);
            (log, state) = (again, restored.stored.into());
        }
    }
    log.append(state.take_entries(), cwd()).unwrap();
    (state, crashes)
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(200) })]

    // rules: L2, D10
    #[test]
    fn what_is_loaded_is_what_was_stored(moves in moves()) {
        let home = Home::new();
        let (state, crashes) = stored(&home, &moves);
        if !home.path().exists() {
            return Ok(());
        }
        let (_, restored) = home.resume();
        prop_assert!(restored.damage.len() <= crashes, "{:?}", restored.damage);
        match (state, restored.stored) {
            (State::Whole(one), StoredConversation::Whole(other)) => {
                prop_assert_eq!(one.messages(), other.messages());
                prop_assert_eq!(one.tokens(), other.tokens());
            }
            (State::Open(_), StoredConversation::Whole(_)) => {}
            (State::Deferred(one), StoredConversation::Deferred(other)) => prop_assert_eq!(one.calls(), other.calls()),
            (one, other) => prop_assert!(false, "{one:?} was stored, {other:?} is loaded"),
        }
    }

    // rules: L2, D10
    #[test]
    fn any_beginning_loads(moves in moves(), cut in any::<prop::sample::Index>()) {
        let home = Home::new();
        let (_, crashes) = stored(&home, &moves);
        let bytes = fs::read(home.path()).unwrap_or_default();
        home.put(&bytes[..cut.index(bytes.len() + 1)]);
        let (mut log, restored) = home.resume();
        prop_assert_eq!(refused(&restored.stored), None);
        prop_assert!(restored.damage.len() <= crashes + 1, "{:?}", restored.damage);
        let damaged = restored.damage.len();
        let mut conversation: Conversation = match restored.stored {
            StoredConversation::Whole(conversation) => conversation,
            StoredConversation::Deferred(deferred) => deferred.cancelled(),
        };
        conversation.say(text("go on")).unwrap();
        log.append(conversation.take_entries(), cwd()).unwrap();
        drop(log);
        let (_, again) = home.resume();
        prop_assert_eq!(again.damage.len(), damaged);
        prop_assert_eq!(whole(again).messages(), conversation.messages());
    }

    // rule: L2
    #[test]
    fn garbage_anywhere_leaves_a_conversation(
        moves in moves(),
        garbage in prop::collection::vec((any::<prop::sample::Index>(), prop::sample::select(b"\0\n{}\"x,\xff".to_vec())), 1..12),
        gone in any::<(prop::sample::Index, u8)>(),
    ) {
        let home = Home::new();
        stored(&home, &moves);
        let mut bytes = fs::read(home.path()).unwrap_or_else(|_| b"{}\n".to_vec());
        for (at, byte) in &garbage {
            let at = at.index(bytes.len());
            bytes[at] = *byte;
        }
        let from = gone.0.index(bytes.len());
        bytes.drain(from..(from + usize::from(gone.1)).min(bytes.len()));
        home.put(&bytes);
        prop_assert_eq!(refused(&home.resume().1.stored), None);
    }
}
