//! Every kind of line that a run prints has the fields that the guide names, in the order that scripts expect.

use crate::run::{lines, run, scripted};
use crate::workspace;
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;
use std::fs;

/// The keys of each kind of line; see the file itself.
const LINES: &str = include_str!("../cases/run_lines.json");

fn expected() -> Map<String, Value> {
    let file: Value = serde_json::from_str(LINES).expect("it is JSON");
    file["lines"].as_object().expect("lines by kind").clone()
}

fn names(keys: &Value) -> impl Iterator<Item = (&str, bool)> {
    let names = keys.as_array().into_iter().flatten().filter_map(Value::as_str);
    names.map(|name| name.strip_suffix('?').map_or((name, false), |name| (name, true)))
}

fn kind(line: &Value) -> String {
    let subtype = line["subtype"].as_str().filter(|_| line["type"] == "system");
    let of = line["type"].as_str().expect("a type");
    subtype.map_or_else(|| of.to_owned(), |subtype| format!("{of}/{subtype}"))
}

fn has_keys(line: &Value, expected: &Value) -> bool {
    let mut found = line.as_object().into_iter().flatten().map(|(key, _)| key.as_str()).peekable();
    let in_order =
        names(expected).all(|(name, may_be_missing)| found.next_if_eq(&name).is_some() || may_be_missing);
    in_order && found.next().is_none()
}

/// Returns the lines of two prompts with a compaction between them: every kind of line occurs.
fn every_kind_of_line() -> Vec<Value> {
    let hook = |command: &str| json!([{"hooks": [{"type": "command", "command": command}]}]);
    let settings = json!({
        "permissions": {"allow": ["Bash(sleep *)"]},
        "hooks": {
            "PreToolUse": hook("echo '{\"systemMessage\": \"mind the gap\"}'"),
            "Stop": hook("test -e stopped || { touch stopped; echo 'not yet' >&2; exit 2; }"),
        }
    });
    let background = json!({"command": "sleep 0.05", "run_in_background": true});
    let turns = json!([
        {"text": "I go.", "tool_uses": [{"id": "t1", "name": "Bash", "input": background}]},
        {"tool_uses": [{"id": "t2", "name": "Bash", "input": {"command": "sleep 0.5"}}]},
        {"error": {"kind": "overloaded"}},
        {"text": "Done."},
        {"text": "Done, really."},
        {"text": "<summary>All was done.</summary>"},
    ]);
    let env = scripted(&settings, &turns);
    let arguments = [
        "-p",
        "--input-format",
        "stream-json",
        "--output-format",
        "stream-json",
        "--include-hook-events",
        "--include-partial-messages",
    ];
    let line = |text: &str| json!({"type": "user", "message": {"role": "user", "content": text}}).to_string();
    let ended = run(&env, &arguments).stdin(format!("{}\n{}\n", line("go"), line("/compact"))).run();
    assert_eq!(ended.code, Some(0), "{ended:?}");
    lines(&ended)
}

#[test]
fn every_kind_of_line_has_the_fields_that_the_guide_names() {
    // rules: H13, L4, L8
    let (expected, all) = (expected(), every_kind_of_line());
    for line in &all {
        let keys = expected.get(&kind(line)).unwrap_or_else(|| panic!("nobody knows this kind: {line}"));
        assert!(has_keys(line, keys), "{line}");
    }
    let seen: BTreeSet<String> = all.iter().map(kind).collect();
    let known: BTreeSet<String> = expected.keys().cloned().collect();
    assert_eq!(seen, known, "each kind is seen");
    let ids: BTreeSet<&str> = all.iter().filter_map(|line| line["uuid"].as_str()).collect();
    assert_eq!(ids.len(), all.len(), "each line has an id of its own");
}

#[test]
fn the_guide_names_every_field() {
    let guide = fs::read_to_string(workspace().join("docs/guide/run.md")).expect("the guide is there");
    let part = guide.split_once("### Line by line").expect("the part about lines").1;
    let part = part.split_once("\n## ").expect("it ends").0;
    for (kind, keys) in expected() {
        let subtype = kind.split_once('/').map_or(kind.as_str(), |(_, subtype)| subtype);
        assert!(part.contains(&format!("`{subtype}`")), "{kind}");
        for (name, _) in names(&keys) {
            assert!(
                part.contains(&format!("`{name}`")) || part.contains(&format!("`{name}:")),
                "{kind}: {name}"
            );
        }
    }
}
