//! Hosts that break the protocol in the middle of a session: no call runs because of it, no hook is skipped, nothing
//! hangs.

use super::host::{Host, matcher};
use super::{bash, place};
use becket_testkit::env::TestEnv;
use serde_json::{Value, json};

const BECKET: &str = env!("CARGO_BIN_EXE_becket");

fn one_call(settings: &Value) -> TestEnv {
    place(BECKET, settings, &json!([{"tool_uses": [bash("t1", "touch made")]}, {"text": "Done."}]))
}

fn guarded() -> Value {
    json!({"hooks": {"PreToolUse": [matcher("h", json!({}))]}})
}

fn made(env: &TestEnv) -> bool {
    env.project().join("made").exists()
}

// rules: H9, P11
#[test]
fn a_host_that_hangs_up_in_the_middle_of_a_call_gives_no_permission() {
    for by_hook in [true, false] {
        let settings = if by_hook { json!({"permissions": {"allow": ["Bash"]}}) } else { json!({}) };
        let env = one_call(&settings);
        let wants = if by_hook { guarded() } else { json!({}) };
        let mut host = Host::initialized(&env, &["--permission-prompt-tool", "stdio"], wants);
        host.prompt("make it");
        host.asked(if by_hook { "hook_callback" } else { "can_use_tool" });
        host.hangs_up();
        let result = host.result();
        assert_eq!(result["permission_denials"].as_array().map(Vec::len), Some(1), "{result}");
        assert!(!made(&env), "by a hook: {by_hook}");
        assert_eq!(host.ends().0, Some(0));
    }
}

// rule: H9
#[test]
fn the_first_answer_counts_and_no_other_ones() {
    let denies = json!({"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "deny",
        "permissionDecisionReason": "no"}});
    let env = one_call(&json!({"permissions": {"allow": ["Bash"]}}));
    let mut host = Host::initialized(&env, &[], guarded());
    host.prompt("make it");
    let asked = host.asked("hook_callback");
    // Answers for another session, for a request that never existed, and duplicates.
    let stranger = json!({"request_id": "00000000-0000-4000-8000-000000000000"});
    host.answers(&stranger, json!({}));
    host.fails(&json!({"request_id": "req_0"}), "nobody asked");
    host.answers(&asked, denies);
    host.answers(&asked, json!({}));
    let result = host.result();
    assert_eq!(result["permission_denials"].as_array().map(Vec::len), Some(1), "{result}");
    assert!(!made(&env));
    assert_eq!(host.ends().0, Some(0));
}

// rule: H9
#[test]
fn a_large_answer_is_read_whole() {
    let env = one_call(&json!({"permissions": {"allow": ["Bash"]}}));
    let mut host = Host::initialized(&env, &[], guarded());
    host.prompt("make it");
    let asked = host.asked("hook_callback");
    let padding = "x".repeat(10 << 20);
    host.answers(
        &asked,
        json!({"systemMessage": padding, "hookSpecificOutput": {"hookEventName": "PreToolUse",
            "permissionDecision": "deny", "permissionDecisionReason": "no"}}),
    );
    let result = host.result();
    assert_eq!(result["permission_denials"].as_array().map(Vec::len), Some(1), "{result}");
    assert!(!made(&env));
    assert_eq!(host.ends().0, Some(0));
}

#[test]
fn a_large_request_is_answered_and_one_beyond_the_limit_ends_the_run() {
    let env = place(BECKET, &json!({}), &json!([{"text": "Hello."}]));
    let mut host = Host::initialized(&env, &[], json!({}));
    let answer = host.asks("set_permission_mode", json!({"mode": "m".repeat(10 << 20)}));
    assert_eq!(answer["subtype"], "error");
    host.prompt("hi");
    assert_eq!(host.result()["result"], "Hello.");
    assert_eq!(host.ends().0, Some(0));
    let mut host = Host::initialized(&env, &[], json!({}));
    host.line(&"x".repeat(65 << 20));
    let (code, stderr) = host.ends();
    assert!(code == Some(1) && stderr.contains("line 2 of stdin"), "{code:?} {stderr}");
}
