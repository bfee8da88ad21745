//! The answer to a question, and the line that the hook reads.

use bytes::Bytes;
use serde::Serialize;
use serde_json::Value;

/// The answer to a question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    /// The user chose the option with this key.
    Selected(String),
    /// The user chose no option.
    NoneChosen,
    /// There is no user to ask (Q3).
    Nobody,
    /// The host chose a key that the question does not offer.
    NotOffered(String),
    /// The host's code for asking failed: the reason.
    Failed(String),
    /// The answer is no longer needed: the hook ended, or the event was cancelled.
    Withdrawn,
    /// The question was not asked, since it is not valid: the reason.
    Refused(String),
}

impl Answer {
    /// Returns the value of `selected` for the hook.
    pub fn selected(&self) -> Option<&str> {
        match self {
            Answer::Selected(key) => Some(key),
            Answer::NoneChosen
            | Answer::Nobody
            | Answer::NotOffered(_)
            | Answer::Failed(_)
            | Answer::Withdrawn
            | Answer::Refused(_) => None,
        }
    }

    /// Returns a warning for the hook's author or the host's; `None` if nothing went wrong.
    pub(crate) fn warning(&self, id: &str) -> Option<String> {
        match self {
            Answer::Selected(_) | Answer::NoneChosen | Answer::Nobody | Answer::Withdrawn => None,
            Answer::NotOffered(key) => Some(format!(
                "the answer `{key}` to the question `{id}` is none of its options: the hook was told that none was \
                 chosen"
            )),
            Answer::Failed(why) => Some(format!("the question `{id}` could not be asked: {why}")),
            Answer::Refused(why) => Some(format!("the question `{id}` was not asked: {why}")),
        }
    }
}

/// One question of a run, with its answer.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct AnsweredQuestion {
    /// The hook's id of the question; JSON if it is not text.
    pub id: String,
    /// The text of the question; empty if it could not be read.
    pub message: String,
    /// The answer.
    pub answer: Answer,
}

/// The serialized form of an answer (Q1).
#[derive(Serialize)]
struct Line<'a> {
    prompt_response: &'a Value,
    selected: Option<&'a str>,
}

/// Returns the line that answers the question `id`, with its line end.
pub(crate) fn line(id: &Value, selected: Option<&str>) -> Bytes {
    // INVARIANT: a value and a text always serialise; if they did not, an empty line would answer nothing.
    let mut line = serde_json::to_vec(&Line { prompt_response: id, selected }).unwrap_or_default();
    line.push(b'\n');
    line.into()
}
