//! The input of an answer: a choice, or a line of text. Pure: keys go in, lines and an answer come out.

use super::field::Field;
use super::handle::{UserAnswer, Wants};
use super::menu::Menu;
use super::pager::VIEW;
use crate::report::style::{FAINT, one_line, styled};
use crate::report::wrap::wrapped;
use crossterm::event::{KeyCode, KeyEvent};

/// The subject of a question.
pub(super) enum AnswerInput {
    Menu(Menu),
    Field(Field),
}

impl AnswerInput {
    pub(super) fn new(wants: Wants) -> Self {
        match wants {
            Wants::One(options) => AnswerInput::Menu(Menu::single(options)),
            Wants::OneFrom(options, at) => AnswerInput::Menu(Menu::one_from(options, at)),
            Wants::Several(options, chosen) => AnswerInput::Menu(Menu::several(options, &chosen)),
            Wants::Words(words) => AnswerInput::Field(Field::new(words)),
        }
    }

    /// Deselects everything, since the subject is not completely shown.
    pub(super) fn unselect(&mut self) {
        match self {
            AnswerInput::Menu(menu) => menu.unselect(),
            AnswerInput::Field(_) => {}
        }
    }

    pub(super) fn on(&mut self, key: KeyEvent) -> Option<UserAnswer> {
        match self {
            AnswerInput::Menu(menu) => menu.on(key),
            AnswerInput::Field(field) => field.on(key),
        }
    }

    /// Returns whether the key may end the question at once.
    pub(super) fn answers(key: KeyEvent) -> bool {
        matches!(key.code, KeyCode::Enter | KeyCode::Esc)
    }

    /// Returns whether the key shows the whole subject.
    pub(super) fn shows_all(&self, key: KeyEvent) -> bool {
        key.code == KeyCode::Char(VIEW) && key.modifiers.is_empty() && matches!(self, AnswerInput::Menu(_))
    }

    /// Returns the lines to draw. Keys are shown once they count.
    pub(super) fn lines(&self, takes_answers: bool, width: usize) -> Vec<String> {
        let mut lines = match self {
            AnswerInput::Menu(menu) => menu.lines(),
            AnswerInput::Field(field) => field.lines(width),
        };
        if let (false, Some(keys)) = (takes_answers, lines.last_mut()) {
            *keys = styled(FAINT, "  …");
        }
        lines.iter().flat_map(|line| wrapped(line, width.saturating_sub(1))).collect()
    }

    /// Returns the user's answer, for the record.
    pub(super) fn word(&self, said: &UserAnswer) -> String {
        match (self, said) {
            (_, UserAnswer::Nothing) => "no answer".to_owned(),
            (_, UserAnswer::Interrupted) => "interrupted".to_owned(),
            (_, UserAnswer::Words(words)) => one_line(words, 200),
            (AnswerInput::Menu(menu), UserAnswer::Chose(_)) => one_line(&menu.chosen(said), 200),
            (AnswerInput::Field(_), UserAnswer::Chose(_)) => String::new(),
        }
    }
}
