//! Small settings files and their findings: the codes, the places, and the handlers that are left.

use crate::config::support::Machine;
use becket_engine::config::{Diagnostic, lint, resolve};
use serde_json::{Value, json};

const CASES: &str = include_str!("../../cases/config-findings.json");

fn found(diagnostics: &[Diagnostic]) -> Vec<String> {
    let line = |d: &Diagnostic| format!("{}:{} {} {}", d.line, d.column, d.severity, d.code);
    let mut lines: Vec<String> = diagnostics.iter().map(line).collect();
    lines.dedup();
    lines
}

fn actual(case: &Value) -> Value {
    let machine = Machine::new();
    let lines: Vec<&str> =
        case["text"].as_array().unwrap().iter().map(|line| line.as_str().unwrap()).collect();
    machine.settings(case["in"].as_str().unwrap_or("user"), lines.join("\n"));
    let loaded = machine.loaded();
    let config = resolve(&loaded);
    for diagnostic in config.diagnostics.iter().chain(&lint(&loaded)) {
        well_worded(diagnostic, lines.join("\n").len());
    }
    let handlers: Vec<String> =
        config.hooks.all().map(|handler| format!("{} {}", handler.event, handler.place.label)).collect();
    json!({
        "found": found(&config.diagnostics),
        "lint": found(&lint(&loaded)),
        "runs": handlers,
        "stops": config.stops_start.is_some(),
    })
}

/// Checks the rules for every finding, whatever its message.
fn well_worded(diagnostic: &Diagnostic, length: usize) {
    let message = &diagnostic.message;
    assert!(!message.ends_with('.') && !message.starts_with(char::is_uppercase), "{diagnostic}");
    assert!(diagnostic.span.start <= diagnostic.span.end && diagnostic.span.end <= length, "{diagnostic}");
    assert!(diagnostic.code.bytes().all(|b| b.is_ascii_lowercase() || b == b'-'), "{diagnostic}");
}

#[test]
fn every_case_is_found_as_written() {
    let cases: Vec<Value> = serde_json::from_str(CASES).unwrap();
    assert!(cases.len() > 70, "{}", cases.len());
    let mut wrong = Vec::new();
    for case in &cases {
        let actual = actual(case);
        for key in ["found", "lint", "runs", "stops"] {
            let default = if key == "stops" { json!(false) } else { json!([]) };
            let expected = case.get(key).unwrap_or(&default);
            if *expected != actual[key] {
                wrong.push(format!("{}: {key}: expected {expected}, got {}", case["name"], actual[key]));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
