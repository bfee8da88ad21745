//! A choice of one or several, by arrow keys or digits. Pure: keys go in, lines and an answer come out.

use super::handle::UserAnswer;
use super::pager::VIEW;
use crate::report::style::{FAINT, HEAD, NONE, one_line, styled};
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

/// The maximum width of an option, in characters; the screen cuts it further.
const WIDTH: usize = 200;
/// The number of options that are visible at once.
const MOST: usize = 12;

/// The options, and the position of the cursor.
#[derive(Debug)]
pub(super) struct Menu {
    options: Vec<String>,
    /// The highlighted option; `None` until the user has moved, if no option may be selected by mistake.
    at: Option<usize>,
    /// The selected options, if several may be selected.
    chosen: Option<Vec<bool>>,
}

impl Menu {
    /// Creates a choice of one.
    pub(super) fn single(options: Vec<String>) -> Self {
        Menu { options, at: Some(0), chosen: None }
    }

    /// Creates a choice of one, with another initial position.
    pub(super) fn one_from(options: Vec<String>, at: usize) -> Self {
        let at = Some(at.min(options.len().saturating_sub(1)));
        Menu { options, at, chosen: None }
    }

    /// Creates a choice of any number; the options at `places` are already selected.
    pub(super) fn several(options: Vec<String>, places: &[usize]) -> Self {
        let chosen = (0..options.len()).map(|at| places.contains(&at)).collect();
        Menu { options, at: Some(0), chosen: Some(chosen) }
    }

    /// Highlights no option; Enter has no effect until the user has moved to one.
    pub(super) fn unselect(&mut self) {
        self.at = None;
    }

    /// Handles a key; returns `None` if the user has not answered yet.
    #[expect(clippy::wildcard_enum_match_arm, reason = "another crate's enum")]
    pub(super) fn on(&mut self, key: KeyEvent) -> Option<UserAnswer> {
        let last = self.options.len().saturating_sub(1);
        match key.code {
            KeyCode::Char('c') if key.modifiers.contains(KeyModifiers::CONTROL) => {
                return Some(UserAnswer::Interrupted);
            }
            KeyCode::Char('d') if key.modifiers.contains(KeyModifiers::CONTROL) => {
                return Some(UserAnswer::Nothing);
            }
            KeyCode::Esc => return Some(UserAnswer::Nothing),
            KeyCode::Up => self.at = Some(self.at.and_then(|at| at.checked_sub(1)).unwrap_or(last)),
            KeyCode::Down | KeyCode::Tab => {
                self.at = Some(self.at.filter(|at| *at < last).map_or(0, |at| at + 1));
            }
            KeyCode::Char(' ') => self.mark(),
            KeyCode::Char(digit @ '1'..='9') => {
                let at = digit as usize - '1' as usize;
                if at <= last {
                    self.at = Some(at);
                    self.mark();
                }
            }
            KeyCode::Enter => return self.answer(),
            _ => {}
        }
        None
    }

    fn mark(&mut self) {
        let chosen = self.chosen.as_mut();
        if let Some(is_chosen) = chosen.zip(self.at).and_then(|(chosen, at)| chosen.get_mut(at)) {
            *is_chosen = !*is_chosen;
        }
    }

    fn answer(&self) -> Option<UserAnswer> {
        let places = match (&self.chosen, self.at) {
            (None, at) => vec![at?],
            (Some(chosen), _) => (0..chosen.len()).filter(|at| chosen[*at]).collect(),
        };
        Some(UserAnswer::Chose(places))
    }

    /// Returns the lines to draw: the options around the cursor, and the keys.
    pub(super) fn lines(&self) -> Vec<String> {
        let first = (self.at.unwrap_or_default() + 1).saturating_sub(MOST);
        let shown = self.options.iter().enumerate().skip(first).take(MOST);
        let mut lines: Vec<String> = shown.map(|(at, option)| self.line(at, option)).collect();
        let keys = match (&self.chosen, self.at) {
            (None, Some(_)) => "  Enter answers · ↑↓ or a digit selects · Esc answers nothing".to_owned(),
            (None, None) => {
                format!(
                    "  select an answer: ↑↓ or a digit · Enter answers · {VIEW} shows all · Esc answers nothing"
                )
            }
            (Some(_), _) => "  Enter answers · space or a digit selects · Esc answers nothing".to_owned(),
        };
        lines.push(styled(FAINT, &keys));
        lines
    }

    fn line(&self, at: usize, option: &str) -> String {
        let mark = match self.chosen.as_ref().map(|chosen| chosen[at]) {
            None => "",
            Some(true) => "[x] ",
            Some(false) => "[ ] ",
        };
        let number = if at < 9 { format!("{}.", at + 1) } else { "  ".to_owned() };
        let text = one_line(option, WIDTH);
        match Some(at) == self.at {
            true => styled(HEAD, &format!("❯ {number} {mark}{text}")),
            false => styled(NONE, &format!("  {number} {mark}{text}")),
        }
    }

    /// Returns the selected options, for the record.
    pub(super) fn chosen(&self, answer: &UserAnswer) -> String {
        match answer {
            UserAnswer::Chose(places) => {
                let words: Vec<&str> =
                    places.iter().filter_map(|at| self.options.get(*at)).map(String::as_str).collect();
                words.join(", ")
            }
            UserAnswer::Text(_) | UserAnswer::Nothing | UserAnswer::Interrupted => String::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(code: KeyCode) -> KeyEvent {
        KeyEvent::new(code, KeyModifiers::NONE)
    }

    fn answer_after(mut menu: Menu, keys: &[KeyCode]) -> Option<UserAnswer> {
        keys.iter().find_map(|code| menu.on(key(*code)))
    }

    fn three() -> Vec<String> {
        ["a", "b", "c"].map(str::to_owned).to_vec()
    }

    #[test]
    fn one_is_selected_by_arrows_or_digits_and_chosen_by_enter() {
        use KeyCode::{Char, Down, Enter, Esc, Up};
        for (keys, expected) in [
            (&[Enter][..], Some(UserAnswer::Chose(vec![0]))),
            (&[Down, Down, Enter], Some(UserAnswer::Chose(vec![2]))),
            (&[Down, Down, Down, Enter], Some(UserAnswer::Chose(vec![0]))),
            (&[Up, Enter], Some(UserAnswer::Chose(vec![2]))),
            (&[Char('2')], None),
            (&[Char('2'), Enter], Some(UserAnswer::Chose(vec![1]))),
            (&[Char('4'), Char('x'), Enter], Some(UserAnswer::Chose(vec![0]))),
            (&[Down, Esc], Some(UserAnswer::Nothing)),
        ] {
            assert_eq!(answer_after(Menu::single(three()), keys), expected, "{keys:?}");
        }
        let interrupt = KeyEvent::new(KeyCode::Char('c'), KeyModifiers::CONTROL);
        assert_eq!(Menu::single(three()).on(interrupt), Some(UserAnswer::Interrupted));
    }

    #[test]
    fn where_nothing_is_selected_enter_answers_nothing() {
        use KeyCode::{Char, Down, Enter, Up};
        for (keys, expected) in [
            (&[Enter, Enter][..], None),
            (&[Char(' '), Enter], None),
            (&[Down, Enter], Some(UserAnswer::Chose(vec![0]))),
            (&[Up, Enter], Some(UserAnswer::Chose(vec![2]))),
            (&[Enter, Char('3'), Enter], Some(UserAnswer::Chose(vec![2]))),
        ] {
            let mut menu = Menu::single(three());
            menu.unselect();
            assert!(!menu.lines().concat().contains('❯'));
            assert_eq!(answer_after(menu, keys), expected, "{keys:?}");
        }
    }

    #[test]
    fn several_are_chosen_by_space() {
        use KeyCode::{Char, Down, Enter};
        for (keys, expected) in [
            (&[Enter][..], vec![1]),
            (&[Char(' '), Enter], vec![0, 1]),
            (&[Down, Char(' '), Enter], vec![]),
            (&[Char('3'), Enter], vec![1, 2]),
        ] {
            assert_eq!(
                answer_after(Menu::several(three(), &[1]), keys),
                Some(UserAnswer::Chose(expected)),
                "{keys:?}"
            );
        }
    }

    #[test]
    fn an_option_commands_no_terminal() {
        let lines = Menu::single(vec!["a\u{1b}[2Jb".to_owned()]).lines().concat();
        assert!(lines.contains("a\\u{1b}[2Jb"), "{lines:?}");
    }
}
