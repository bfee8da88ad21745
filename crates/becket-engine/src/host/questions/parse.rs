//! Parses one line: a question, nearly a question, or the hook's own output.
//!
//! A question is an object with `prompt` and without any field of an answer: an object that has `decision`, `continue`
//! or `hookSpecificOutput` next to `prompt` answers the event. Unknown fields are ignored, and `null` counts as absent
//! (O5); a wrong type is reported.

use super::question::{Choice, Question};
use becket_model::table::UNIVERSAL_OUTPUT;
use becket_model::wire::input::type_name;
use serde_json::{Map, Value};
use std::collections::HashSet;

/// The largest number of options of one question.
pub(crate) const MOST_OPTIONS: usize = 100;
/// The longest message, in characters.
pub(crate) const LONGEST_MESSAGE: usize = 10_000;
/// The field that makes an object a question, as written in the line.
pub(crate) const MARK: &[u8] = b"\"prompt\"";

/// A question as it was printed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ParsedQuestion {
    pub(crate) id: String,
    pub(crate) message: String,
    pub(crate) options: Vec<Choice>,
}

impl ParsedQuestion {
    /// Returns the question as the user sees it.
    pub(crate) fn by(self, hook: &str) -> Question {
        Question { id: self.id, message: self.message, options: self.options, asked_by: hook.to_owned() }
    }
}

/// A line that is meant to be a question and can't be asked.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("{why}")]
pub(crate) struct BadQuestion {
    /// Its id as it was printed, to answer it; `null` if it has none.
    pub(crate) id: Value,
    /// The text of the question, if it could be read.
    pub(crate) message: String,
    /// The problem.
    pub(crate) why: Wrong,
}

/// A problem with a question.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Wrong {
    #[error("`{0}` is missing")]
    Missing(String),
    #[error("`{field}` must be {wanted}, not {came}")]
    Type { field: String, wanted: &'static str, came: &'static str },
    #[error("`{0}` must not be empty")]
    Empty(String),
    #[error("`options[{at}].key` is `{key}`, and so is that of an earlier option: give each its own")]
    SameKey { at: usize, key: String },
    #[error("it offers {0} options: at most {MOST_OPTIONS} can be shown")]
    TooManyOptions(usize),
    #[error("`message` has {0} characters: at most {LONGEST_MESSAGE} are shown")]
    TooLong(usize),
    #[error("an earlier question of this hook has the same `prompt`: give each its own")]
    SameId,
    #[error("there are too many questions: at most {0} of one run are asked")]
    TooMany(usize),
    #[error("the hook prints one question after another: from the {0}. on they are not answered")]
    Flood(usize),
    #[error("the hook ended without a line end after it: print one, and wait for the answer")]
    NoLineEnd,
}

/// Parses a line; returns `None` if it is the hook's own output.
pub(crate) fn question(line: &[u8]) -> Option<Result<ParsedQuestion, Box<BadQuestion>>> {
    if !line.windows(MARK.len()).any(|part| part == MARK) {
        return None;
    }
    let text = String::from_utf8_lossy(line);
    let text = text.trim_matches(|c: char| c.is_whitespace() || c == '\u{feff}');
    let object: Map<String, Value> = serde_json::from_str(text).ok()?;
    let id = object.get("prompt").filter(|_| !is_answer(&object))?.clone();
    Some(read(&object).map_err(|why| {
        let message = object.get("message").and_then(Value::as_str).unwrap_or_default().to_owned();
        Box::new(BadQuestion { id, message, why })
    }))
}

/// Returns whether the object has a field of answers or announcements (A2).
fn is_answer(object: &Map<String, Value>) -> bool {
    UNIVERSAL_OUTPUT.iter().any(|field| object.get(field.name).is_some_and(|value| !value.is_null()))
}

fn read(object: &Map<String, Value>) -> Result<ParsedQuestion, Wrong> {
    let id = text(object, "", "prompt")?;
    let message = text(object, "", "message")?;
    let length = message.chars().count();
    if length > LONGEST_MESSAGE {
        return Err(Wrong::TooLong(length));
    }
    let options = match object.get("options") {
        None | Some(Value::Null) => return Err(Wrong::Missing("options".into())),
        Some(Value::Array(options)) if options.is_empty() => return Err(Wrong::Empty("options".into())),
        Some(Value::Array(options)) if options.len() > MOST_OPTIONS => {
            return Err(Wrong::TooManyOptions(options.len()));
        }
        Some(Value::Array(options)) => options,
        Some(other) => return Err(wrong_type("options".into(), "a list", other)),
    };
    let options = options.iter().enumerate().map(|(at, option)| choice(at, option));
    let options = options.collect::<Result<Vec<_>, _>>()?;
    let mut keys = HashSet::new();
    if let Some(at) = options.iter().position(|option| !keys.insert(option.key.as_str())) {
        return Err(Wrong::SameKey { at, key: options[at].key.clone() });
    }
    Ok(ParsedQuestion { id, message, options })
}

fn choice(at: usize, option: &Value) -> Result<Choice, Wrong> {
    let Value::Object(option) = option else {
        return Err(wrong_type(format!("options[{at}]"), "an object", option));
    };
    let inside = format!("options[{at}].");
    let full = |name: &str| {
        let value = text(option, &inside, name)?;
        if value.trim().is_empty() { Err(Wrong::Empty(format!("{inside}{name}"))) } else { Ok(value) }
    };
    let (key, label) = (full("key")?, full("label")?);
    let description = match option.get("description") {
        None | Some(Value::Null) => None,
        Some(Value::String(description)) => Some(description.clone()),
        Some(other) => return Err(wrong_type(format!("{inside}description"), "a string", other)),
    };
    Ok(Choice { key, label, description })
}

fn text(object: &Map<String, Value>, inside: &str, name: &str) -> Result<String, Wrong> {
    match object.get(name) {
        None | Some(Value::Null) => Err(Wrong::Missing(format!("{inside}{name}"))),
        Some(Value::String(text)) => Ok(text.clone()),
        Some(other) => Err(wrong_type(format!("{inside}{name}"), "a string", other)),
    }
}

fn wrong_type(field: String, wanted: &'static str, came: &Value) -> Wrong {
    Wrong::Type { field, wanted, came: type_name(came) }
}
