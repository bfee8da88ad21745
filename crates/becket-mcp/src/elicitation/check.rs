//! Validation of a value against a field, and parsing of typed text.

use std::cmp::Ordering;

use serde_json::{Number, Value};

use super::choice::Choice;
use super::field::{Field, FieldKind};

/// A function that returns whether a text (second argument) matches an ECMAScript expression (first argument)
/// somewhere; `None` if that can't be decided. A server writes the expression: the function must bound its time, as
/// the matchers of
/// `becket-rules` do.
pub type Judge<'a> = dyn Fn(&str, &str) -> Option<bool> + 'a;

/// An error: a field does not meet the form's requirements.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{field}`: {what}")]
#[non_exhaustive]
pub struct FieldError {
    /// The name of the field.
    pub field: String,
    /// The problem and what to write instead.
    pub what: String,
}

impl Field {
    /// Parses typed text: a number, `yes` or `no`, the value or the title of a choice, or several of them separated by
    /// commas. It is not checked further; [`super::Form::validate`] does that.
    ///
    /// # Errors
    /// Errors if the text is not a value of this kind.
    pub fn typed(&self, text: &str) -> Result<Value, FieldError> {
        let error = |what: String| FieldError { field: self.name.clone(), what };
        let trimmed = text.trim();
        match &self.kind {
            FieldKind::Text { .. } => Ok(Value::String(text.to_owned())),
            FieldKind::Number { whole, .. } => match serde_json::from_str::<Number>(trimmed) {
                Ok(number) => Ok(Value::Number(number)),
                Err(_) => Err(error(format!("write {}", a_number(*whole)))),
            },
            FieldKind::Boolean => match trimmed.to_ascii_lowercase().as_str() {
                "yes" | "y" | "true" => Ok(Value::Bool(true)),
                "no" | "n" | "false" => Ok(Value::Bool(false)),
                _ => Err(error("write `yes` or `no`".to_owned())),
            },
            FieldKind::One(choices) => chosen(choices, trimmed).map_err(error),
            FieldKind::Many { choices, .. } => {
                let parts = trimmed.split(',').map(str::trim).filter(|part| !part.is_empty());
                parts.map(|part| chosen(choices, part)).collect::<Result<Value, _>>().map_err(error)
            }
        }
    }

    /// Returns the problem with a value, if there is one.
    pub(super) fn wrong(&self, value: &Value, judge: &Judge<'_>) -> Option<String> {
        match (&self.kind, value) {
            (FieldKind::Text { format, min, max, pattern }, Value::String(text)) => {
                let format = format.filter(|format| !format.matches(text));
                let pattern = pattern.as_deref().filter(|pattern| judge(pattern, text) == Some(false));
                wrong_count(text.chars().count() as u64, *min, *max, "characters")
                    .or_else(|| format.map(|format| format!("write {format}")))
                    .or_else(|| pattern.map(|pattern| format!("this does not match `{pattern}`")))
            }
            (FieldKind::Number { whole, min, max }, Value::Number(number)) => {
                wrong_number(number, *whole, min.as_ref(), max.as_ref())
            }
            (FieldKind::Boolean, Value::Bool(_)) => None,
            (FieldKind::One(choices), Value::String(value)) => no_choice(choices, value),
            (FieldKind::Many { choices, min, max }, Value::Array(values)) => {
                let wrong = values.iter().find_map(|value| match value.as_str() {
                    Some(value) => no_choice(choices, value),
                    None => Some(format!("`{value}` is not a string")),
                });
                wrong.or_else(|| wrong_count(values.len() as u64, *min, *max, "values"))
            }
            (kind, _) => Some(format!("this must be {}", kind.name())),
        }
    }
}

impl FieldKind {
    /// Describes the accepted values.
    fn name(&self) -> &'static str {
        match self {
            Self::Text { .. } => "a text",
            Self::Number { whole, .. } => a_number(*whole),
            Self::Boolean => "true or false",
            Self::One(_) => "one of the values, a text",
            Self::Many { .. } => "a list of some of the values",
        }
    }

    /// Returns whether a value has the right type, without checking the bounds.
    pub(super) fn has_type(&self, value: &Value) -> bool {
        match self {
            Self::Text { .. } => value.is_string(),
            Self::Number { whole, .. } => value.as_number().is_some_and(|number| !whole || is_whole(number)),
            Self::Boolean => value.is_boolean(),
            Self::One(choices) => value.as_str().is_some_and(|value| no_choice(choices, value).is_none()),
            Self::Many { choices, .. } => value.as_array().is_some_and(|values| {
                let known =
                    |value: &Value| value.as_str().is_some_and(|value| no_choice(choices, value).is_none());
                values.iter().all(known)
            }),
        }
    }
}

fn a_number(whole: bool) -> &'static str {
    if whole { "a whole number" } else { "a number" }
}

fn chosen(choices: &[Choice], text: &str) -> Result<Value, String> {
    let by_value = choices.iter().find(|choice| choice.value == text);
    let by_title = || choices.iter().find(|choice| choice.title == text);
    match by_value.or_else(by_title) {
        Some(choice) => Ok(Value::String(choice.value.clone())),
        None => Err(none_of(text, choices)),
    }
}

fn no_choice(choices: &[Choice], value: &str) -> Option<String> {
    (!choices.iter().any(|choice| choice.value == value)).then(|| none_of(value, choices))
}

fn none_of(text: &str, choices: &[Choice]) -> String {
    let names: Vec<String> = choices.iter().take(20).map(|choice| format!("`{}`", choice.value)).collect();
    let more = if choices.len() > 20 { ", …" } else { "" };
    format!("`{text}` is none of {}{more}", names.join(", "))
}

fn wrong_count(count: u64, min: Option<u64>, max: Option<u64>, what: &str) -> Option<String> {
    match (min.filter(|min| count < *min), max.filter(|max| count > *max)) {
        (Some(min), _) => Some(format!("these are {count} {what}; there must be {min} at least")),
        (None, Some(max)) => Some(format!("these are {count} {what}; there must be {max} at most")),
        (None, None) => None,
    }
}

fn wrong_number(number: &Number, whole: bool, min: Option<&Number>, max: Option<&Number>) -> Option<String> {
    if whole && !is_whole(number) {
        return Some(format!("{number} is not a whole number"));
    }
    let less = min.filter(|min| compared(number, min) == Some(Ordering::Less));
    let more = max.filter(|max| compared(number, max) == Some(Ordering::Greater));
    less.map(|min| format!("{number} is less than {min}, the least"))
        .or_else(|| more.map(|max| format!("{number} is more than {max}, the most")))
}

fn is_whole(number: &Number) -> bool {
    number.as_i128().is_some() || number.as_f64().is_some_and(|number| number.fract() == 0.0)
}

/// Compares two numbers, whole ones as integers: floats can't distinguish them beyond 2^53.
fn compared(a: &Number, b: &Number) -> Option<Ordering> {
    match (a.as_i128(), b.as_i128()) {
        (Some(a), Some(b)) => Some(a.cmp(&b)),
        (_, _) => a.as_f64()?.partial_cmp(&b.as_f64()?),
    }
}
