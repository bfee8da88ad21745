//! The host as the responder to permission requests.

use super::host::{Host, matcher};
use super::{bash, place};
use becket_testkit::env::TestEnv;
use serde_json::{Value, json};

const BECKET: &str = env!("CARGO_BIN_EXE_becket");
const STDIO: [&str; 2] = ["--permission-prompt-tool", "stdio"];

/// Creates a model that calls Bash once, which no rule allows.
fn one_call(settings: &Value, expect: &[&str]) -> TestEnv {
    let turns = json!([{"tool_uses": [bash("t1", "touch made")]}, {"text": "Done.", "expect": expect}]);
    place(BECKET, settings, &turns)
}

fn there(env: &TestEnv, file: &str) -> bool {
    env.project().join(file).exists()
}

// rules: D3, P13
#[test]
fn it_is_asked_what_nobody_has_decided_and_its_yes_runs_the_call() {
    let env = one_call(&json!({}), &[]);
    let mut host = Host::initialized(&env, &STDIO, json!({}));
    host.prompt("make it");
    let asked = host.asked("can_use_tool");
    let request = &asked["request"];
    assert_eq!((&request["tool_name"], &request["tool_use_id"]), (&json!("Bash"), &json!("t1")));
    assert_eq!(request["input"]["command"], "touch made");
    assert_eq!(request["permission_suggestions"][0]["type"], "addRules");
    assert!(request["decision_reason"].as_str().is_some_and(|why| why.contains("no rule")), "{request}");
    assert!(!there(&env, "made"));
    host.answers(&asked, json!({"behavior": "allow"}));
    assert_eq!(host.result()["result"], "Done.");
    assert!(there(&env, "made"));
}

// rule: P13
#[test]
fn it_is_told_what_the_call_is_for_and_which_path_is_outside() {
    let read = json!({"id": "t1", "name": "Read", "input": {"file_path": "/etc/hostname"}});
    let described = json!({"id": "t2", "name": "Bash", "input": {"command": "touch made", "description": "Makes a file"}});
    let inside = json!({"id": "t3", "name": "Write", "input": {"file_path": "inside", "content": "x"}});
    let turns = json!([{"tool_uses": [read]}, {"tool_uses": [described]}, {"tool_uses": [inside]}, {"text": "Done."}]);
    let env = place(BECKET, &json!({}), &turns);
    let mut host = Host::initialized(&env, &STDIO, json!({}));
    host.prompt("look");
    for (tool, description, outside) in
        [("Read", None, Some("/etc/hostname")), ("Bash", Some("Makes a file"), None), ("Write", None, None)]
    {
        let asked = host.asked("can_use_tool");
        let request = &asked["request"];
        assert_eq!(request["display_name"], tool);
        assert_eq!(request["title"], format!("Becket needs your permission to use {tool}"));
        assert_eq!(request.get("description").and_then(Value::as_str), description, "{request}");
        assert_eq!(request.get("blocked_path").and_then(Value::as_str), outside, "{request}");
        host.answers(&asked, json!({"behavior": "deny", "message": "no"}));
    }
    assert_eq!(host.result()["result"], "Done.");
}

// rules: D9, P13
#[test]
fn its_rewrite_runs_instead_and_its_rules_hold_from_now_on() {
    let turns = json!([
        {"tool_uses": [bash("t1", "touch made")]},
        {"tool_uses": [bash("t2", "touch again")]},
        {"text": "Done."}
    ]);
    let env = place(BECKET, &json!({}), &turns);
    let mut host = Host::initialized(&env, &STDIO, json!({}));
    host.prompt("make it");
    let asked = host.asked("can_use_tool");
    let rule = json!({"toolName": "Bash", "ruleContent": "touch again"});
    let update = json!({"type": "addRules", "rules": [rule], "behavior": "allow", "destination": "session"});
    host.answers(
        &asked,
        json!({"behavior": "allow", "updatedInput": {"command": "touch instead"}, "updatedPermissions": [update]}),
    );
    host.result();
    let files = ["made", "instead", "again"].map(|file| there(&env, file));
    assert_eq!(files, [false, true, true]);
    let asked = host.seen.iter().filter(|line| line["request"]["subtype"] == "can_use_tool").count();
    assert_eq!(asked, 1, "the rule holds");
}

// rules: D9, P11
#[test]
fn its_rewrite_passes_no_guard() {
    let deny = json!({"permissions": {"deny": ["Bash(touch instead)"]}});
    let guard = r#"grep -q instead && { echo 'not instead' >&2; exit 2; }; exit 0"#;
    let hook = json!({"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": guard}]}]}});
    for (settings, input, told) in [
        (&deny, json!({"command": "touch instead"}), "touch instead"),
        (&hook, json!({"command": "touch instead"}), "not instead"),
        (&json!({}), json!({"comand": "touch instead"}), "rewrote the input"),
    ] {
        let env = one_call(settings, &[told]);
        let mut host = Host::initialized(&env, &STDIO, json!({}));
        host.prompt("make it");
        let asked = host.asked("can_use_tool");
        host.answers(&asked, json!({"behavior": "allow", "updatedInput": input}));
        assert_eq!(host.result()["result"], "Done.", "{settings} {input}");
        assert!(!there(&env, "instead") && !there(&env, "made"), "{settings} {input}");
    }
}

// rule: D9
#[test]
fn a_rewrite_that_a_rule_asks_about_is_asked_about_once_more_and_no_third_time() {
    let settings = json!({"permissions": {"ask": ["Bash(touch instead*)"]}});
    for (second, runs) in [("touch instead", true), ("touch instead2", false)] {
        let env = one_call(&settings, &[]);
        let mut host = Host::initialized(&env, &STDIO, json!({}));
        host.prompt("make it");
        let asked = host.asked("can_use_tool");
        host.answers(&asked, json!({"behavior": "allow", "updatedInput": {"command": "touch instead"}}));
        let again = host.asked("can_use_tool");
        assert_eq!(again["request"]["input"]["command"], "touch instead");
        host.answers(&again, json!({"behavior": "allow", "updatedInput": {"command": second}}));
        host.result();
        assert_eq!((there(&env, "instead"), there(&env, "instead2")), (runs, false), "{second}");
    }
}

/// Malformed answers of a host, and a part of the resulting message to the model.
// rules: D3, D8
#[test]
fn only_a_yes_that_is_understood_whole_is_one() {
    let bad_update = json!([{"type": "addRules", "rules": [], "behavior": "deni", "destination": "session"}]);
    for (answer, told) in [
        (json!({"behavior": "deny", "message": "not that one"}), "not that one"),
        (json!({"behavior": "deny"}), "the user said no"),
        (json!({"behavior": "Allow"}), "must be `allow` or `deny`"),
        (json!({}), "`behavior` of the host's answer is missing"),
        (json!("allow"), "is not an object"),
        (json!({"behavior": "allow", "updatedInput": "touch made"}), "`updatedInput`"),
        (json!({"behavior": "allow", "updatedPermissions": bad_update}), "`updatedPermissions`"),
        (json!({"behavior": "allow", "updatedPermissions": {}}), "must be a list"),
        (Value::Null, "it fell over"),
    ] {
        let env = one_call(&json!({}), &[told]);
        let mut host = Host::initialized(&env, &STDIO, json!({}));
        host.prompt("make it");
        let asked = host.asked("can_use_tool");
        if answer.is_null() {
            host.fails(&asked, "it fell over");
        } else {
            host.answers(&asked, answer.clone());
        }
        let result = host.result();
        assert_eq!(result["result"], "Done.", "{answer}: {result}");
        assert_eq!(result["permission_denials"][0]["tool_use_id"], "t1");
        assert!(!there(&env, "made"), "{answer}");
    }
}

/// Answers with a repeated key, and the key.
// rule: O1
#[test]
fn an_answer_that_says_something_twice_allows_nothing() {
    let allow = r#"{"behavior":"allow"}"#;
    for (answer, told) in [
        (r#""response":{"behavior":"deny","behavior":"allow"}"#.to_owned(), "`behavior` more than once"),
        (r#""response":{"behavior":"allow","behavior":"deny"}"#.to_owned(), "`behavior` more than once"),
        (format!(r#""response":{{"behavior":"deny"}},"response":{allow}"#), "`response` more than once"),
        (format!(r#""subtype":"error","subtype":"success","response":{allow}"#), "`subtype` more than once"),
        (
            r#""response":{"behavior":"allow","updatedInput":{"command":"ls"},"updatedInput":null}"#
                .to_owned(),
            "`updatedInput` more than once",
        ),
    ] {
        let env = one_call(&json!({}), &[told]);
        let mut host = Host::initialized(&env, &STDIO, json!({}));
        host.prompt("make it");
        let id = host.asked("can_use_tool")["request_id"].clone();
        let success = if answer.contains("subtype") { "" } else { r#""subtype":"success","# };
        let response = format!(r#"{{{success}"request_id":{id},{answer}}}"#);
        host.line(&format!(r#"{{"type":"control_response","response":{response}}}"#));
        assert_eq!(host.result()["result"], "Done.", "{answer}");
        assert!(!there(&env, "made"), "{answer}");
    }
}

// rule: D8
#[test]
fn a_no_may_end_the_turn_and_a_hook_that_says_no_takes_the_question_back() {
    let env = one_call(&json!({}), &[]);
    let mut host = Host::initialized(&env, &STDIO, json!({}));
    host.prompt("make it");
    let asked = host.asked("can_use_tool");
    host.answers(&asked, json!({"behavior": "deny", "message": "stop", "interrupt": true}));
    assert_eq!(host.result()["terminal_reason"], "aborted_tools");

    let env = one_call(&json!({}), &["never"]);
    let hooks = json!({"hooks": {"PermissionRequest": [matcher("h", json!({}))]}});
    let mut host = Host::initialized(&env, &STDIO, hooks);
    host.prompt("make it");
    let hook = host.asked("hook_callback");
    let asked = host.asked("can_use_tool");
    let decision = json!({"behavior": "deny", "message": "never"});
    let output = json!({"hookEventName": "PermissionRequest", "decision": decision});
    host.answers(&hook, json!({"hookSpecificOutput": output}));
    let cancelled = host.until(|line| line["type"] == "control_cancel_request");
    assert_eq!(cancelled["request_id"], asked["request_id"]);
    assert_eq!(host.result()["result"], "Done.");
    assert!(!there(&env, "made"));
}

// rule: P11
#[test]
fn without_a_person_nobody_is_asked() {
    let env = one_call(&json!({}), &["there is no user to ask"]);
    let mut host = Host::initialized(&env, &[], json!({}));
    host.prompt("make it");
    assert_eq!(host.result()["result"], "Done.");
    assert!(!there(&env, "made"));
}

// rule: D3
#[test]
fn questions_of_the_model_are_answered_beside_the_yes() {
    let question = json!({"question": "Which till?", "header": "Till", "multiSelect": false,
        "options": [{"label": "left", "description": "the old one"}, {"label": "right", "description": "the new one"}]});
    let call = json!({"id": "q1", "name": "AskUserQuestion", "input": {"questions": [question]}});
    let turns = json!([{"tool_uses": [call]}, {"text": "Done.", "expect": ["the left one"]}]);
    let env = place(BECKET, &json!({}), &turns);
    let mut host = Host::initialized(&env, &STDIO, json!({}));
    host.prompt("which?");
    let asked = host.asked("can_use_tool");
    let mut input = asked["request"]["input"].clone();
    input["answers"] = json!({"Which till?": "the left one"});
    host.answers(&asked, json!({"behavior": "allow", "updatedInput": input}));
    assert_eq!(host.result()["result"], "Done.");
}
