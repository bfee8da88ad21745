//! The choice of the turn for a request.

use super::turn::Turn;
use serde_json::Value;

/// The source of the answers.
pub(super) enum Script {
    /// Turns, one after the other.
    Turns(Vec<Turn>),
    /// The result of this function for a request's body.
    Computed(Box<dyn FnMut(&Value) -> Turn + Send>),
}

impl Script {
    /// Takes the turn for a request; `None` if no remaining one fits.
    pub(super) fn take(&mut self, body: &Value) -> Option<Turn> {
        match self {
            Self::Computed(make) => Some(make(body)),
            Self::Turns(turns) => {
                let seen = looked_at(body);
                let fits = |turn: &Turn| turn.when.iter().all(|text| seen.contains(text.as_str()));
                let meant = turns.iter().position(|turn| !turn.when.is_empty() && fits(turn));
                let next = meant.or_else(|| turns.iter().position(|turn| turn.when.is_empty()))?;
                Some(turns.remove(next))
            }
        }
    }

    /// Returns the number of unused turns.
    pub(super) fn remaining_turns(&self) -> usize {
        match self {
            Self::Turns(turns) => turns.len(),
            Self::Computed(_) => 0,
        }
    }
}

/// Returns the texts of a request that are compared with turns.
fn looked_at(body: &Value) -> String {
    let messages = body["messages"].as_array().map(Vec::as_slice).unwrap_or_default();
    let mut text = String::new();
    texts(&body["system"], &mut text);
    for message in messages.first().into_iter().chain(messages.last()) {
        texts(&message["content"], &mut text);
    }
    text
}

/// Appends all strings of a value, a line each.
fn texts(value: &Value, into: &mut String) {
    match value {
        Value::String(text) => {
            into.push_str(text);
            into.push('\n');
        }
        Value::Array(items) => items.iter().for_each(|item| texts(item, into)),
        Value::Object(fields) => fields.values().for_each(|field| texts(field, into)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}
