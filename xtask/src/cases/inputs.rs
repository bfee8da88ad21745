//! The required fields of an event, with arbitrary values.

use becket_model::table::{EventSpec, FieldSpec, FieldType};
use serde_json::{Map, Value, json};

/// Returns the input of an event, without the fields that the session adds.
///
/// # Errors
/// Errors if the event does not exist.
pub(super) fn of(event: &str) -> Result<Map<String, Value>, String> {
    let kind: becket_model::EventKind = event.parse().map_err(|_| format!("there is no event `{event}`"))?;
    let spec = kind.spec();
    let required = spec.input.iter().filter(|field| field.required);
    Ok(required.map(|field| (field.name.to_owned(), value(spec, field))).collect())
}

fn value(spec: &EventSpec, field: &FieldSpec) -> Value {
    let matched = spec.matcher.filter(|matcher| matcher.field == field.name);
    let known = matched.and_then(|matcher| matcher.values.first()).or(field.values.first());
    match field.kind {
        FieldType::String => known.map_or_else(|| text(field.name), |value| Value::from(*value)),
        FieldType::StringOrNull | FieldType::Any => Value::Null,
        FieldType::Strings | FieldType::Objects => json!([]),
        FieldType::Number | FieldType::Integer => json!(0),
        FieldType::Boolean => json!(false),
        FieldType::Object => json!({}),
    }
}

fn text(name: &str) -> Value {
    let is_path = name.ends_with("_path") || name.ends_with("cwd") || name == "directory";
    Value::from(if is_path { "[ROOT]/project/sample".to_owned() } else { format!("sample {name}") })
}
