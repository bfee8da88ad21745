//! Input that is typed during a turn: prompts for later, and the start of one. Pure.
//!
//! INVARIANT: typed-ahead input is only ever a prompt: it never answers a question. After an interrupt, none of it is
//! sent before the user has seen it again.

use super::field::Field;
use super::handle::UserAnswer;
use crate::report::style::{FAINT, one_line, styled};
use crossterm::event::KeyEvent;
use std::collections::VecDeque;

/// The limit on waiting prompts.
const MOST: usize = 20;

/// The input that was typed ahead.
#[derive(Debug, Default)]
pub(super) struct Ahead {
    prompts: VecDeque<String>,
    begun: Field,
    /// True after Ctrl-D on an empty line: the user leaves afterwards.
    leaves: bool,
}

impl Ahead {
    /// Handles a key that is neither an interrupt nor an answer, and not Esc.
    pub(super) fn on(&mut self, key: KeyEvent) {
        match self.begun.on(key) {
            Some(UserAnswer::Text(words)) if !words.trim().is_empty() && self.prompts.len() < MOST => {
                self.prompts.push_back(words);
                self.begun = Field::default();
            }
            Some(UserAnswer::Nothing) => self.leaves = true,
            Some(UserAnswer::Text(_) | UserAnswer::Chose(_) | UserAnswer::Interrupted) | None => {}
        }
    }

    /// Returns the lines to draw: the waiting prompts, and the current input.
    pub(super) fn lines(&self, width: usize) -> Vec<String> {
        let waiting =
            self.prompts.iter().map(|prompt| styled(FAINT, &format!("next: {}", one_line(prompt, width))));
        let begun = self.begun.lines(width).into_iter().next().filter(|_| !self.begun.is_empty());
        let leaves = self.is_leaving().then(|| styled(FAINT, "next: leave"));
        waiting.chain(begun).chain(leaves).collect()
    }

    /// Returns the next prompt.
    pub(super) fn prompt(&mut self) -> Option<String> {
        self.prompts.pop_front()
    }

    /// Returns true if the user leaves once no prompt is waiting.
    pub(super) fn is_leaving(&self) -> bool {
        self.leaves && self.begun.is_empty()
    }

    /// Takes the current input, to continue it elsewhere.
    pub(super) fn words(&mut self) -> String {
        std::mem::take(&mut self.begun).into_words()
    }

    /// Joins the prompts into the beginning of a single one.
    pub(super) fn think_again(&mut self) {
        self.leaves = false;
        let begun = self.words();
        let all = self.prompts.drain(..).chain([begun]).filter(|words| !words.is_empty());
        self.begun = Field::new(all.collect::<Vec<_>>().join("\n"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crossterm::event::{KeyCode, KeyModifiers};

    fn typed(ahead: &mut Ahead, words: &str) {
        for c in words.chars() {
            let code = if c == '\n' { KeyCode::Enter } else { KeyCode::Char(c) };
            ahead.on(KeyEvent::new(code, KeyModifiers::NONE));
        }
    }

    #[test]
    fn prompts_wait_in_their_order_and_what_is_begun_goes_on() {
        let mut ahead = Ahead::default();
        typed(&mut ahead, "one\n\n  \ntwo\nthr");
        assert_eq!(ahead.lines(80).len(), 3, "{:?}", ahead.lines(80));
        assert_eq!((ahead.prompt().as_deref(), ahead.prompt().as_deref()), (Some("one"), Some("  two")));
        assert_eq!((ahead.prompt(), ahead.words().as_str(), ahead.words().as_str()), (None, "thr", ""));
        assert!(ahead.lines(80).is_empty());
    }

    #[test]
    fn nothing_is_sent_by_itself_after_an_interrupt() {
        let mut ahead = Ahead::default();
        typed(&mut ahead, "rm it\nand go on");
        ahead.think_again();
        assert_eq!((ahead.prompt(), ahead.words().as_str()), (None, "rm it\nand go on"));
    }

    #[test]
    fn who_wants_to_leave_leaves_after_what_was_typed_before() {
        let leave = KeyEvent::new(KeyCode::Char('d'), KeyModifiers::CONTROL);
        let mut ahead = Ahead::default();
        typed(&mut ahead, "x");
        ahead.on(leave);
        assert!(!ahead.is_leaving(), "something is typed");
        typed(&mut ahead, "\n");
        ahead.on(leave);
        assert!(ahead.is_leaving() && ahead.prompt().is_some());
        ahead.think_again();
        assert!(!ahead.is_leaving());
    }

    #[test]
    fn no_more_wait_than_can_be_looked_over() {
        let mut ahead = Ahead::default();
        typed(&mut ahead, &"x\n".repeat(MOST + 5));
        assert_eq!(std::iter::from_fn(|| ahead.prompt()).count(), MOST);
    }
}
