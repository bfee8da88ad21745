//! The description of the protocol, compared with the protocol.

use super::BECKET;
use becket_testkit::env::TestEnv;
use serde_json::Value;
use std::path::Path;

#[test]
fn the_schema_is_in_step() {
    let printed = TestEnv::new(BECKET).becket(["schema", "rpc"]).run().stdout;
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../schemas/rpc.json");
    let kept = std::fs::read_to_string(file).unwrap_or_default();
    assert!(printed == kept, "schemas/rpc.json is out of step: cargo xtask gen");
}

#[test]
fn every_shape_that_is_named_is_described() {
    let printed = TestEnv::new(BECKET).becket(["schema", "rpc"]).run().stdout;
    let schema: Value = serde_json::from_str(&printed).expect("it is JSON");
    let mut named = Vec::new();
    references(&schema, &mut named);
    assert!(named.len() > 30, "{named:?}");
    for name in named {
        let pointer = name.trim_start_matches('#');
        assert!(schema.pointer(pointer).is_some(), "{name}");
    }
}

fn references<'a>(value: &'a Value, named: &mut Vec<&'a str>) {
    match value {
        Value::Object(fields) => {
            named.extend(fields.get("$ref").and_then(Value::as_str));
            fields.values().for_each(|value| references(value, named));
        }
        Value::Array(values) => values.iter().for_each(|value| references(value, named)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}
