//! Edit with real files, and the file tools with all checks.

use crate::support::Tree;
use crate::support::calls::{Place, call_of, hooks, run};
use crate::support::in_session::{InSession, run_cases};
use becket_agent::tool_call::{CallEnd, DeniedBy, ToolCalls};
use becket_engine::ToolSet;
use becket_tools::{Surroundings, file_tools};
use serde_json::{Value, json};
use std::fs;

// rules: N3, D9 (each case names its own)
#[tokio::test]
async fn the_table() {
    run_cases(include_str!("../cases/edit.json"), "Edit").await;
}

#[tokio::test]
async fn bytes_that_are_no_text_stay() {
    let tree = Tree::new();
    let file = tree.write("work/latin", b"gr\xfc\xdf\na\r\nb\xff\r\n");
    let here = InSession::new(&tree);
    here.read(&tree, "work/latin").await;
    let input = json!({"file_path": file, "old_string": "\na\n", "new_string": "\nc\nd\n"});
    let output = here.call("Edit", input).await.unwrap();
    assert_eq!(fs::read(&file).unwrap(), b"gr\xfc\xdf\nc\r\nd\r\nb\xff\r\n");
    assert_eq!(output.as_text(), format!("The file `{}` was edited.", file.display()));
}

// rule: D11
#[test]
fn an_output_is_replaced_only_by_one_of_its_shape() {
    let here = InSession::new(&Tree::new());
    for (tool, value, fits) in [
        ("Edit", json!({"filePath": "x", "structuredPatch": [], "replaceAll": false}), true),
        ("Edit", json!({"filePath": "x"}), false),
        ("Edit", json!("edited"), false),
        ("Write", json!({"type": "create", "filePath": "x"}), true),
        ("Write", json!({"type": "made", "filePath": "x"}), false),
        ("Read", json!({"type": "text"}), false),
    ] {
        assert_eq!(here.tools.find(tool).unwrap().replaced(&value).is_ok(), fits, "{tool} {value}");
    }
}

/// Returns the calls of a session's tools under hooks and rules.
fn calls_under(place: &Place, settings: &Value) -> ToolCalls {
    let tools = ToolSet::new(file_tools(Surroundings::new(place.environment())));
    ToolCalls::new(place.engine(settings, false, &tools), tools)
}

// rules: N3, L1
#[tokio::test]
async fn hooks_see_an_absolute_path_and_the_response_has_the_models_own() {
    let place = Place::new();
    let settings = hooks(&[("PreToolUse", &["cat > $HERE/pre"]), ("PostToolUse", &["cat > $HERE/post"])]);
    let calls = calls_under(&place, &settings);
    let session = place.session(Some("acceptEdits"));
    let report =
        run(&calls, &session, call_of("Write", json!({"file_path": "a.txt", "content": "one\n"}))).await;
    assert!(matches!(report.ended, CallEnd::Done { .. }), "{:?}", report.ended);
    let seen = |file: &str| -> Value { serde_json::from_str(&place.read(file)).unwrap() };
    assert_eq!(seen("pre")["tool_input"]["file_path"], json!(place.dir.join("a.txt")));
    assert_eq!(seen("post")["tool_response"]["filePath"], "a.txt");
    let edit = json!({"file_path": "~/../a.txt", "old_string": "one", "new_string": "two"});
    let report = run(&calls, &session, call_of("Edit", edit)).await;
    assert!(matches!(report.ended, CallEnd::Done { .. }), "{:?}", report.ended);
    assert_eq!(seen("pre")["tool_input"]["replace_all"], false);
    assert_eq!(seen("post")["tool_response"]["filePath"], "~/../a.txt");
    assert_eq!(place.read("a.txt"), "two\n");
    let keys = |value: &Value| value.as_object().unwrap().keys().cloned().collect::<Vec<_>>().join(" ");
    assert_eq!(
        keys(&seen("post")["tool_response"]),
        "filePath oldString newString originalFile structuredPatch userModified replaceAll"
    );
    let read = run(&calls, &session, call_of("Read", json!({"file_path": "./a.txt"}))).await;
    assert!(matches!(read.ended, CallEnd::Done { .. }), "{:?}", read.ended);
    assert_eq!(seen("post")["tool_response"]["file"]["filePath"], "./a.txt");
}

// rules: P14, P11
#[tokio::test]
async fn a_mode_lets_edits_pass_as_far_as_they_reach() {
    let allow = json!({"permissions": {"allow": ["Edit"]}});
    for (mode, settings, path, runs) in [
        ("default", json!({}), "x", false),
        ("acceptEdits", json!({}), "x", true),
        ("acceptEdits", json!({}), "../x", false),
        ("acceptEdits", json!({}), ".git/config", false),
        ("acceptEdits", json!({}), ".claude/settings.json", false),
        ("plan", allow.clone(), "x", false),
        ("default", allow.clone(), "x", true),
        ("default", allow.clone(), ".bashrc", false),
        ("acceptEdits", allow, ".claude/settings.json", false),
        ("bypassPermissions", json!({}), ".claude/settings.json", true),
        ("dontAsk", json!({}), "x", false),
        ("acceptEdits", json!({"permissions": {"deny": ["Read(./x)"]}}), "x", false),
    ] {
        let place = Place::new();
        let inner = place.dir.join("inner");
        fs::create_dir_all(&inner).unwrap();
        let calls = calls_under(&place, &settings);
        let mut session = place.session(Some(mode));
        session.cwd.clone_from(&inner);
        let input = json!({"file_path": path, "content": "x"});
        let report = run(&calls, &session, call_of("Write", input)).await;
        assert_eq!(matches!(report.ended, CallEnd::Done { .. }), runs, "{mode} {path}: {:?}", report.ended);
        assert_eq!(inner.join(path).exists(), runs, "{mode} {path}");
    }
}

// rule: L0
#[tokio::test]
async fn a_path_that_can_only_be_a_directory_is_refused() {
    let place = Place::new();
    let calls = calls_under(&place, &json!({}));
    let session = place.session(Some("acceptEdits"));
    for path in ["emp/", "emp/.", "emp//", "new/emp/", "new/..", "."] {
        let report =
            run(&calls, &session, call_of("Write", json!({"file_path": path, "content": "x"}))).await;
        let CallEnd::Invalid { error } = &report.ended else { panic!("{path}: {:?}", report.ended) };
        assert!(error.contains("can only be a directory: name a file"), "{error}");
    }
    assert!(!place.dir.join("emp").exists() && !place.dir.join("new").exists());
}

// rule: L0
#[tokio::test]
async fn an_input_that_does_not_fit_is_seen_by_no_hook() {
    let place = Place::new();
    let calls = calls_under(&place, &hooks(&[("PreToolUse", &["cat > $HERE/pre"])]));
    let session = place.session(Some("acceptEdits"));
    let report = run(&calls, &session, call_of("Edit", json!({"file_path": "x"}))).await;
    assert!(matches!(report.ended, CallEnd::Invalid { .. }), "{:?}", report.ended);
    assert_eq!(place.read("pre"), "");
    let denied =
        run(&calls, &place.session(None), call_of("Write", json!({"file_path": "x", "content": ""}))).await;
    assert!(matches!(denied.ended, CallEnd::Denied { by: DeniedBy::Nobody, .. }), "{:?}", denied.ended);
}
