//! Before anything of a folder runs, its user says that they trust it.

use crate::place::{Place, hook, is_asking_for_a_prompt};
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
    for keys in [&["Enter"][..], &["1"], &["Escape"], &["C-c"], &["C-d"]] {
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
    walk.answers(&["Down", "Enter"]);
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
