//! Which keys count for a question. Pure but for the clock.
//!
//! INVARIANT: a key that somebody pressed without having seen the question is not heeded.

use super::desk::{AGAIN, QUIET};
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use std::time::Instant;

/// Heeds keys for one question, from when it is on the screen.
pub(super) struct Heed {
    drawn: Instant,
    /// Whether it came by the answer to another: then somebody sits there and types for it.
    follows: bool,
    is_awake: bool,
    /// The last key that would have answered.
    answering: Instant,
}

impl Heed {
    pub(super) fn new(follows: bool) -> Self {
        let now = Instant::now();
        Heed { drawn: now, follows, is_awake: false, answering: now }
    }

    /// Whether the key counts. `is_quiet`: no key was pressed for [`QUIET`] before this one; `answers`: it may end the question
    /// at once.
    pub(super) fn heeds(&mut self, key: KeyEvent, is_quiet: bool, answers: bool) -> bool {
        // To interrupt is never an accident that opens anything.
        if key.modifiers.contains(KeyModifiers::CONTROL) && key.code == KeyCode::Char('c') {
            return true;
        }
        if !self.follows {
            self.is_awake = self.is_awake || (is_quiet && self.drawn.elapsed() >= QUIET);
            return self.is_awake;
        }
        if !answers {
            return true;
        }
        let before = std::mem::replace(&mut self.answering, Instant::now());
        before.elapsed() >= AGAIN
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::thread::sleep;
    use std::time::Duration;

    fn key(code: KeyCode) -> KeyEvent {
        KeyEvent::new(code, KeyModifiers::NONE)
    }

    #[test]
    fn a_question_that_pops_up_is_not_answered_by_somebody_who_types_on() {
        let mut heed = Heed::new(false);
        assert!(!heed.heeds(key(KeyCode::Enter), true, true), "it has only just been drawn");
        sleep(QUIET + Duration::from_millis(20));
        assert!(!heed.heeds(key(KeyCode::Enter), false, true), "somebody types");
        assert!(heed.heeds(key(KeyCode::Char('1')), true, true));
        assert!(heed.heeds(key(KeyCode::Enter), false, true), "once somebody was quiet, the keys are meant");
    }

    #[test]
    fn a_key_that_is_held_down_answers_one_question_alone() {
        let mut heed = Heed::new(true);
        assert!(heed.heeds(key(KeyCode::Char('a')), false, false), "words are typed at once");
        for _ in 0..3 {
            sleep(AGAIN / 3);
            assert!(!heed.heeds(key(KeyCode::Enter), false, true));
        }
        sleep(AGAIN + Duration::from_millis(20));
        assert!(heed.heeds(key(KeyCode::Enter), false, true));
    }

    #[test]
    fn an_interrupt_always_counts() {
        let interrupt = KeyEvent::new(KeyCode::Char('c'), KeyModifiers::CONTROL);
        assert!(
            Heed::new(false).heeds(interrupt, false, true) && Heed::new(true).heeds(interrupt, false, true)
        );
    }
}
