//! JSON Schemas of what handlers read and print, and the event table as data, for editors, other languages and people.
//!
//! Structs that are read and sent describe settings and inputs, and the event table, which answers are checked against,
//! describes outputs: nothing is described twice. `cargo xtask gen` generates `schemas/`; a test checks that the files
//! are up to date.

mod input;
mod output;
mod rows;

use crate::EventKind;
use crate::wire::settings::Settings;
use serde_json::{Map, Value, json};

/// The directory in which the schemas are published.
const PUBLISHED: &str = concat!(env!("CARGO_PKG_REPOSITORY"), "/raw/main/schemas");
const DIALECT: &str = "https://json-schema.org/draft/2020-12/schema";

/// Returns every generated file: its path under `schemas/`, and its content.
pub fn all() -> Vec<(String, Value)> {
    let inputs = EventKind::ALL.map(|kind| (format!("input/{kind}.json"), input::schema(kind)));
    let outputs = EventKind::ALL.map(|kind| (format!("output/{kind}.json"), output::schema(kind)));
    let others = [("events.json".to_owned(), rows::rows()), ("settings.json".to_owned(), settings())];
    inputs.into_iter().chain(outputs).chain(others).map(with_id).collect()
}

/// Returns the schema of the settings file. An event beside `hooks` instead of in it is invalid.
fn settings() -> Value {
    let mut schema = schemars::schema_for!(Settings).to_value();
    if let Some(properties) = schema["properties"].as_object_mut() {
        properties.extend(EventKind::ALL.map(|event| (event.name().to_owned(), Value::Bool(false))));
    }
    schema
}

/// Adds the published address of a schema.
fn with_id((path, schema): (String, Value)) -> (String, Value) {
    let Value::Object(mut members) = schema else { return (path, schema) };
    if members.contains_key("$schema") {
        members.insert("$id".to_owned(), json!(format!("{PUBLISHED}/{path}")));
    }
    (path, Value::Object(members))
}

/// Returns the text of a generated file: indented, with a final newline.
pub fn text(schema: &Value) -> String {
    format!("{schema:#}\n")
}

/// Returns an object schema with these properties.
fn object(properties: Map<String, Value>, required: Vec<&str>) -> Map<String, Value> {
    let mut schema = Map::new();
    schema.insert("type".to_owned(), json!("object"));
    schema.insert("properties".to_owned(), Value::Object(properties));
    if !required.is_empty() {
        schema.insert("required".to_owned(), json!(required));
    }
    schema
}

/// Returns the schema of a whole file, with its dialect and title first.
fn document(title: String, description: &str, body: Map<String, Value>) -> Value {
    let mut schema = Map::new();
    schema.insert("$schema".to_owned(), json!(DIALECT));
    schema.insert("title".to_owned(), json!(title));
    schema.insert("description".to_owned(), json!(description));
    schema.extend(body);
    Value::Object(schema)
}
