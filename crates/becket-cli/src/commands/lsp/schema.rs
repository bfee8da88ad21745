//! The schema of settings files, by path.

use super::place::{Member, Segment};
use serde_json::Value;
use std::sync::OnceLock;

/// Returns the schema of a settings file.
fn root() -> &'static Value {
    static SCHEMA: OnceLock<Value> = OnceLock::new();
    SCHEMA.get_or_init(|| {
        let found = becket_model::schema::all().into_iter().find(|(name, _)| name == "settings.json");
        found.map(|(_, schema)| schema).unwrap_or_default()
    })
}

/// Returns the schemas that may describe the value at a path. `members` are those of the values on the path:
/// alternatives whose constant member differs from the one in the text are left out.
pub(super) fn at(path: &[Segment], members: &[Vec<Member>]) -> Vec<&'static Value> {
    let none = Vec::new();
    let mut found = alternatives(root(), members.first().unwrap_or(&none));
    for (depth, segment) in path.iter().enumerate() {
        let inner = members.get(depth + 1).unwrap_or(&none);
        found = found
            .into_iter()
            .filter_map(|schema| child(schema, segment))
            .flat_map(|schema| alternatives(schema, inner))
            .collect();
    }
    found
}

/// Returns the properties of these schemas, without forbidden ones; each name once.
pub(super) fn properties(schemas: &[&'static Value]) -> Vec<(&'static str, &'static Value)> {
    let mut found: Vec<(&str, &Value)> = Vec::new();
    let all = schemas.iter().filter_map(|schema| schema["properties"].as_object()).flatten();
    for (name, schema) in all.filter(|(_, schema)| schema.is_object()) {
        match found.iter_mut().find(|(known, _)| known == name) {
            Some(known) if known.1.get("description").is_none() => known.1 = schema,
            Some(_) => {}
            None => found.push((name, schema)),
        }
    }
    found
}

/// Returns the values that these schemas list, as JSON, with their descriptions.
pub(super) fn values(schemas: &[&'static Value]) -> Vec<(&'static Value, Option<&'static str>)> {
    let mut found: Vec<(&Value, Option<&str>)> = Vec::new();
    for schema in schemas {
        let listed = schema["enum"].as_array().into_iter().flatten();
        for value in listed.chain(schema.get("const")) {
            if !found.iter().any(|(known, _)| *known == value) {
                found.push((value, description(schema)));
            }
        }
    }
    found
}

/// Returns the description of a schema.
pub(super) fn description(schema: &'static Value) -> Option<&'static str> {
    schema["description"].as_str()
}

/// Returns true if a schema describes booleans.
pub(super) fn is_boolean(schema: &Value) -> bool {
    let types = &schema["type"];
    types == "boolean" || types.as_array().is_some_and(|all| all.iter().any(|one| one == "boolean"))
}

fn child(schema: &'static Value, segment: &Segment) -> Option<&'static Value> {
    match segment {
        Segment::Index(_) => schema.get("items"),
        Segment::Key(key) => {
            let named = schema["properties"].get(key);
            named.or_else(|| schema.get("additionalProperties")).filter(|schema| schema.is_object())
        }
    }
}

fn alternatives(schema: &'static Value, members: &[Member]) -> Vec<&'static Value> {
    if !fits(schema, members) {
        return Vec::new();
    }
    let mut found = vec![schema];
    if let Some(target) = schema["$ref"].as_str().and_then(|target| target.strip_prefix('#')) {
        found.extend(root().pointer(target).into_iter().flat_map(|schema| alternatives(schema, members)));
    }
    for kind in ["anyOf", "oneOf", "allOf"] {
        let parts = schema[kind].as_array().into_iter().flatten();
        found.extend(parts.flat_map(|part| alternatives(part, members)));
    }
    found
}

/// Returns true if no constant of a schema differs from the text.
fn fits(schema: &Value, members: &[Member]) -> bool {
    let properties = schema["properties"].as_object().into_iter().flatten();
    let mut constants = properties.filter_map(|(name, schema)| Some((name, schema["const"].as_str()?)));
    constants.all(|(name, constant)| {
        let written = members.iter().find(|(member, _)| member == name).and_then(|(_, text)| text.as_deref());
        // A text that is still being typed selects nothing.
        written.is_none_or(|written| written == constant || !is_kind(written))
    })
}

fn is_kind(text: &str) -> bool {
    text == "query" || becket_model::table::HandlerKind::ALL.iter().any(|kind| kind.name() == text)
}
