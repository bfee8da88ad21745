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
        (json!({"disallowedTools": "Bash"}), "`disallowedTools` must be a list of rules"),
        (json!({"settings": []}), "`settings` must be an object"),
        (json!({"managedSettings": {}}), "administrator"),
        (json!({"plugins": [{"type": "remote"}]}), "of the type `local`"),
        (
            json!({"plugins": [{"type": "local", "path": "/x", "skipMcpDiscovery": true}]}),
            "`skipMcpDiscovery`",
        ),
        (json!({"plugins": [{"type": "local", "path": "/nowhere"}]}), "/nowhere"),
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
    let wants = json!({"planModeInstructions": "none", "promptSuggestions": true,
        "hooks": {"Stop": [{"hookCallbackIds": [], "matcher": null, "if": "Bash(git *)", "colour": null}]},
        "sdkMcpServerConfigs": {"y": {"timeout": 5000}, "z": 7}});
    let mut host = Host::initialized(&env, &[], wants);
    host.prompt("hi");
    host.result();
    let says = |text: &str, line: &Value| line["content"].as_str().is_some_and(|said| said.contains(text));
    for named in
        ["`planModeInstructions`", "`hooks.Stop[0].if`", "`sdkMcpServerConfigs.y`", "`sdkMcpServerConfigs.z`"]
    {
        assert!(host.seen.iter().any(|line| says(named, line)), "{named}: {:#?}", host.seen);
    }
    for silent in ["promptSuggestions", "hooks.Stop[0].colour"] {
        assert!(!host.seen.iter().any(|line| says(silent, line)), "{silent}: it changes nothing");
    }
    assert_eq!(host.ends().0, Some(0));
}

// rule: O11
#[test]
fn half_a_surrogate_pair_and_a_byte_order_mark_cost_no_line() {
    let turns = json!([
        {"tool_uses": [bash("t1", "touch made")], "expect": ["cut \u{fffd}"]},
        {"text": "Done.", "expect": ["bad \u{fffd} name"]}
    ]);
    let env = hello(&turns);
    let mut host = Host::start(&env, &["--permission-prompt-tool", "stdio", "--replay-user-messages"]);
    host.line("\u{feff}{\"type\":\"control_request\",\"request_id\":\"i\",\"request\":{\"subtype\":\"initialize\"}}");
    assert_eq!(host.answer_to("i")["subtype"], "success");
    // What JavaScript and Python write for a text that is cut off in the middle of a character.
    host.line(r#"{"type":"user","message":{"role":"user","content":"cut \ud83d"}}"#);
    assert_eq!(host.until(|line| line["isReplay"] == true)["message"]["content"], "cut \u{fffd}");
    let asked = host.asked("can_use_tool");
    let answer = r#"{"behavior":"deny","message":"bad \udc80 name"}"#;
    let id = &asked["request_id"];
    host.line(&format!(
        r#"{{"type":"control_response","response":{{"subtype":"success","request_id":{id},"response":{answer}}}}}"#
    ));
    assert_eq!(host.result()["result"], "Done.");
    host.line(
        r#"{"type":"control_request","request_id":"m","request":{"subtype":"set_model","model":"\ud83d"}}"#,
    );
    assert_eq!(host.answer_to("m")["subtype"], "error");
    assert_eq!(host.ends().0, Some(0));
}

fn context(host: &mut Host, text: &str) {
    let message = json!({"role": "user", "content": text});
    host.line(&json!({"type": "user", "message": message, "shouldQuery": false}).to_string());
}

// rule: L0
#[test]
fn a_message_that_requests_no_turn_waits_for_the_next_one_and_is_judged_like_any_other() {
    let blocks = "if grep -q SECRET; then echo 'not that' >&2; exit 2; fi";
    let hooks = json!({"UserPromptSubmit": [{"hooks": [{"type": "command", "command": blocks}]}]});
    let turns = json!([{"text": "Read.", "expect": ["the till is green", "/clear", "what colour?"]}]);
    let env = place(BECKET, &json!({"hooks": hooks}), &turns);
    let mut host = Host::initialized(&env, &[], json!({}));
    context(&mut host, "the till is green");
    context(&mut host, "/clear");
    context(&mut host, "SECRET");
    assert_eq!(host.asks("mcp_status", json!({}))["subtype"], "success");
    host.prompt("what colour?");
    let result = host.result();
    assert_eq!((&result["result"], &result["num_turns"]), (&json!("Read."), &json!(1)));
    let warned = |line: &Value| line["content"].as_str().is_some_and(|said| said.contains("not that"));
    assert!(host.seen.iter().any(warned), "{:#?}", host.seen);
    assert_eq!(host.seen.iter().filter(|line| line["type"] == "result").count(), 1);
    let session = result["session_id"].as_str().expect("an id").to_owned();
    assert_eq!(host.ends().0, Some(0));
    let stored = env.root().join("home/.claude/projects");
    let file = std::fs::read_dir(&stored).expect("projects").flatten().next().expect("one");
    let text = std::fs::read_to_string(file.path().join(format!("{session}.jsonl"))).expect("a transcript");
    assert!(text.contains("the till is green") && !text.contains("SECRET"), "{text}");
    // It reaches no model if nothing follows, and is not an error.
    let mut host = Host::initialized(&env, &[], json!({}));
    context(&mut host, "the till is blue");
    assert_eq!(host.ends().0, Some(0));
}

#[test]
fn a_blank_message_is_rejected_and_the_session_goes_on() {
    let env = hello(&json!([{"text": "Hello."}]));
    let mut host = Host::initialized(&env, &[], json!({}));
    for blank in [json!(""), json!(" \n"), json!([])] {
        host.line(&json!({"type": "user", "message": {"role": "user", "content": blank}}).to_string());
        let result = host.result();
        let said = result["result"].as_str().unwrap_or_default();
        assert!(said.contains("the message is empty") && result["is_error"] == false, "{result}");
    }
    host.prompt("hi");
    assert_eq!(host.result()["result"], "Hello.");
    assert_eq!(host.ends().0, Some(0));
}

#[test]
fn a_field_of_messages_without_effect_is_named_once() {
    let env = hello(&json!([{"text": "One."}, {"text": "Two."}]));
    let mut host = Host::initialized(&env, &[], json!({}));
    for _ in 0..2 {
        let message = json!({"role": "user", "content": "hi"});
        let line = json!({"type": "user", "message": message, "priority": "now", "parent_tool_use_id": null,
            "session_id": "", "timestamp": "2027-01-15T08:00:00Z"});
        host.line(&line.to_string());
        host.result();
    }
    let named = |line: &&Value| line["content"].as_str().is_some_and(|said| said.contains("of a message"));
    let texts: Vec<&str> =
        host.seen.iter().filter(named).filter_map(|line| line["content"].as_str()).collect();
    assert!(matches!(texts[..], [text] if text.contains("`priority`")), "{texts:?}");
    let (_, stderr) = host.ends();
    assert!(stderr.contains("`priority` of a message has no effect here"), "{stderr}");
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
