//! The keys that count for a question. Pure: the caller passes the time.
//!
//! INVARIANT: a key that was pressed before the question was visible is ignored.

use super::thread::{AGAIN, QUIET};
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use std::time::Instant;

/// Filters keys for one question, from the moment when it is on the screen.
pub(super) struct KeyGuard {
    drawn: Instant,
    /// True if the question follows the answer to another one, so that the user is typing for it.
    follows: bool,
    is_awake: bool,
    /// The time of the last key that would have answered.
    answering: Instant,
}

impl KeyGuard {
    /// Creates the state of a question that is drawn now.
    pub(super) fn new(follows: bool, now: Instant) -> Self {
        KeyGuard { drawn: now, follows, is_awake: false, answering: now }
    }

    /// Returns true if a key that answers would count now. `is_quiet`: no key was pressed for [`QUIET`] before.
    pub(super) fn accepts_answers(&mut self, is_quiet: bool, now: Instant) -> bool {
        if self.follows {
            return now.duration_since(self.answering) >= AGAIN;
        }
        self.is_awake = self.is_awake || (is_quiet && now.duration_since(self.drawn) >= QUIET);
        self.is_awake
    }

    /// Returns true if the key counts. `is_quiet`: no key was pressed for [`QUIET`] before this one; `answers`: it may
    /// end the question at once.
    pub(super) fn accepts(&mut self, key: KeyEvent, is_quiet: bool, answers: bool, now: Instant) -> bool {
        // An accidental interrupt allows nothing.
        if key.modifiers.contains(KeyModifiers::CONTROL) && key.code == KeyCode::Char('c') {
            return true;
        }
        let accepts_answers = self.accepts_answers(is_quiet, now);
        if !self.follows {
            return accepts_answers;
        }
        if !answers {
            return true;
        }
        self.answering = now;
        accepts_answers
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    const MOMENT: Duration = Duration::from_millis(20);

    fn key(code: KeyCode) -> KeyEvent {
        KeyEvent::new(code, KeyModifiers::NONE)
    }

    #[test]
    fn a_question_that_pops_up_is_not_answered_by_somebody_who_types_on() {
        let drawn = Instant::now();
        let mut guard = KeyGuard::new(false, drawn);
        let enter = key(KeyCode::Enter);
        assert!(!guard.accepts(enter, true, true, drawn + MOMENT), "it has only just been drawn");
        let later = drawn + QUIET + MOMENT;
        assert!(!guard.accepts(enter, false, true, later), "somebody types");
        assert!(!guard.accepts_answers(false, later));
        assert!(guard.accepts(key(KeyCode::Char('1')), true, true, later));
        assert!(guard.accepts(enter, false, true, later), "once somebody was quiet, the keys are meant");
    }

    #[test]
    fn a_key_that_is_held_down_answers_one_question_alone() {
        let mut now = Instant::now();
        let mut guard = KeyGuard::new(true, now);
        assert!(guard.accepts(key(KeyCode::Char('a')), false, false, now), "words are typed at once");
        for _ in 0..3 {
            now += AGAIN / 3;
            assert!(!guard.accepts(key(KeyCode::Enter), false, true, now));
        }
        now += AGAIN + MOMENT;
        assert!(guard.accepts_answers(false, now) && guard.accepts(key(KeyCode::Enter), false, true, now));
    }

    #[test]
    fn an_interrupt_always_counts() {
        let interrupt = KeyEvent::new(KeyCode::Char('c'), KeyModifiers::CONTROL);
        let now = Instant::now();
        for follows in [false, true] {
            assert!(KeyGuard::new(follows, now).accepts(interrupt, false, true, now));
        }
    }
}
