//! What `fire` and the process that asks a person say to each other: one line of JSON there, one back, and
//! a last word where the question is withdrawn.

use becket_engine::Question;
use serde::{Deserialize, Serialize};

/// What follows the question where nobody waits for the answer any more.
pub(crate) const WITHDRAWN: &[u8] = b"withdrawn\n";

/// What to ask.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ToAsk {
    /// Which hook asks.
    pub(crate) asked_by: String,
    /// What it asks.
    pub(crate) message: String,
    /// What can be chosen, as it is read.
    pub(crate) options: Vec<Offered>,
    /// Whether the terminal shows colour.
    pub(crate) colour: bool,
}

/// One option.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Offered {
    /// What it is called.
    pub(crate) label: String,
    /// More about it.
    pub(crate) description: Option<String>,
}

/// What the person did.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Said {
    /// Chose the option at this place, from 0.
    Chose(usize),
    /// Chose none.
    None,
    /// Wants all of it to stop.
    Interrupted,
    /// Could not be asked: in words.
    Unasked(String),
}

impl ToAsk {
    /// The question for a terminal with or without colour.
    pub(crate) fn new(question: &Question, colour: bool) -> Self {
        let offered = |choice: &becket_engine::Choice| Offered {
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
