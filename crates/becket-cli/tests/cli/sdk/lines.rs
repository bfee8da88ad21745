//! Input lines: in any order, at any time, and the errors of malformed ones.

use super::host::Host;
use super::{bash, place};
use becket_testkit::env::TestEnv;
use serde_json::{Value, json};

const BECKET: &str = env!("CARGO_BIN_EXE_becket");

fn hello(turns: &Value) -> TestEnv {
    place(BECKET, &json!({}), turns)
}

#[test]
fn a_message_that_comes_first_needs_no_initialize() {
    let env = hello(&json!([{"text": "Hello."}]));
    let mut host = Host::start(&env, &[]);
    host.prompt("hi");
    assert_eq!(host.result()["result"], "Hello.");
    assert_eq!(host.ends().0, Some(0));
}

#[test]
fn initialize_tells_what_the_session_has() {
    let env = hello(&json!([]));
    let mut host = Host::start(&env, &[]);
    let agents = json!({"reviewer": {"description": "Looks twice", "prompt": "Look."}});
    let answer = host.asks("initialize", json!({"agents": agents, "hooks": null, "title": "A title"}));
    let response = &answer["response"];
    let known = response["agents"].as_array().expect("a list");
    assert!(known.iter().any(|agent| agent["name"] == "reviewer" && agent["description"] == "Looks twice"));
    assert_eq!(response["output_style"], "default");
    assert_eq!(response["hook_on_failure_supported"], true);
    assert_eq!(response.get("hooks_applied"), None, "it has brought none");
    assert_eq!(host.ends().0, Some(0));
}

#[test]
fn a_system_prompt_and_servers_of_initialize_count() {
    let turns = json!([{"text": "Yes.", "expect": ["you are a till", "and no more"]}]);
    let wants = json!({"systemPrompt": ["you are a till", ""], "appendSystemPrompt": "and no more"});
    let env = hello(&turns);
    let mut host = Host::initialized(&env, &[], wants);
    host.prompt("hi");
    assert_eq!(host.result()["result"], "Yes.");
}

/// Requests of `initialize` that can't be satisfied, and words of the error.
#[test]
fn what_initialize_asks_for_in_vain_ends_the_run_with_its_name() {
    let cases = [
        (json!({"disallowedTools": ["Bash"]}), "--disallowedTools"),
        (json!({"settings": {}}), "--settings"),
        (json!({"managedSettings": {}}), "administrator"),
        (json!({"plugins": []}), "--plugin-dir"),
        (json!({"hooks": []}), "`hooks` must be an object"),
        (json!({"hooks": {"PreTolUse": []}}), "`PreTolUse` is not an event"),
        (json!({"hooks": {"PreToolUse": [{}]}}), "`hooks.PreToolUse[0]`: `hookCallbackIds`"),
        (json!({"hooks": {"PreToolUse": [{"hookCallbackIds": [7]}]}}), "not a string"),
        (json!({"hooks": {"PreToolUse": [{"hookCallbackIds": ["h"], "matcher": 7}]}}), "`matcher`"),
        (json!({"hooks": {"PreToolUse": [{"hookCallbackIds": ["h"], "matcher": "("}]}}), "matcher"),
        (json!({"hooks": {"PreToolUse": [{"hookCallbackIds": ["h"], "timeout": 0}]}}), "above 0"),
        (json!({"hooks": {"PreToolUse": [{"hookCallbackIds": ["h"], "timeout": "1"}]}}), "`timeout`"),
        (json!({"sdkMcpServers": "x"}), "`sdkMcpServers`"),
        (
            json!({"sdkMcpServers": ["x"], "sdkMcpServerConfigs": {"x": {"tools": [{"name": "t", "policy": "always_deny"}]}}}),
            "`sdkMcpServerConfigs.x.tools`",
        ),
        (json!({"systemPrompt": 7}), "`systemPrompt`"),
        (json!({"agents": []}), "`agents`"),
    ];
    for (wants, said) in cases {
        let env = hello(&json!([{"text": "never"}]));
        let mut host = Host::start(&env, &[]);
        let answer = host.asks("initialize", wants.clone());
        let error = answer["error"].as_str().unwrap_or_default().to_owned();
        assert!(answer["subtype"] == "error" && error.contains(said), "{wants}: {answer}");
        host.prompt("hi");
        let (code, stderr) = host.ends();
        assert!(code == Some(1) && stderr.contains(said), "{wants}: {code:?} {stderr}");
    }
}

#[test]
fn what_has_no_effect_is_told() {
    let env = hello(&json!([{"text": "Hello."}]));
    let mut host =
        Host::initialized(&env, &[], json!({"planModeInstructions": "none", "promptSuggestions": true}));
    host.prompt("hi");
    host.result();
    let says = |text: &str, line: &Value| line["content"].as_str().is_some_and(|said| said.contains(text));
    assert!(host.seen.iter().any(|line| says("`planModeInstructions`", line)), "{:#?}", host.seen);
    assert!(!host.seen.iter().any(|line| says("`promptSuggestions`", line)), "it changes nothing");
    assert_eq!(host.ends().0, Some(0));
}

#[test]
fn a_bad_line_ends_the_run_with_its_number() {
    for (line, said) in [
        ("{", "line 2 of stdin is not a message: it is not valid JSON"),
        (r#"{"type":"control_reqest"}"#, "line 2 of stdin is not a message: its `type`"),
        (r#"{"type":"control_request"}"#, "its `request_id` is missing, but must be a string"),
        (r#"{"type":"control_request","request_id":7,"request":{}}"#, "its `request_id` is `7`"),
        (r#"{"type":"control_request","request_id":"a"}"#, "its `request` is missing"),
        (r#"{"type":"control_request","request_id":"a","request":{}}"#, "its `subtype` is missing"),
        (r#"{"type":"control_response","response":[]}"#, "its `response` is `[]`, but must be an object"),
        (
            r#"{"type":"control_response","response":{"request_id":"a","subtype":"maybe"}}"#,
            "`response.subtype`",
        ),
        (r#"{"type":"control_cancel_request"}"#, "its `request_id` is missing"),
    ] {
        let env = hello(&json!([]));
        let mut host = Host::initialized(&env, &[], json!({}));
        host.line(line);
        let (code, stderr) = host.ends();
        assert!(code == Some(1) && stderr.contains(said), "{line}: {code:?} {stderr}");
    }
}

#[test]
fn control_lines_need_a_stdout_that_answers_them() {
    let env = hello(&json!([{"text": "x"}]));
    let arguments = ["run", "--model", "script:script.json", "--input-format", "stream-json"];
    let line = r#"{"type":"control_request","request_id":"a","request":{"subtype":"initialize"}}"#;
    let ended = env.becket(arguments).stdin(line).run();
    assert!(
        ended.code == Some(1) && ended.stderr.contains("start with `--output-format stream-json`"),
        "{ended:?}"
    );
}

#[test]
fn lines_that_mean_nothing_now_are_read_over() {
    let env = hello(&json!([{"text": "Hello."}]));
    let mut host = Host::initialized(&env, &[], json!({}));
    host.line("");
    host.line(r#"{"type":"keep_alive"}"#);
    host.line(r#"{"type":"control_cancel_request","request_id":"nobody"}"#);
    host.line(r#"{"type":"control_response","response":{"request_id":"nobody","subtype":"success"}}"#);
    host.prompt("hi");
    assert_eq!(host.result()["result"], "Hello.");
    assert_eq!(host.ends().0, Some(0));
}

#[test]
fn requests_are_answered_while_a_turn_works_and_many_at_once() {
    let env = place(
        BECKET,
        &json!({"permissions": {"allow": ["Bash"]}}),
        &json!([{"tool_uses": [bash("t1", "while [ ! -e go ]; do sleep 0.05; done")]}, {"text": "Done."}]),
    );
    let mut host = Host::initialized(&env, &[], json!({}));
    host.prompt("wait");
    host.until(|line| line["type"] == "assistant");
    let ids: Vec<String> = (0..200).map(|_| host.request("mcp_status", json!({}))).collect();
    for id in ids {
        assert_eq!(host.answer_to(&id)["subtype"], "success");
    }
    assert!(!host.seen.iter().any(|line| line["type"] == "result"), "the turn still works");
    env.write("project/go", "");
    assert_eq!(host.result()["result"], "Done.");
}

#[test]
fn the_code_is_that_of_the_last_result() {
    let env = place(
        BECKET,
        &json!({"permissions": {"allow": ["Bash"]}}),
        &json!([{"tool_uses": [bash("t1", "true")]}, {"text": "Done."}, {"text": "Again."}]),
    );
    let mut host = Host::initialized(&env, &["--max-turns", "1"], json!({}));
    host.prompt("one");
    assert_eq!(host.result()["subtype"], "error_max_turns");
    host.prompt("two");
    assert_eq!(host.result()["is_error"], false);
    assert_eq!(host.ends().0, Some(0));
}
