//! The messages between `fire` and the process that asks a user: one line of JSON in each direction, and a last line if
//! the question is withdrawn.

use becket_engine::Question;
use serde::{Deserialize, Serialize};

/// The line that withdraws a question.
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

/// An option of a question.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct QuestionOption {
    /// The label.
    pub(crate) label: String,
    /// The description of the option.
    pub(crate) description: Option<String>,
}

/// The result of a question.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum QuestionAnswer {
    /// The option at this index, from 0, was selected.
    Chose(usize),
    /// No option was selected.
    None,
    /// The user interrupted.
    Interrupted,
    /// The user could not be asked, for this reason.
    Unasked(String),
}

impl ToAsk {
    /// Creates the question for a terminal with or without colour.
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
