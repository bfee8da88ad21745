//! The output of an event's handlers (O5–O7): exactly the fields that an answer is checked against. `null` means an
//! absent field, and unknown fields are allowed.

use super::{document, object};
use crate::EventKind;
use crate::table::{FieldSpec, FieldType, UNIVERSAL_OUTPUT};
use serde_json::{Map, Value, json};

pub(super) fn schema(kind: EventKind) -> Value {
    let spec = kind.spec();
    let mut properties = described(UNIVERSAL_OUTPUT);
    if let Some(Value::Object(own)) = properties.get_mut("hookSpecificOutput") {
        let mut inner = Map::new();
        inner.insert("hookEventName".to_owned(), json!({"const": kind.name()}));
        inner.extend(described(spec.output));
        own.extend(object(inner, vec!["hookEventName"]));
        own.insert("type".to_owned(), json!(["object", "null"]));
    }
    document(format!("Output of {kind} hooks"), spec.summary, object(properties, Vec::new()))
}

fn described(fields: &[FieldSpec]) -> Map<String, Value> {
    fields.iter().map(|field| (field.name.to_owned(), Value::Object(describe(field)))).collect()
}

fn describe(field: &FieldSpec) -> Map<String, Value> {
    let mut schema = Map::new();
    schema.insert("description".to_owned(), json!(field.doc));
    if !field.fields.is_empty() {
        let required = field.fields.iter().filter(|inner| inner.required).map(|inner| inner.name).collect();
        schema.extend(object(described(field.fields), required));
    }
    let (name, items) = type_of(field.kind);
    if let Some(name) = name {
        let kind = if field.required { json!(name) } else { json!([name, "null"]) };
        schema.insert("type".to_owned(), kind);
    }
    if let Some(items) = items {
        schema.insert("items".to_owned(), json!({"type": items}));
    }
    if !field.values.is_empty() {
        let null = (!field.required).then_some(Value::Null);
        schema.insert("enum".to_owned(), field.values.iter().map(|value| json!(value)).chain(null).collect());
    }
    schema
}

/// Returns the JSON Schema type, and that of a list's items; `None` if any value is allowed.
fn type_of(kind: FieldType) -> (Option<&'static str>, Option<&'static str>) {
    match kind {
        FieldType::String | FieldType::StringOrNull => (Some("string"), None),
        FieldType::Strings => (Some("array"), Some("string")),
        FieldType::Number => (Some("number"), None),
        FieldType::Integer => (Some("integer"), None),
        FieldType::Boolean => (Some("boolean"), None),
        FieldType::Object => (Some("object"), None),
        FieldType::Objects => (Some("array"), Some("object")),
        FieldType::Any => (None, None),
    }
}
