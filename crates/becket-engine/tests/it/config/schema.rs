//! The published schema of a settings file rejects what is never loaded, and accepts what is.

use boon::{Compiler, SchemaIndex, Schemas};
use serde_json::Value;

const CASES: &str = include_str!("../../cases/config-findings.json");

/// Findings that a schema can't express: JSON itself, the syntax of expressions and rules, addresses, and everything
/// that depends on the file's origin.
const BEYOND_A_SCHEMA: [&str; 12] = [
    "duplicate-key",
    "invalid-domain",
    "invalid-if",
    "invalid-matcher",
    "invalid-network",
    "invalid-url",
    "missing-hooks-wrapper",
    "not-json",
    "observation-without-end",
    "questions-beside-async",
    "refused-address",
    "user-config-in-shell",
];

fn settings_schema(schemas: &mut Schemas) -> SchemaIndex {
    let (_, schema) =
        becket_model::schema::all().into_iter().find(|(path, _)| path == "settings.json").unwrap();
    let id = schema["$id"].as_str().unwrap().to_owned();
    let mut compiler = Compiler::new();
    compiler.add_resource(&id, schema).unwrap();
    compiler.compile(&id, schemas).unwrap()
}

fn errors(case: &Value) -> Vec<&str> {
    let found = case["found"].as_array().into_iter().flatten().filter_map(Value::as_str);
    found.filter_map(|line| line.split_once(" error ").map(|(_, code)| code)).collect()
}

// rule: C7
#[test]
fn every_case_that_is_not_loaded_is_rejected_and_every_other_accepted() {
    let mut schemas = Schemas::new();
    let schema = settings_schema(&mut schemas);
    let cases: Vec<Value> = serde_json::from_str(CASES).unwrap();
    let mut counts = (0, 0);
    let mut wrong = Vec::new();
    for case in &cases {
        let lines: Vec<&str> = case["text"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
        let Ok(text) = serde_json::from_str::<Value>(&lines.join("\n")) else { continue };
        let errors = errors(case);
        if case["in"] == "manifest" || errors.iter().any(|code| BEYOND_A_SCHEMA.contains(code)) {
            continue;
        }
        let result = schemas.validate(&text, schema);
        // `shell` is not read beside `args`, but an editor should report a wrong one.
        if result.is_ok() != errors.is_empty() && case["name"] != "a wrong shell beside args" {
            wrong.push(format!("{}: {errors:?}, {result:?}", case["name"]));
        }
        if errors.is_empty() { counts.0 += 1 } else { counts.1 += 1 }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(counts.0 > 50 && counts.1 > 25, "{counts:?}");
}

#[test]
fn real_forms_are_accepted() {
    let mut schemas = Schemas::new();
    let schema = settings_schema(&mut schemas);
    for text in [
        r#"{"permissions": {"allow": ["Bash(ls *)"]}, "model": "x", "theme": "dark"}"#,
        r#"{"$schema": "https://example.com/s.json", "hooks": {"Stop": [{"hooks": []}]}}"#,
        r#"{"hooks": {"PreToolUse": [{"matcher": "mcp__.*", "hooks": [
            {"type": "http", "url": "HTTPS://example.com/x", "timeout": 0.5},
            {"type": "command", "command": "x", "if": "Bash(echo $(date) *)"},
            {"type": "prompt", "prompt": "ok? $ARGUMENTS"}]}]}}"#,
    ] {
        let value: Value = serde_json::from_str(text).unwrap();
        assert!(schemas.validate(&value, schema).is_ok(), "{text}: {:?}", schemas.validate(&value, schema));
    }
}
