//! Callbacks of a host: those that are answered, and the effect of those that are not.

use super::host::{Host, matcher};
use super::{bash, place};
use becket_testkit::env::TestEnv;
use serde_json::{Value, json};

const BECKET: &str = env!("CARGO_BIN_EXE_becket");

/// Creates a model that calls Bash once, which is allowed, and reports the result.
fn one_call(expect: &[&str]) -> TestEnv {
    let turns = json!([{"tool_uses": [bash("t1", "touch made")]}, {"text": "Done.", "expect": expect}]);
    place(BECKET, &json!({"permissions": {"allow": ["Bash"]}}), &turns)
}

fn made(env: &TestEnv) -> bool {
    env.project().join("made").exists()
}

fn of_event(event: &str, more: Value) -> Value {
    json!({"hooks": {event: [matcher("h", more)]}})
}

// rules: H9, N1
#[test]
fn a_callback_sees_the_input_and_its_answer_counts() {
    let env = one_call(&["not on a Friday"]);
    let mut host = Host::initialized(&env, &[], of_event("PreToolUse", json!({"matcher": "Bash"})));
    host.prompt("make it");
    let asked = host.asked("hook_callback");
    let request = &asked["request"];
    assert_eq!((&request["callback_id"], &request["tool_use_id"]), (&json!("h"), &json!("t1")));
    let input = &request["input"];
    assert_eq!(input["hook_event_name"], "PreToolUse");
    assert_eq!(input["tool_input"]["command"], "touch made");
    assert_eq!(input["cwd"], env.project().display().to_string());
    host.answers(
        &asked,
        json!({"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "deny",
            "permissionDecisionReason": "not on a Friday"}}),
    );
    assert_eq!(host.result()["permission_denials"][0]["tool_use_id"], "t1");
    assert!(!made(&env));
}

// rules: H9, M1
#[test]
fn a_matcher_keeps_other_tools_away_and_an_empty_answer_decides_nothing() {
    let env = one_call(&[]);
    let hooks = json!({"hooks": {"PreToolUse": [matcher("other", json!({"matcher": "Edit|Write"})), matcher("h", json!({}))]}});
    let mut host = Host::initialized(&env, &[], hooks);
    host.prompt("make it");
    let asked = host.asked("hook_callback");
    assert_eq!(asked["request"]["callback_id"], "h");
    host.answers(&asked, json!({}));
    assert_eq!(host.result()["result"], "Done.");
    assert!(made(&env));
}

/// Malformed answers of a host, and a part of the resulting message to the model.
// rule: H9
#[test]
fn what_is_no_answer_denies_the_call() {
    let deny = |answer: Value| Some(answer);
    for (answer, told) in [
        (None, "it fell over"),
        (deny(json!("deny")), "not a JSON object"),
        (deny(json!([])), "not a JSON object"),
        (
            deny(
                json!({"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "Deny"}}),
            ),
            "Deny",
        ),
        (deny(json!({"hookSpecificOutput": {"hookEventName": "PostToolUse"}})), "hookEventName"),
    ] {
        let env = one_call(&[told]);
        let mut host = Host::initialized(&env, &[], of_event("PreToolUse", json!({})));
        host.prompt("make it");
        let asked = host.asked("hook_callback");
        match &answer {
            Some(answer) => host.answers(&asked, answer.clone()),
            None => host.fails(&asked, "it fell over"),
        }
        let result = host.result();
        assert_eq!(result["result"], "Done.", "{answer:?}: {result}");
        assert!(!made(&env), "{answer:?}");
    }
}

// rules: H9, H11
#[test]
fn a_callback_that_takes_too_long_denies_the_call_and_is_taken_back() {
    let env = one_call(&["time"]);
    let mut host = Host::initialized(&env, &[], of_event("PreToolUse", json!({"timeout": 0.2})));
    host.prompt("make it");
    let asked = host.asked("hook_callback");
    let cancelled = host.until(|line| line["type"] == "control_cancel_request");
    assert_eq!(cancelled["request_id"], asked["request_id"]);
    // The answer comes too late.
    host.answers(&asked, json!({}));
    assert_eq!(host.result()["result"], "Done.");
    assert!(!made(&env));
}

// rule: H9
#[test]
fn a_host_that_has_hung_up_answers_nothing_and_the_call_is_denied() {
    let env = one_call(&["can't answer"]);
    let mut host = Host::initialized(&env, &[], of_event("PreToolUse", json!({})));
    host.prompt("make it");
    host.hangs_up();
    assert_eq!(host.result()["result"], "Done.");
    assert!(!made(&env));
    assert_eq!(host.ends().0, Some(0));
}

// rules: H9, O10
#[test]
fn on_failure_block_holds_where_a_failure_would_decide_nothing() {
    let permission = json!({"hooks": {"PermissionRequest": [matcher("allows", json!({})), matcher("h", json!({"onFailure": "block"}))]}});
    for (wants, ran) in [(true, false), (false, true)] {
        let turns = json!([{"tool_uses": [bash("t1", "touch made")]}, {"text": "Done."}]);
        let env = place(BECKET, &json!({}), &turns);
        let mut hooks = permission.clone();
        if !wants {
            hooks["hooks"]["PermissionRequest"][1]["onFailure"] = json!("continue");
        }
        let mut host = Host::initialized(&env, &[], hooks);
        host.prompt("make it");
        for _ in 0..2 {
            let asked = host.asked("hook_callback");
            if asked["request"]["callback_id"] == "allows" {
                let decision = json!({"behavior": "allow"});
                let output = json!({"hookEventName": "PermissionRequest", "decision": decision});
                host.answers(&asked, json!({"hookSpecificOutput": output}));
            } else {
                host.fails(&asked, "it fell over");
            }
        }
        host.result();
        assert_eq!(made(&env), ran, "onFailure block: {wants}");
    }
}

// rule: H9
#[test]
fn a_prompt_is_rejected_where_its_callback_fails() {
    let env = place(BECKET, &json!({}), &json!([{"text": "never"}]));
    let mut host = Host::initialized(&env, &[], of_event("UserPromptSubmit", json!({})));
    host.prompt("hi");
    let asked = host.asked("hook_callback");
    assert_eq!(asked["request"]["input"]["prompt"], "hi");
    host.fails(&asked, "it fell over");
    assert_eq!(host.result()["terminal_reason"], "prompt_rejected");
}

// rule: L0
#[test]
fn the_first_events_of_a_session_reach_callbacks_before_initialize_is_answered() {
    let env = place(BECKET, &json!({}), &json!([{"text": "Hello.", "expect": ["the till is open"]}]));
    let mut host = Host::start(&env, &[]);
    let id = host.request("initialize", of_event("SessionStart", json!({})));
    let asked = host.asked("hook_callback");
    let output = json!({"hookEventName": "SessionStart", "additionalContext": "the till is open"});
    host.answers(&asked, json!({"hookSpecificOutput": output}));
    assert_eq!(host.answer_to(&id)["response"]["hooks_applied"], true);
    host.prompt("hi");
    assert_eq!(host.result()["result"], "Hello.");
}

// rules: H9, D1
#[test]
fn many_callbacks_at_once_each_get_their_own_answer() {
    let calls: Vec<Value> = (0..12).map(|n| bash(&format!("t{n}"), &format!("touch made{n}"))).collect();
    let env = place(
        BECKET,
        &json!({"permissions": {"allow": ["Bash(touch *)"]}}),
        &json!([{"tool_uses": calls}, {"text": "Done."}]),
    );
    let mut host = Host::initialized(&env, &[], of_event("PreToolUse", json!({})));
    host.prompt("make them");
    for _ in 0..12 {
        let asked = host.asked("hook_callback");
        let n: u32 = asked["request"]["tool_use_id"].as_str().expect("an id")[1..].parse().expect("a number");
        let decision = if n.is_multiple_of(2) { "allow" } else { "deny" };
        let output = json!({"hookEventName": "PreToolUse", "permissionDecision": decision});
        host.answers(&asked, json!({"hookSpecificOutput": output}));
    }
    host.result();
    for n in 0..12 {
        assert_eq!(env.project().join(format!("made{n}")).exists(), n % 2 == 0, "{n}");
    }
}
