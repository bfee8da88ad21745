//! One question as it is asked: a choice, or a line of words. Pure: keys go in, lines and an answer come out.

use super::field::Field;
use super::handle::{Said, Wants};
use super::menu::Menu;
use super::pager::VIEW;
use crate::report::style::{FAINT, one_line, styled};
use crate::report::wrap::wrapped;
use crossterm::event::{KeyCode, KeyEvent};

/// The subject of a question.
pub(super) enum Asked {
    Menu(Menu),
    Field(Field),
}

impl Asked {
    pub(super) fn new(wants: Wants) -> Self {
        match wants {
            Wants::One(options) => Asked::Menu(Menu::one(options)),
            Wants::OneFrom(options, at) => Asked::Menu(Menu::one_from(options, at)),
            Wants::Several(options, chosen) => Asked::Menu(Menu::several(options, &chosen)),
            Wants::Words(words) => Asked::Field(Field::new(words)),
        }
    }

    /// Deselects everything, since the subject is not completely shown.
    pub(super) fn unselect(&mut self) {
        match self {
            Asked::Menu(menu) => menu.unselect(),
            Asked::Field(_) => {}
        }
    }

    pub(super) fn on(&mut self, key: KeyEvent) -> Option<Said> {
        match self {
            Asked::Menu(menu) => menu.on(key),
            Asked::Field(field) => field.on(key),
        }
    }

    /// Returns whether the key may end the question at once.
    pub(super) fn answers(key: KeyEvent) -> bool {
        matches!(key.code, KeyCode::Enter | KeyCode::Esc)
    }

    /// Returns whether the key shows all that it is about.
    pub(super) fn shows_all(&self, key: KeyEvent) -> bool {
        key.code == KeyCode::Char(VIEW) && key.modifiers.is_empty() && matches!(self, Asked::Menu(_))
    }

    /// Returns what is drawn. Keys are named once they count.
    pub(super) fn lines(&self, takes_answers: bool, width: usize) -> Vec<String> {
        let mut lines = match self {
            Asked::Menu(menu) => menu.lines(),
            Asked::Field(field) => field.lines(width),
        };
        if let (false, Some(keys)) = (takes_answers, lines.last_mut()) {
            *keys = styled(FAINT, "  …");
        }
        lines.iter().flat_map(|line| wrapped(line, width.saturating_sub(1))).collect()
    }

    /// Returns the user's answer, for the record.
    pub(super) fn word(&self, said: &Said) -> String {
        match (self, said) {
            (_, Said::Nothing) => "no answer".to_owned(),
            (_, Said::Interrupted) => "interrupted".to_owned(),
            (_, Said::Words(words)) => one_line(words, 200),
            (Asked::Menu(menu), Said::Chose(_)) => one_line(&menu.chosen(said), 200),
            (Asked::Field(_), Said::Chose(_)) => String::new(),
        }
    }
}
