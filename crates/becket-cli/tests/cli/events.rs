//! `events`, `check-output`, `schema`, completions and manual pages.

use crate::env;
use becket_model::EventKind;
use serde_json::Value;
use snapbox::{assert_data_eq, file};

#[test]
fn every_event_has_its_line_and_its_page() {
    let env = env();
    let list = env.becket(["events"]).run().stdout;
    for kind in EventKind::ALL {
        assert!(list.lines().any(|line| line.split_whitespace().next() == Some(kind.name())), "{kind}");
        let page = env.becket(["events", kind.name()]).run();
        assert_eq!(page.code, Some(0));
        for field in kind.spec().input.iter().chain(kind.spec().output) {
            assert!(page.stdout.contains(field.name), "{kind}: {}", field.name);
        }
    }
    assert_data_eq!(env.becket(["events", "PreToolUse"]).run().stdout, file!["snapshots/event.txt"].raw());
}

// rules: O3, O4, O5, O6
#[test]
fn check_output_says_how_an_output_is_taken() {
    let env = env();
    for (event, exit, stdout, code, said) in [
        ("PreToolUse", "2", "", 0, "deny  the model reads:\n    no"),
        ("PreToolUse", "0", "", 0, "silent: no decision"),
        ("PreToolUse", "1", "", 1, "an error: it ended with exit code 1"),
        ("PreToolUse", "0", "{\"a\": }", 1, "goes unchecked: it printed invalid JSON"),
        ("PreToolUse", "127", "{}", 1, "goes unchecked"),
        (
            "PreToolUse",
            "0",
            r#"{"permisionDecision": "deny"}"#,
            1,
            "`permisionDecision` has no effect there: answer `hookSpecificOutput.permissionDecision`",
        ),
        ("PreToolUse", "0", r#"{"hookSpecificOutput": {"hookEventName": "Stop"}}"#, 1, "answered for `Stop`"),
        ("Stop", "0", r#"{"decision": "block", "reason": "more"}"#, 0, "block  the model reads:\n    more"),
        ("UserPromptSubmit", "0", "plain words", 0, "context  the model reads:\n    plain words"),
        ("SessionEnd", "0", r#"{"continue": false}"#, 1, "ignored:"),
        ("PreToolUse", "0", r#"{"permissionDecision": "deny"}"#, 1, "put it inside `hookSpecificOutput`"),
    ] {
        let run = env.becket(["check-output", event, "--exit", exit, "--stderr", "no"]).stdin(stdout);
        let ended = run.run();
        assert_eq!(ended.code, Some(code), "{event} {exit} {stdout}: {ended:?}");
        assert!(ended.stdout.contains(said), "{event} {exit} {stdout}: {ended:?}");
    }
}

#[test]
fn every_schema_is_json() {
    let env = env();
    let mut all = vec![vec!["schema", "settings"], vec!["schema", "report"]];
    for kind in EventKind::ALL {
        all.push(vec!["schema", "input", kind.name()]);
        all.push(vec!["schema", "output", kind.name()]);
    }
    for arguments in all {
        let ended = env.becket(&arguments).run();
        assert_eq!(ended.code, Some(0), "{arguments:?} {ended:?}");
        let schema: Value = serde_json::from_str(&ended.stdout).expect("JSON");
        assert!(schema.get("$schema").is_some(), "{arguments:?}");
    }
}

/// Asserts that each report names a variant of the schema, and has exactly the fields that the schema requires.
#[test]
fn reports_have_the_fields_of_their_schema() {
    let env = env();
    let schema: Value = serde_json::from_str(&env.becket(["schema", "report"]).run().stdout).expect("JSON");
    let variants = schema["oneOf"].as_array().expect("one variant for each report");
    for arguments in [
        &["fire", "Stop", "--json"][..],
        &["explain", "Stop", "--json"],
        &["list", "--json"],
        &["check", "--json"],
        &["check-output", "Stop", "--json"],
        &["events", "Stop", "--json"],
    ] {
        let report: Value = serde_json::from_str(&env.becket(arguments).run().stdout).expect("JSON");
        let variant = variants
            .iter()
            .find(|variant| variant["properties"]["report"]["const"] == report["report"])
            .unwrap_or_else(|| panic!("{arguments:?}: {}", report["report"]));
        let required: Vec<&str> = required(&schema, variant);
        for name in &required {
            assert!(report.get(name).is_some(), "{arguments:?}: {name}");
        }
        assert!(required.len() > 1, "{variant}");
    }
}

fn required<'v>(schema: &'v Value, variant: &'v Value) -> Vec<&'v str> {
    let names = |value: &'v Value| {
        value["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect::<Vec<_>>()
    };
    let mut all = names(variant);
    if let Some(name) = variant["$ref"].as_str().and_then(|path| path.rsplit('/').next()) {
        all.extend(names(&schema["$defs"][name]));
    }
    all
}

#[test]
fn completions_and_manual_pages_are_made() {
    let env = env();
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let ended = env.becket(["completions", shell]).run();
        assert!(ended.code == Some(0) && ended.stdout.contains("check-output"), "{shell} {ended:?}");
    }
    assert!(env.becket(["man"]).run().stdout.contains(".TH becket 1"));
    assert_eq!(env.becket(["man", "pages"]).run().code, Some(0));
    for page in ["becket.1", "becket-fire.1", "becket-check-output.1"] {
        assert!(env.project().join("pages").join(page).is_file(), "{page}");
    }
}
