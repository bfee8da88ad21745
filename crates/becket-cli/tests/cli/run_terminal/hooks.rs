//! Hooks at a terminal: displayed texts, notifications, escape sequences, servers that ask.

use super::place::{Place, hook, is_done};
use becket_testkit::proc::wait_until;
use serde_json::{Value, json};
use std::process::Command;

// rule: D11
#[test]
fn what_a_hook_leaves_of_an_answer_is_what_is_shown() {
    let show = r#"input=$(cat); printf '%s\n' "$input" >>seen
        case $input in *secret*) echo '{"hookSpecificOutput": {"hookEventName": "MessageDisplay", "displayContent": "(hidden)"}}';; esac"#;
    let place =
        Place::new(&hook("MessageDisplay", show), &json!([{"text": "the secret\nlast"}, {"text": "plain"}]));
    let walk = place.walk();
    walk.starts("");
    walk.says("go");
    let screen = walk.sees(is_done);
    assert!(screen.contains("(hidden)\nlast\n") && !screen.contains("secret"), "{screen}");
    walk.says("more");
    walk.sees(|screen| screen.contains("\nplain\n") && is_done(screen));
    let seen: Vec<Value> =
        place.text("project/seen").lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let told: Vec<Value> = seen.iter().map(|one| json!([one["index"], one["final"], one["delta"]])).collect();
    assert_eq!(
        told,
        [json!([0, false, "the secret\n"]), json!([1, true, "last"]), json!([0, true, "plain"])],
        "{seen:?}"
    );
    assert_eq!(seen[0]["message_id"], seen[1]["message_id"]);
    assert_ne!(seen[1]["message_id"], seen[2]["message_id"]);
    walk.leaves();
}

#[test]
fn hooks_are_told_that_a_permission_is_waited_for() {
    let turns = json!([
        {"tool_uses": [{"id": "t1", "name": "Bash", "input": {"command": "touch it"}}]}, {"text": "Enough."}
    ]);
    // A failure of a Notification hook is ignored.
    let place = Place::new(&hook("Notification", "cat >>told; echo no >&2; exit 2"), &turns);
    let walk = place.walk();
    walk.begins("go");
    walk.sees_words("permission: Bash");
    assert!(!place.has("told"));
    assert!(wait_until(|| place.text("project/told").ends_with('\n')));
    let told: Value = serde_json::from_str(&place.text("project/told")).expect("JSON");
    assert_eq!(told["notification_type"], "permission_prompt");
    assert_eq!(told["message"], "Becket needs your permission to use Bash");
    let keys: Vec<&str> = told.as_object().into_iter().flatten().map(|(name, _)| name.as_str()).collect();
    let own = ["hook_event_name", "message", "notification_type"];
    assert_eq!(keys, [&["session_id", "transcript_path", "cwd", "prompt_id"], &own[..]].concat());
    walk.answers(&["1", "Enter"]);
    walk.sees(is_done);
    assert!(place.has("it"));
    walk.leaves();
}

// rule: O7
#[test]
fn a_sequence_of_the_allowed_ones_reaches_the_terminal_and_no_other() {
    let says = |sequence: &str| json!({"terminalSequence": sequence}).to_string();
    let command =
        format!("cat >/dev/null; printf '%s' '{}'", says("\u{1b}]2;the title\u{7}").replace('\\', "\\\\"));
    let other = format!("cat >/dev/null; printf '%s' '{}'", says("\u{1b}[2J").replace('\\', "\\\\"));
    let run = |command: &str| json!({"type": "command", "command": command.replace("\\\\", "\\")});
    let settings = json!({"hooks": {"UserPromptSubmit": [{"hooks": [run(&command), run(&other)]}]}});
    let place = Place::new(&settings, &json!([{"text": "Hello."}]));
    let walk = place.walk();
    walk.starts("");
    walk.says("go");
    walk.sees(is_done);
    let title = || {
        let mut command = Command::new("tmux");
        command.arg("-S").arg(place.env.root().join("tmux.socket"));
        let output =
            command.args(["display-message", "-p", "#{pane_title}"]).output().expect("tmux is there");
        String::from_utf8_lossy(&output.stdout).trim().to_owned()
    };
    assert!(wait_until(|| title() == "the title"), "{}", title());
    let screen = walk.leaves();
    assert!(screen.contains("> go"), "the screen was not cleared: {screen}");
}

/// A server whose only tool asks the user to fill in a form.
const SERVER: &str = r#"
import json, sys
schema = {"type": "object", "required": ["name", "age"], "properties": {
    "name": {"type": "string", "title": "Name", "description": "as on the door"},
    "age": {"type": "integer", "minimum": 18, "default": 17},
    "news": {"type": "boolean", "default": False},
    "size": {"type": "string", "enum": ["s", "m", "l"], "default": "m"}}}
def say(message): print(json.dumps(message), flush=True)
call = None
for line in sys.stdin:
    message = json.loads(line)
    method, id = message.get("method"), message.get("id")
    if method == "initialize":
        say({"jsonrpc": "2.0", "id": id, "result": {"protocolVersion": message["params"]["protocolVersion"],
            "capabilities": {"tools": {}}, "serverInfo": {"name": "forms", "version": "1"}}})
    elif method == "tools/list":
        say({"jsonrpc": "2.0", "id": id, "result": {"tools": [
            {"name": "ask", "description": "asks", "inputSchema": {"type": "object"}}]}})
    elif method == "tools/call":
        call = id
        say({"jsonrpc": "2.0", "id": 99, "method": "elicitation/create", "params": {
            "message": "Who are\x1b[2J you?", "requestedSchema": schema}})
    elif id == 99:
        text = json.dumps(message.get("result"), sort_keys=True)
        say({"jsonrpc": "2.0", "id": call, "result": {"content": [{"type": "text", "text": text}]}})
    elif id is not None:
        say({"jsonrpc": "2.0", "id": id, "error": {"code": -32601, "message": "no such method"}})
"#;

fn asks(expected: &str) -> Place {
    let turns = json!([
        {"tool_uses": [{"id": "t1", "name": "mcp__forms__ask", "input": {}}]},
        {"text": "Heard.", "expect": [expected]}
    ]);
    let place = Place::new(&json!({"permissions": {"allow": ["mcp__forms"]}}), &turns);
    place.env.write("project/server.py", SERVER);
    place
}

const CONFIG: &str =
    r#"--mcp-config '{"mcpServers": {"forms": {"command": "python3", "args": ["server.py"]}}}' --"#;

// rule: X6
#[test]
fn a_server_asks_for_a_form() {
    let place =
        asks(r#"{"action": "accept", "content": {"age": 21, "name": "Ada", "news": false, "size": "l"}}"#);
    let walk = place.walk();
    walk.begins(&format!("{CONFIG} go"));
    let screen = walk.sees_words("the server `forms` asks");
    assert!(screen.contains("Who are\\u{1b}[2J you?"), "{screen}");
    walk.answers(&["1", "Enter"]);
    walk.sees_words("as on the door");
    walk.types("Ada");
    walk.answers(&["Enter"]);
    walk.sees_words("❯ 17▏");
    walk.answers(&["Enter"]);
    walk.sees(|screen| screen.contains("not as it should be:") && screen.contains("❯ 17▏"));
    walk.terminal.presses(&["C-u"]);
    walk.types("21");
    walk.answers(&["Enter"]);
    walk.sees_words("❯ 2. no");
    walk.answers(&["Enter"]);
    walk.sees_words("❯ 2. m");
    walk.answers(&["3", "Enter"]);
    walk.sees(|screen| screen.contains("Heard.") && is_done(screen));
    walk.leaves();
}

// rule: X6
#[test]
fn a_server_hears_a_no_and_a_person_who_does_not_answer() {
    for (keys, expected) in [(&["2", "Enter"][..], "decline"), (&["Escape"], "cancel")] {
        let place = asks(&format!(r#"{{"action": "{expected}"}}"#));
        let walk = place.walk();
        walk.begins(&format!("{CONFIG} go"));
        walk.sees_words("the server `forms` asks");
        walk.answers(keys);
        walk.sees(|screen| screen.contains("Heard.") && is_done(screen));
        walk.leaves();
    }
}
