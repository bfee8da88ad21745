//! `--set key=value`: sets one field of an input, or one inside an object.
//!
//! A value is JSON if it parses, otherwise text; if the table declares the field as text, it is always text.

use crate::error::CliError;
use becket_model::table::{EventSpec, FieldSpec, FieldType};
use becket_rules::tools;
use serde_json::{Map, Value};

/// Sets a field.
///
/// # Errors
/// Errors if there is no `=`, there is no such field, or a value on the path is not an object.
pub(crate) fn apply(
    input: &mut Map<String, Value>,
    spec: &EventSpec,
    assignment: &str,
) -> Result<(), CliError> {
    let Some((key, value)) = assignment.split_once('=') else {
        return Err(CliError::SetWithoutValue { given: assignment.to_owned() });
    };
    let mut parts = key.split('.');
    let first = parts.next().unwrap_or_default();
    let field = check_field(spec, first)?;
    let rest: Vec<&str> = parts.collect();
    let Some((last, way)) = rest.split_last() else {
        input.insert(first.to_owned(), parsed(value, field.kind));
        return Ok(());
    };
    let mut at = inner(input, first, key)?;
    for part in way {
        at = inner(at, part, key)?;
    }
    at.insert((*last).to_owned(), parsed(value, FieldType::Any));
    Ok(())
}

/// Finds a field of the event's input.
///
/// # Errors
/// Returns [`CliError::UnknownField`] with the nearest name.
pub(crate) fn check_field(spec: &EventSpec, name: &str) -> Result<&'static FieldSpec, CliError> {
    spec.all_input()
        .filter(|field| field.name != "hook_event_name")
        .find(|field| field.name == name)
        .ok_or_else(|| {
            let names: Vec<&'static str> = spec.all_input().map(|field| field.name).collect();
            let near = becket_base::suggest(name, &names).map(str::to_owned);
            let inside = || names.contains(&"tool_input").then(|| format!("tool_input.{name}"));
            let near = of_a_tool(name).then(inside).flatten().or(near).or_else(inside);
            CliError::UnknownField { event: spec.kind.name(), name: name.to_owned(), near }
        })
}

/// Returns true if tools have an input field of this name.
fn of_a_tool(name: &str) -> bool {
    tools::table().iter().any(|tool| tool.primary.field() == Some(name))
}

fn inner<'a>(
    object: &'a mut Map<String, Value>,
    part: &str,
    key: &str,
) -> Result<&'a mut Map<String, Value>, CliError> {
    let value = object.entry(part.to_owned()).or_insert_with(|| Value::Object(Map::new()));
    value
        .as_object_mut()
        .ok_or_else(|| CliError::SetInsideScalar { key: key.to_owned(), part: part.to_owned() })
}

fn parsed(text: &str, kind: FieldType) -> Value {
    let as_text = || Value::String(text.to_owned());
    let json = serde_json::from_str(text);
    match kind {
        FieldType::String => json.ok().filter(Value::is_string).unwrap_or_else(as_text),
        FieldType::StringOrNull => {
            json.ok().filter(|value: &Value| value.is_string() || value.is_null()).unwrap_or_else(as_text)
        }
        FieldType::Strings
        | FieldType::Number
        | FieldType::Integer
        | FieldType::Boolean
        | FieldType::Object
        | FieldType::Objects
        | FieldType::Any => json.unwrap_or_else(|_| as_text()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use becket_model::EventKind;
    use serde_json::json;

    fn set(event: EventKind, assignments: &[&str]) -> Result<Value, String> {
        let mut input = Map::new();
        for assignment in assignments {
            apply(&mut input, event.spec(), assignment).map_err(|error| error.to_string())?;
        }
        Ok(Value::Object(input))
    }

    #[test]
    fn values_take_the_type_of_their_field() {
        let bash = set(EventKind::PreToolUse, &["tool_input.command=ls -l", "tool_input.timeout=5"]);
        assert_eq!(bash, Ok(json!({"tool_input": {"command": "ls -l", "timeout": 5}})));
        assert_eq!(set(EventKind::UserPromptSubmit, &["prompt=5"]), Ok(json!({"prompt": "5"})));
        assert_eq!(set(EventKind::UserPromptSubmit, &["prompt=\"5\""]), Ok(json!({"prompt": "5"})));
        assert_eq!(set(EventKind::Stop, &["stop_hook_active=true"]), Ok(json!({"stop_hook_active": true})));
        assert_eq!(
            set(EventKind::PreToolUse, &["tool_input.a.b=[1]", "tool_input.a.c=null"]),
            Ok(json!({"tool_input": {"a": {"b": [1], "c": null}}}))
        );
    }

    #[test]
    fn unknown_fields_and_wrong_ways_are_named() {
        let error = |event, assignment| set(event, &[assignment]).expect_err("must not be taken");
        assert!(error(EventKind::PreToolUse, "tool_nmae=x").contains("did you mean `tool_name`?"));
        assert!(error(EventKind::Stop, "tool_name=Bash").contains("`Stop` has no input field `tool_name`"));
        assert!(error(EventKind::PreToolUse, "tool_name").contains("has no `=`"));
        assert!(error(EventKind::PreToolUse, "hook_event_name=Stop").contains("no input field"));
        let inside = set(EventKind::PreToolUse, &["tool_name=x", "tool_name.y=z"]);
        assert!(inside.expect_err("must not be taken").contains("is not an object"));
    }
}
