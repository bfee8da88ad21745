//! One question as it is asked: a choice, or a line of words. Pure: keys go in, lines and an answer come out.

use super::field::Field;
use super::handle::{Said, Wants};
use super::menu::Menu;
use super::screen::width;
use crate::report::style::one_line;
use crossterm::event::{KeyCode, KeyEvent};

/// What is asked.
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

    pub(super) fn on(&mut self, key: KeyEvent) -> Option<Said> {
        match self {
            Asked::Menu(menu) => menu.on(key),
            Asked::Field(field) => field.on(key),
        }
    }

    /// Whether the key may end the question at once.
    pub(super) fn answers(&self, key: KeyEvent) -> bool {
        let chooses = matches!(key.code, KeyCode::Char('1'..='9')) && matches!(self, Asked::Menu(_));
        chooses || matches!(key.code, KeyCode::Enter | KeyCode::Esc)
    }

    pub(super) fn lines(&self) -> Vec<String> {
        match self {
            Asked::Menu(menu) => menu.lines(),
            Asked::Field(field) => field.lines(width()),
        }
    }

    /// What the person did, for the record.
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
