//! The texts for the model in the JSON of a background hook (A3). Lenient, since no event waits for it any more: a
//! field of the wrong type is dropped with a warning, and the other fields count. Pure.

use becket_model::table::{EventSpec, FieldSpec, UNIVERSAL_OUTPUT};
use becket_model::wire::input::type_name;
use serde_json::{Map, Value};

const OWN: &str = "hookSpecificOutput";
const CONTEXT: &str = "additionalContext";
const MESSAGE: &str = "systemMessage";
const EVENT_NAME: &str = "hookEventName";

/// The fields of an answer that count in the background.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Answer {
    /// `additionalContext`
    pub(super) context: Option<String>,
    /// `systemMessage`
    pub(super) message: Option<String>,
    pub(super) warnings: Vec<String>,
}

/// Reads an answer to an event of `spec`. An explicit `null` is an absent field, and so is blank text.
pub(super) fn read(spec: &EventSpec, object: &Map<String, Value>) -> Answer {
    let mut answer = Answer::default();
    answer.message = text(object, "", MESSAGE, &mut answer.warnings);
    let own = match object.get(OWN) {
        None | Some(Value::Null) => None,
        Some(Value::Object(own)) => Some(own),
        Some(other) => {
            answer.warnings.push(dropped(OWN, "an object", other));
            None
        }
    };
    if let Some(own) = own {
        answer.context = text(own, "hookSpecificOutput.", CONTEXT, &mut answer.warnings);
        answer.warnings.extend(other_event(spec, own));
    }
    if object.get(CONTEXT).is_some_and(|value| !value.is_null()) {
        answer.warnings.push(format!("`{CONTEXT}` has no effect there: put it inside `{OWN}`"));
    }
    answer.warnings.extend(without_effect(spec, object, own));
    answer
}

/// Returns whether an object looks like an answer and not like arbitrary JSON that a program prints.
pub(super) fn is_meant(spec: &EventSpec, object: &Map<String, Value>) -> bool {
    UNIVERSAL_OUTPUT.iter().chain(spec.output).any(|field| object.contains_key(field.name))
}

fn text(object: &Map<String, Value>, prefix: &str, name: &str, warnings: &mut Vec<String>) -> Option<String> {
    match object.get(name)? {
        Value::Null => None,
        Value::String(text) => (!text.trim().is_empty()).then(|| text.clone()),
        other @ (Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_)) => {
            warnings.push(dropped(&format!("{prefix}{name}"), "a string", other));
            None
        }
    }
}

fn dropped(field: &str, expected: &str, got: &Value) -> String {
    format!("`{field}` was dropped: expected {expected}, got {}", type_name(got))
}

fn other_event(spec: &EventSpec, own: &Map<String, Value>) -> Option<String> {
    let got = own.get(EVENT_NAME).filter(|value| !value.is_null())?;
    let expected = spec.kind.name();
    (got.as_str() != Some(expected)).then(|| {
        format!("`{OWN}.{EVENT_NAME}` should be `{expected}`: an awaited hook's answer would not count")
    })
}

/// Returns a warning that names the decisions of an answer: none of them takes effect in the background.
fn without_effect(
    spec: &EventSpec,
    object: &Map<String, Value>,
    own: Option<&Map<String, Value>>,
) -> Option<String> {
    let is_decision =
        |field: &&FieldSpec| ![OWN, CONTEXT, MESSAGE, EVENT_NAME, "suppressOutput"].contains(&field.name);
    let is_set = |object: &Map<String, Value>, field: &&FieldSpec| match object.get(field.name) {
        None | Some(Value::Null) => false,
        // `continue: true` is the default anyway.
        Some(Value::Bool(true)) => field.name != "continue",
        Some(_) => true,
    };
    let top = UNIVERSAL_OUTPUT.iter().filter(is_decision).filter(|field| is_set(object, field));
    let inner =
        spec.output.iter().filter(is_decision).filter(|field| own.is_some_and(|own| is_set(own, field)));
    let mut names: Vec<String> = top.map(|field| format!("`{}`", field.name)).collect();
    names.extend(inner.map(|field| format!("`{OWN}.{}`", field.name)));
    let them = match names.len() {
        0 => return None,
        1 => "it had no effect",
        _ => "they had no effect",
    };
    Some(format!("a background hook decides nothing, but this one said {}: {them}", names.join(", ")))
}
