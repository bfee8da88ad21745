//! `becket explain --call`: a tool call of a past session.

use crate::env;
use becket_testkit::env::TestEnv;
use serde_json::{Value, json};

const SETTINGS: &str = r#"{"permissions": {"deny": ["Bash(make deploy)"]}, "hooks": {"PreToolUse": [
  {"matcher": "Bash", "hooks": [{"type": "command", "command": "touch ran; exit 2"}]}]}}"#;

/// Creates a project with one hook and a transcript of two calls: one denied by a hook, and one that ran.
fn project() -> TestEnv {
    let env = env();
    env.write("project/.claude/settings.json", SETTINGS);
    let denied = "PreToolUse:Bash hook error: [sh guard.sh]: not with token=hunter2hunter2";
    let mut lines =
        call("toolu_1", "git push --token=hunter2hunter2", json!({"is_error": true, "content": denied}));
    lines.extend(call("toolu_2", "make deploy", json!({"content": "done"})));
    let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
    env.write("project/sessions/s.jsonl", format!("{{\"type\": \"user\", \"mess\n{text}"));
    env
}

fn call(id: &str, command: &str, result: Value) -> Vec<Value> {
    let used = json!([{"type": "tool_use", "id": id, "name": "Bash", "input": {"command": command}}]);
    let mut block = json!({"type": "tool_result", "tool_use_id": id});
    result.as_object().expect("fields").iter().for_each(|(key, value)| block[key] = value.clone());
    let common = json!({"sessionId": "s1", "cwd": "/home/ada/shop", "timestamp": "2026-11-02T10:00:00Z"});
    [("assistant", used), ("user", json!([block]))]
        .into_iter()
        .map(|(role, content)| {
            let mut line = common.clone();
            line["type"] = role.into();
            line["message"] = json!({"role": role, "content": content});
            line
        })
        .collect()
}

fn explained(env: &TestEnv, id: &str) -> Value {
    let ended = env.becket(["--json", "explain", "--call", id, "--transcript", "sessions"]).run();
    assert_eq!(ended.code, Some(0), "{ended:?}");
    serde_json::from_str(&ended.stdout).expect("it is JSON")
}

#[test]
fn a_denied_call_is_shown_with_its_record_and_its_plan_without_running_a_hook() {
    let env = project();
    let report = explained(&env, "toolu_1");
    assert_eq!((&report["report"], &report["session"]), (&json!("explain-call"), &json!("s1")));
    let events = report["events"].as_array().expect("a list");
    assert_eq!(events.len(), 1, "a denied call has no result: {report}");
    assert_eq!(events[0]["line"], 2);
    let recorded = &events[0]["recorded"][0];
    assert_eq!((&recorded["result"], &recorded["command"]), (&json!("denied"), &json!("sh guard.sh")));
    let plan = &events[0]["plan"];
    assert_eq!(plan["runs"][0]["label"], "touch ran; exit 2", "the plan is that of today: {plan}");
    assert!(!report.to_string().contains("hunter2"), "secrets are not copied: {report}");
    let human = env.becket(["explain", "--call", "toolu_1", "--transcript", "sessions/s.jsonl"]).run();
    assert!(human.stdout.contains("PreToolUse  sessions/s.jsonl:2"), "{human:?}");
    assert!(human.stdout.contains("denied  sh guard.sh") && human.stdout.contains("runs"), "{human:?}");
    assert!(!env.project().join("ran").exists(), "no hook runs");
}

#[test]
fn a_call_that_ran_is_shown_with_both_events_and_the_rules_of_today() {
    let report = explained(&project(), "toolu_2");
    let events: Vec<&str> = report["events"]
        .as_array()
        .expect("a list")
        .iter()
        .filter_map(|event| event["plan"]["event"].as_str())
        .collect();
    assert_eq!(events, ["PreToolUse", "PostToolUse"]);
    assert_eq!(report["events"][0]["plan"]["rules"]["settlement"], "denied", "{report}");
}

#[test]
fn an_unknown_call_and_a_missing_transcript_are_errors() {
    let env = project();
    let unknown = env.becket(["explain", "--call", "toolu_9", "--transcript", "sessions"]).run();
    assert_eq!(unknown.code, Some(2), "{unknown:?}");
    assert!(unknown.stderr.contains("there is no tool call `toolu_9` (transcripts read: 1)"), "{unknown:?}");
    let missing = env.becket(["explain", "--call", "toolu_1", "--transcript", "nowhere"]).run();
    assert!(missing.code == Some(2) && missing.stderr.contains("nowhere"), "{missing:?}");
    let none = env.becket(["explain", "--call", "toolu_1"]).run();
    assert!(none.code == Some(2) && none.stderr.contains("there are no transcripts"), "{none:?}");
}
