//! A choice of one or several, by arrow keys or digits. Pure: keys go in, lines and an answer come out.

use super::handle::Said;
use crate::report::style::{FAINT, HEAD, NONE, one_line, styled};
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

/// The widest option, in characters; the screen cuts it further.
const WIDTH: usize = 200;
/// How many options are seen at once.
const MOST: usize = 12;

/// What may be chosen, and where the person is.
#[derive(Debug)]
pub(super) struct Menu {
    options: Vec<String>,
    at: usize,
    /// Which are chosen, where several may be.
    chosen: Option<Vec<bool>>,
}

impl Menu {
    /// A choice of one.
    pub(super) fn one(options: Vec<String>) -> Self {
        Menu { options, at: 0, chosen: None }
    }

    /// The same, where the person begins elsewhere.
    pub(super) fn one_from(options: Vec<String>, at: usize) -> Self {
        let at = at.min(options.len().saturating_sub(1));
        Menu { options, at, chosen: None }
    }

    /// A choice of any; those at `places` are chosen already.
    pub(super) fn several(options: Vec<String>, places: &[usize]) -> Self {
        let chosen = (0..options.len()).map(|at| places.contains(&at)).collect();
        Menu { options, at: 0, chosen: Some(chosen) }
    }

    /// What the key comes to; none where the person has not answered yet.
    #[expect(clippy::wildcard_enum_match_arm, reason = "another crate's enum")]
    pub(super) fn on(&mut self, key: KeyEvent) -> Option<Said> {
        let last = self.options.len().saturating_sub(1);
        match key.code {
            KeyCode::Char('c') if key.modifiers.contains(KeyModifiers::CONTROL) => {
                return Some(Said::Interrupted);
            }
            KeyCode::Char('d') if key.modifiers.contains(KeyModifiers::CONTROL) => {
                return Some(Said::Nothing);
            }
            KeyCode::Esc => return Some(Said::Nothing),
            KeyCode::Up => self.at = self.at.checked_sub(1).unwrap_or(last),
            KeyCode::Down | KeyCode::Tab => self.at = if self.at >= last { 0 } else { self.at + 1 },
            KeyCode::Char(' ') => self.mark(self.at),
            KeyCode::Char(digit @ '1'..='9') => {
                let at = digit as usize - '1' as usize;
                if at <= last {
                    self.at = at;
                    self.mark(at);
                    return self.chosen.is_none().then(|| Said::Chose(vec![at]));
                }
            }
            KeyCode::Enter => return Some(Said::Chose(self.answer())),
            _ => {}
        }
        None
    }

    fn mark(&mut self, at: usize) {
        if let Some(is_chosen) = self.chosen.as_mut().and_then(|chosen| chosen.get_mut(at)) {
            *is_chosen = !*is_chosen;
        }
    }

    fn answer(&self) -> Vec<usize> {
        match &self.chosen {
            None => vec![self.at],
            Some(chosen) => (0..chosen.len()).filter(|at| chosen[*at]).collect(),
        }
    }

    /// What is drawn: the options around where the person is, and the keys.
    pub(super) fn lines(&self) -> Vec<String> {
        let first = (self.at + 1).saturating_sub(MOST);
        let shown = self.options.iter().enumerate().skip(first).take(MOST);
        let mut lines: Vec<String> = shown.map(|(at, option)| self.line(at, option)).collect();
        let keys = match &self.chosen {
            None => "  ↑↓ or a digit chooses, Enter answers, Esc answers nothing",
            Some(_) => "  space or a digit chooses, Enter answers, Esc answers nothing",
        };
        lines.push(styled(FAINT, keys));
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
        match at == self.at {
            true => styled(HEAD, &format!("❯ {number} {mark}{text}")),
            false => styled(NONE, &format!("  {number} {mark}{text}")),
        }
    }

    /// What was chosen, for the record.
    pub(super) fn chosen(&self, said: &Said) -> String {
        match said {
            Said::Chose(places) => {
                let words: Vec<&str> =
                    places.iter().filter_map(|at| self.options.get(*at)).map(String::as_str).collect();
                words.join(", ")
            }
            Said::Words(_) | Said::Nothing | Said::Interrupted => String::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(code: KeyCode) -> KeyEvent {
        KeyEvent::new(code, KeyModifiers::NONE)
    }

    fn said(mut menu: Menu, keys: &[KeyCode]) -> Option<Said> {
        keys.iter().find_map(|code| menu.on(key(*code)))
    }

    fn three() -> Vec<String> {
        ["a", "b", "c"].map(str::to_owned).to_vec()
    }

    #[test]
    fn one_is_chosen_by_arrows_or_digits_and_nothing_by_escape() {
        use KeyCode::{Char, Down, Enter, Esc, Up};
        for (keys, expected) in [
            (&[Enter][..], Some(Said::Chose(vec![0]))),
            (&[Down, Down, Enter], Some(Said::Chose(vec![2]))),
            (&[Down, Down, Down, Enter], Some(Said::Chose(vec![0]))),
            (&[Up, Enter], Some(Said::Chose(vec![2]))),
            (&[Char('2')], Some(Said::Chose(vec![1]))),
            (&[Char('4'), Char('x')], None),
            (&[Down, Esc], Some(Said::Nothing)),
        ] {
            assert_eq!(said(Menu::one(three()), keys), expected, "{keys:?}");
        }
        let interrupt = KeyEvent::new(KeyCode::Char('c'), KeyModifiers::CONTROL);
        assert_eq!(Menu::one(three()).on(interrupt), Some(Said::Interrupted));
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
            assert_eq!(said(Menu::several(three(), &[1]), keys), Some(Said::Chose(expected)), "{keys:?}");
        }
    }

    #[test]
    fn an_option_commands_no_terminal() {
        let lines = Menu::one(vec!["a\u{1b}[2Jb".to_owned()]).lines().concat();
        assert!(lines.contains("a\\u{1b}[2Jb"), "{lines:?}");
    }
}
