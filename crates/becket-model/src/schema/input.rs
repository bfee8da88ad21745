//! The input of an event's handlers (N1). Further fields are allowed: hosts add their own (N5).

use super::{document, object};
use crate::EventKind;
use crate::event::body::fields_schema;
use crate::table::{FieldSpec, FieldType};
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value, json};

pub(super) fn schema(kind: EventKind) -> Value {
    let spec = kind.spec();
    let mut own = own_properties(kind);
    let mut properties = Map::new();
    let mut required = Vec::new();
    for field in spec.all_input() {
        let is_own = spec.input.iter().any(|mine| mine.name == field.name);
        let mut described = match own.remove(field.name) {
            Some(Value::Object(described)) => described,
            // A field that the struct does not send must not be described as if it did.
            Some(_) | None if is_own => continue,
            Some(_) | None => common(field),
        };
        if field.name == "hook_event_name" {
            described.insert("const".to_owned(), json!(kind.name()));
        }
        let matched = spec.matcher.filter(|matcher| matcher.field == field.name);
        let known = matched.map_or(field.values, |matcher| matcher.values);
        if !known.is_empty() {
            described.insert("examples".to_owned(), json!(known));
        }
        if field.required {
            required.push(field.name);
        }
        properties.insert(field.name.to_owned(), Value::Object(described));
    }
    properties.extend(own);
    document(format!("Input of {kind} hooks"), spec.summary, object(properties, required))
}

/// Returns the properties of the event's struct, as it is sent.
fn own_properties(kind: EventKind) -> Map<String, Value> {
    let mut generator =
        SchemaSettings::draft2020_12().with(|it| it.inline_subschemas = true).into_generator();
    let schema = fields_schema(kind, &mut generator);
    schema.get("properties").and_then(Value::as_object).cloned().unwrap_or_default()
}

/// Returns the schema of a common field; these belong to no struct, so the table describes them.
fn common(field: &FieldSpec) -> Map<String, Value> {
    let mut schema = Map::new();
    schema.insert("description".to_owned(), json!(field.doc));
    let kind = if field.kind == FieldType::Object { "object" } else { "string" };
    schema.insert("type".to_owned(), json!(kind));
    if !field.fields.is_empty() {
        let inner = field.fields.iter().map(|inner| {
            let mut described = common(inner);
            described.insert("examples".to_owned(), json!(inner.values));
            (inner.name.to_owned(), Value::Object(described))
        });
        schema.insert("properties".to_owned(), Value::Object(inner.collect()));
    }
    schema
}
