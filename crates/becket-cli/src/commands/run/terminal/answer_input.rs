//! The input of an answer: a choice, or a line of text. Pure: keys go in, lines and an answer come out.

use super::field::Field;
use super::handle::{AnswerKind, UserAnswer};
use super::menu::Menu;
use super::pager::VIEW;
use crate::report::style::{FAINT, one_line, styled};
use crate::wrap::wrapped;
use crossterm::event::{KeyCode, KeyEvent};

/// The input for an answer.
pub(super) enum AnswerInput {
    Menu(Menu),
    Field(Field),
}

impl AnswerInput {
    pub(super) fn new(wants: AnswerKind) -> Self {
        match wants {
            AnswerKind::One(options) => AnswerInput::Menu(Menu::single(options)),
            AnswerKind::OneFrom(options, at) => AnswerInput::Menu(Menu::one_from(options, at)),
            AnswerKind::Several(options, chosen) => AnswerInput::Menu(Menu::several(options, &chosen)),
            AnswerKind::Text(words) => AnswerInput::Field(Field::new(words)),
        }
    }

    /// Deselects everything, since the subject is not completely visible.
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

    /// Returns true if the key may end the question at once.
    pub(super) fn answers(key: KeyEvent) -> bool {
        matches!(key.code, KeyCode::Enter | KeyCode::Esc)
    }

    /// Returns true if the key shows the whole subject.
    pub(super) fn shows_all(&self, key: KeyEvent) -> bool {
        key.code == KeyCode::Char(VIEW) && key.modifiers.is_empty() && matches!(self, AnswerInput::Menu(_))
    }

    /// Returns the lines to draw. The keys are shown only once they are accepted.
    pub(super) fn lines(&self, accepts_answers: bool, width: usize) -> Vec<String> {
        let mut lines = match self {
            AnswerInput::Menu(menu) => menu.lines(),
            AnswerInput::Field(field) => field.lines(width),
        };
        if let (false, Some(keys)) = (accepts_answers, lines.last_mut()) {
            *keys = styled(FAINT, "  …");
        }
        lines.iter().flat_map(|line| wrapped(line, width.saturating_sub(1))).collect()
    }

    /// Returns the user's answer, for the record.
    pub(super) fn word(&self, answer: &UserAnswer) -> String {
        match (self, answer) {
            (_, UserAnswer::Nothing) => "no answer".to_owned(),
            (_, UserAnswer::Interrupted) => "interrupted".to_owned(),
            (_, UserAnswer::Text(words)) => one_line(words, 200),
            (AnswerInput::Menu(menu), UserAnswer::Chose(_)) => one_line(&menu.chosen(answer), 200),
            (AnswerInput::Field(_), UserAnswer::Chose(_)) => String::new(),
        }
    }
}
