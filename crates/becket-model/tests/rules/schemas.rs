//! Checks that the generated files are up to date, and describe what the code does.

use crate::common::{cases, text};
use becket_model::{EventKind, OnFailure, schema};
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::PathBuf;

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../schemas")
}

fn schema_of(path: &str) -> Value {
    schema::all().into_iter().find(|(name, _)| name == path).unwrap_or_else(|| panic!("no {path}")).1
}

fn names(schema: &Value) -> BTreeSet<&str> {
    schema["properties"].as_object().unwrap().keys().map(String::as_str).collect()
}

#[test]
fn the_files_are_what_the_code_generates() {
    let all = schema::all();
    for (path, schema) in &all {
        let written = std::fs::read_to_string(root().join(path)).unwrap_or_default();
        assert!(
            written.replace("\r\n", "\n") == schema::text(schema),
            "schemas/{path} is out of step: run `cargo xtask gen`"
        );
    }
    let known: BTreeSet<PathBuf> = all.iter().map(|(path, _)| root().join(path)).collect();
    for folder in ["input", "output"] {
        for file in std::fs::read_dir(root().join(folder)).unwrap() {
            let path = file.unwrap().path();
            assert!(known.contains(&path), "{} is not an event's: run `cargo xtask gen`", path.display());
        }
    }
}

#[test]
fn inputs_have_the_tables_fields_with_the_tables_words() {
    // rule: N1
    for kind in EventKind::ALL {
        let schema = schema_of(&format!("input/{kind}.json"));
        let fields: Vec<_> = kind.spec().all_input().collect();
        assert_eq!(names(&schema), fields.iter().map(|field| field.name).collect(), "{kind}");
        let required: BTreeSet<&str> =
            schema["required"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
        for field in fields {
            let property = &schema["properties"][field.name];
            assert_eq!(required.contains(field.name), field.required, "{kind}.{}", field.name);
            assert_eq!(property["description"], field.doc, "{kind}.{}", field.name);
            assert!(described_as(property, field), "{kind}.{}: {property}", field.name);
        }
    }
}

/// Returns the types that a schema names, if any.
fn types(schema: &Value) -> Vec<&str> {
    let one = schema["type"].as_str();
    let many = schema["type"].as_array().into_iter().flatten().filter_map(Value::as_str);
    one.into_iter().chain(many).collect()
}

/// Returns whether a property that a struct generated has the type in the table.
fn described_as(property: &Value, field: &becket_model::table::FieldSpec) -> bool {
    use becket_model::table::FieldType;
    let types = types(property);
    let item = &property["items"]["type"];
    match field.kind {
        FieldType::String => types[0] == "string",
        FieldType::StringOrNull => types == ["string", "null"],
        FieldType::Strings => types[0] == "array" && item == "string",
        FieldType::Number => types[0] == "number",
        FieldType::Integer => types[0] == "integer",
        FieldType::Boolean => types[0] == "boolean",
        FieldType::Object => types[0] == "object",
        FieldType::Objects => types[0] == "array" && item == "object",
        FieldType::Any => types.is_empty(),
    }
}

#[test]
fn every_field_of_a_schema_is_read_and_no_other() {
    // rules: O5, O7
    for kind in EventKind::ALL {
        let schema = schema_of(&format!("output/{kind}.json"));
        let own = &schema["properties"]["hookSpecificOutput"];
        assert_eq!(own["properties"]["hookEventName"]["const"], kind.name());
        let mut answer = serde_json::Map::new();
        let mut inner = serde_json::Map::new();
        for name in names(&schema) {
            answer.insert(name.to_owned(), Value::Null);
        }
        for name in names(own) {
            inner.insert(name.to_owned(), Value::Null);
        }
        inner.insert("hookEventName".into(), kind.name().into());
        inner.insert("noSuchField".into(), Value::Null);
        answer.insert("hookSpecificOutput".into(), Value::Object(inner));
        let taken = becket_model::interpret::object(kind.spec(), &answer.into(), OnFailure::Continue);
        assert_eq!(taken.unknown_fields, ["hookSpecificOutput.noSuchField"], "{kind}");
    }
}

/// Validates a value against the part of JSON Schema that the generated outputs use.
fn valid(schema: &Value, value: &Value) -> bool {
    let kind = match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    };
    let types = types(schema);
    let of_type = types.is_empty() || types.contains(&kind);
    let listed = schema["enum"].as_array().is_none_or(|all| all.contains(value));
    let constant = schema.get("const").is_none_or(|constant| constant == value);
    let items = value
        .as_array()
        .is_none_or(|all| schema.get("items").is_none_or(|items| all.iter().all(|item| valid(items, item))));
    let inside = value.as_object().is_none_or(|object| {
        let required = schema["required"].as_array().into_iter().flatten();
        let complete = required.into_iter().all(|name| object.contains_key(name.as_str().unwrap()));
        complete
            && object.iter().all(|(name, value)| {
                schema["properties"].get(name).is_none_or(|property| valid(property, value))
            })
    });
    of_type && listed && constant && items && inside
}

#[test]
fn schemas_and_the_reader_agree_on_every_case() {
    // rules: O5, O6
    let mut counts = (0, 0);
    for case in cases("output.json") {
        let Some(answer) = case["json"].as_object() else { continue };
        let kind: EventKind = text(&case, "event").parse().unwrap();
        let fits = valid(&schema_of(&format!("output/{kind}.json")), &case["json"]);
        let failure =
            becket_model::interpret::object(kind.spec(), &answer.clone().into(), OnFailure::Continue).failure;
        let refused = failure.is_some_and(|failure| !matches!(failure, becket_model::Failure::NoPath { .. }));
        assert_eq!(fits, !refused, "[{}] {}", case["rule"], case["name"]);
        if fits { counts.0 += 1 } else { counts.1 += 1 }
    }
    assert!(counts.0 > 60 && counts.1 > 15, "{counts:?}");
}

#[test]
fn a_settings_file_has_all_events_and_all_kinds_and_no_others() {
    // rules: C1, H10
    let schema = schema_of("settings.json");
    let kinds: BTreeSet<&str> = schema["$defs"]["Handler"]["oneOf"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|kind| kind["properties"]["type"]["const"].as_str())
        .collect();
    assert_eq!(kinds, becket_model::table::HandlerKind::ALL.iter().map(|kind| kind.name()).collect());
    let by_event = &schema["$defs"]["Hooks"]["anyOf"][0];
    let events = names(by_event);
    assert_eq!(events, EventKind::ALL.iter().map(|kind| kind.name()).collect());
    assert_eq!(by_event["additionalProperties"], false);
}
