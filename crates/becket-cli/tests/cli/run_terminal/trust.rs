//! Before anything in a folder runs, the user confirms that they trust it.

use super::place::{Place, hook, is_asking_for_a_prompt};
use becket_testkit::proc::wait_until;
use serde_json::{Value, json};

fn place() -> Place {
    let place = Place::new(&hook("SessionStart", "touch ran"), &json!([{"text": "Hello."}]));
    place.env.write("home/.claude.json", r#"{"theme": "dark"}"#);
    let server = json!({"mcpServers": {"it": {"command": "sh", "args": ["-c", "touch served; cat"]}}});
    place.env.write("project/.mcp.json", server.to_string());
    place
}

// rule: G3
#[test]
fn nothing_runs_in_a_folder_that_is_not_trusted() {
    for keys in [&["Enter"][..], &["1", "Enter"], &["Escape"], &["C-c"], &["C-d"]] {
        let place = place();
        let walk = place.walk();
        walk.begins("'hi'");
        walk.sees_words("Do you trust what is in this folder?");
        walk.answers(keys);
        let screen = walk.is_over(1);
        assert!(screen.contains("nothing was run"), "{keys:?}: {screen}");
        assert!(!place.has("ran") && !place.has("served"), "{keys:?}");
        assert_eq!(place.text("home/.claude.json"), r#"{"theme": "dark"}"#);
        assert!(!place.env.root().join("home/.becket").exists(), "{keys:?}");
    }
}

// rule: G3
#[test]
fn trust_is_remembered() {
    let place = place();
    let walk = place.walk();
    walk.begins("");
    walk.sees_words("Do you trust what is in this folder?");
    assert!(!place.has("ran") && !place.has("served"));
    walk.answers(&["2"]);
    // A single key does not grant trust.
    walk.sees_words("❯ 2. yes, and remember it");
    assert!(!place.has("ran"));
    walk.terminal.presses(&["Enter"]);
    walk.sees(is_asking_for_a_prompt);
    assert!(wait_until(|| place.has("ran")));
    let known: Value = serde_json::from_str(&place.text("home/.claude.json")).expect("JSON");
    let folder = place.env.project().to_string_lossy().into_owned();
    let expected = json!({"theme": "dark", "projects": {folder: {"hasTrustDialogAccepted": true}}});
    assert_eq!(known, expected);
    walk.leaves();
    walk.starts("");
    let screen = walk.leaves();
    assert!(!screen.contains("Do you trust"), "{screen}");
}

// rule: G3
#[test]
fn nobody_is_asked_to_trust_a_folder_for_a_session_without_a_model() {
    let place = place();
    let walk = place.walk();
    walk.terminal.types(&walk.terminal.becket("run --model no-such-provider::x"));
    let screen = walk.is_over(1);
    assert!(!screen.contains("Do you trust"), "{screen}");
    assert_eq!(place.text("home/.claude.json"), r#"{"theme": "dark"}"#);
}
