//! A line of text as the answer to a question. Pure: keys go in, a line and an answer come out.

use super::handle::UserAnswer;
use crate::report::style::{FAINT, NONE, plain, styled};
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

/// The maximum length, in characters.
const MOST: usize = 4_000;

/// The keys, as shown below the line.
const KEYS: &str = "  Enter answers, Ctrl-U clears, Esc answers nothing";

/// The current input; the cursor is at its end.
#[derive(Debug, Default)]
pub(super) struct Field(String);

impl Field {
    /// Creates a line with an initial text.
    pub(super) fn new(words: String) -> Self {
        Field(words)
    }

    /// Returns true if the line is empty.
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the input.
    pub(super) fn into_words(self) -> String {
        self.0
    }

    /// Handles a key; returns `None` if the user has not answered yet.
    #[expect(clippy::wildcard_enum_match_arm, reason = "another crate's enum")]
    pub(super) fn on(&mut self, key: KeyEvent) -> Option<UserAnswer> {
        let is_control = key.modifiers.contains(KeyModifiers::CONTROL);
        match key.code {
            KeyCode::Char('c') if is_control => return Some(UserAnswer::Interrupted),
            KeyCode::Char('d') if is_control && self.0.is_empty() => return Some(UserAnswer::Nothing),
            KeyCode::Char('u') if is_control => self.0.clear(),
            KeyCode::Char('w') if is_control => self.without_last_word(),
            KeyCode::Char(_) if is_control => {}
            KeyCode::Char(c) if self.0.chars().count() < MOST => self.0.push(c),
            KeyCode::Backspace => drop(self.0.pop()),
            KeyCode::Enter => return Some(UserAnswer::Text(self.0.clone())),
            KeyCode::Esc => return Some(UserAnswer::Nothing),
            _ => {}
        }
        None
    }

    fn without_last_word(&mut self) {
        let kept = self.0.trim_end().rfind(char::is_whitespace).map_or(0, |at| at + 1);
        self.0.truncate(kept);
    }

    /// Returns the lines to draw: the end of the input, as far as it fits, and the keys.
    pub(super) fn lines(&self, width: usize) -> Vec<String> {
        let shown = plain(&self.0);
        let room = width.saturating_sub(6);
        let skip = shown.chars().count().saturating_sub(room);
        let end: String = shown.chars().skip(skip).collect();
        vec![styled(NONE, &format!("❯ {end}▏")), styled(FAINT, KEYS)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_typed_and_taken_back() {
        let mut field = Field::new("no ".to_owned());
        let plain = |code| KeyEvent::new(code, KeyModifiers::NONE);
        let control = |c| KeyEvent::new(KeyCode::Char(c), KeyModifiers::CONTROL);
        for key in "not nowx".chars().map(KeyCode::Char).chain([KeyCode::Backspace]) {
            assert_eq!(field.on(plain(key)), None);
        }
        assert_eq!(field.on(control('w')), None);
        assert_eq!(field.on(plain(KeyCode::Char('!'))), None);
        assert_eq!(field.on(plain(KeyCode::Enter)), Some(UserAnswer::Text("no not !".to_owned())));
        assert_eq!(field.on(control('d')), None);
        assert_eq!(field.on(control('u')), None);
        assert_eq!(field.on(control('d')), Some(UserAnswer::Nothing));
        assert_eq!(field.on(control('c')), Some(UserAnswer::Interrupted));
        assert_eq!(field.on(plain(KeyCode::Esc)), Some(UserAnswer::Nothing));
    }

    #[test]
    fn the_end_of_a_long_line_is_seen() {
        let lines = Field::new("abcdefghij".to_owned()).lines(12);
        assert!(lines[0].contains("efghij▏") && !lines[0].contains("def"), "{lines:?}");
    }
}
