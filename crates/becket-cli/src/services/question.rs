//! The messages between `fire` and the process that asks a user: one line of JSON in each direction, and a last line if
//! the question is withdrawn.

use becket_engine::Question;
use serde::{Deserialize, Serialize};

/// The line after a question that is withdrawn.
pub(crate) const WITHDRAWN: &[u8] = b"withdrawn\n";

/// A question for the user.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ToAsk {
    /// The hook that asks.
    pub(crate) asked_by: String,
    /// The text of the question.
    pub(crate) message: String,
    /// The options, as they are displayed.
    pub(crate) options: Vec<QuestionOption>,
    /// True if the terminal shows colour.
    pub(crate) colour: bool,
}

/// One option.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct QuestionOption {
    /// The label.
    pub(crate) label: String,
    /// More about it.
    pub(crate) description: Option<String>,
}

/// The result of a question.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum QuestionAnswer {
    /// Selected the option at this index, from 0.
    Chose(usize),
    /// Selected none.
    None,
    /// Interrupted.
    Interrupted,
    /// Could not be asked, with the reason.
    Unasked(String),
}

impl ToAsk {
    /// The question for a terminal with or without colour.
    pub(crate) fn new(question: &Question, colour: bool) -> Self {
        let offered = |choice: &becket_engine::Choice| QuestionOption {
            label: choice.label.clone(),
            description: choice.description.clone(),
        };
        ToAsk {
            asked_by: question.asked_by.clone(),
            message: question.message.clone(),
            options: question.options.iter().map(offered).collect(),
            colour,
        }
    }
}
