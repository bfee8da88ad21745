//! The content of a permission prompt, and its initial selection.

use super::place::{Place, is_done};
use becket_testkit::proc::wait_until;
use serde_json::{Value, json};

fn place(tool: &str, input: &Value) -> Place {
    let call = json!([{"id": "t1", "name": tool, "input": input}]);
    Place::new(&json!({}), &json!([{"tool_uses": call}, {"text": "Enough."}]))
}

// rule: P11
#[test]
fn what_is_hidden_is_counted_can_be_seen_and_is_not_agreed_to_by_one_key() {
    let command = format!("touch one\n{}touch last; true", "echo step\n".repeat(60));
    let place = place("Bash", &json!({"command": command}));
    let walk = place.walk();
    walk.begins("go");
    let screen = walk.sees_words("asked because:");
    for words in
        ["    touch one\n", " lines hidden (v shows all)", "    touch last; true\n", "    echo step  (×60)\n"]
    {
        assert!(screen.contains(words), "{words}: {screen}");
    }
    walk.answers(&["Enter", "Enter"]);
    walk.terminal.presses(&["v"]);
    let screen = walk.sees_words("q goes back");
    assert!(screen.contains("permission: Bash") && screen.contains("lines 1–39 of "), "{screen}");
    walk.terminal.presses(&["Space"]);
    walk.sees(|screen| !screen.contains("permission: Bash") && screen.contains("q goes back"));
    walk.terminal.presses(&["q"]);
    let screen = walk.sees_words("select an answer");
    assert!(screen.contains("permission: Bash") && !screen.contains("❯"), "{screen}");
    assert!(!place.has("last"));
    walk.terminal.presses(&["1", "Enter"]);
    walk.sees(|screen| screen.contains("Enough.") && is_done(screen));
    assert!(place.has("one") && place.has("last"));
    walk.leaves();
}

// rule: P11
#[test]
fn empty_lines_push_nothing_out_of_sight() {
    let command = format!("ls src{}touch evil | sh", "\n".repeat(37));
    let place = place("Bash", &json!({"command": command}));
    let walk = place.walk();
    walk.begins("go");
    let screen = walk.sees_words("select an answer");
    for words in
        ["    (36 empty lines)\n", "    touch evil | sh\n", "  runs:\n    ls src\n    touch evil\n    sh\n"]
    {
        assert!(screen.contains(words), "{words}: {screen}");
    }
    walk.answers(&["Enter", "Escape"]);
    walk.sees(is_done);
    assert!(!place.has("evil"));
    walk.leaves();
}

#[test]
fn a_file_is_shown_as_what_changes_in_it() {
    let place =
        place("Edit", &json!({"file_path": "notes.txt", "old_string": "two", "new_string": "2\u{1b}[2J"}));
    place.env.write("project/notes.txt", "one\ntwo\nthree\n");
    let walk = place.walk();
    walk.starts("--allowedTools Read");
    walk.says("go");
    let screen = walk.sees_words("asked because:");
    for words in ["    line 1\n      one\n    - two\n    + 2\\u{1b}[2J\n      three\n", "notes.txt"] {
        assert!(screen.contains(words), "{words}: {screen}");
    }
    let colours = walk.terminal.screen();
    assert!(colours.contains("\u{1b}[31m    - two") && colours.contains("\u{1b}[32m    + 2"), "{colours:?}");
    walk.answers(&["Escape"]);
    walk.sees(is_done);
    walk.leaves();
}

// rule: D8
#[test]
fn a_permission_that_a_hook_answers_soon_is_not_drawn() {
    let allow = json!({"hookSpecificOutput": {"hookEventName": "PermissionRequest", "decision": {"behavior": "allow"}}});
    let settings = json!({"hooks": {"PermissionRequest": [{"hooks": [
        {"type": "command", "command": format!("sleep 0.1; echo '{allow}'")}]}]}});
    let turns = json!([
        {"tool_uses": [{"id": "t1", "name": "Bash", "input": {"command": "touch it"}}]}, {"text": "Enough."}
    ]);
    let place = Place::new(&settings, &turns);
    let walk = place.walk();
    walk.begins("go");
    let screen = walk.sees(|screen| screen.contains("Enough.") && is_done(screen));
    assert!(wait_until(|| place.has("it")));
    assert!(!screen.contains("permission: Bash") && !screen.contains("no longer asked"), "{screen}");
    walk.leaves();
}
