//! Hooks that are calls to the client, and the ways in which they fail.

use super::client::{Client, on_socket, on_stdio};
use super::{bash, command, with_hook};
use serde_json::{Value, json};
use std::net::Shutdown;

fn register(client: &mut Client, id: &str, event: &str, more: Value) {
    let mut params = json!({"session": "s", "id": id, "event": event});
    params.as_object_mut().expect("an object").extend(more.as_object().expect("an object").clone());
    client.asks("hooks/register", params);
}

fn fire(event: &str) -> Value {
    let input = match event {
        "PreToolUse" => bash("ls"),
        "ConfigChange" => json!({"source": "user_settings"}),
        "UserPromptSubmit" => json!({"prompt": "hi"}),
        _ => json!({"stop_hook_active": false}),
    };
    json!({"session": "s", "event": event, "input": input})
}

#[test]
fn a_client_is_asked_what_a_command_would_be_and_answers_as_one() {
    let env = with_hook("Stop", command("true"));
    let mut serving = on_stdio(&env, &[], &[]).initialized();
    let client = &mut serving.client;
    client.opens(&env.project(), "s", json!({}));
    register(client, "second", "PreToolUse", json!({"matcher": "Bash", "order": 2}));
    register(client, "first", "PreToolUse", json!({"if": "Bash(ls *)", "order": 1}));
    register(client, "other", "PreToolUse", json!({"matcher": "Write"}));
    let firing = client.request("event/fire", fire("PreToolUse"));
    let (one, two) = (client.asked("hook/call"), client.asked("hook/call"));
    assert_eq!((&one["params"]["hook"], &two["params"]["hook"]), (&json!("first"), &json!("second")));
    assert_eq!(one["params"]["session"], "s");
    assert_eq!(one["params"]["input"]["tool_input"]["command"], "ls");
    assert_eq!(one["params"]["input"]["hook_event_name"], "PreToolUse");
    // Answers may arrive in any order.
    client.answers(
        &two,
        json!({"hookSpecificOutput": {"hookEventName": "PreToolUse",
        "permissionDecision": "deny", "permissionDecisionReason": "no"}}),
    );
    client.answers(&one, Value::Null);
    let fired = client.result_of(firing);
    assert_eq!((&fired["result"], &fired["verdict"]["reason"]), (&json!("blocked"), &json!("no")));
    let known = client.fails("hooks/register", json!({"session": "s", "id": "first", "event": "Stop"}));
    assert!(known.1.contains("`first` already"), "{known:?}");
    for id in ["first", "second"] {
        client.asks("hooks/unregister", json!({"session": "s", "id": id}));
    }
    assert_eq!(client.asks("event/fire", fire("PreToolUse"))["result"], "passed");
}

// rule: H9
#[test]
fn whatever_is_no_answer_denies_a_call_and_rejects_a_prompt() {
    let env = with_hook("Notification", command("true"));
    let mut serving = on_stdio(&env, &[], &[]).initialized();
    let client = &mut serving.client;
    client.opens(&env.project(), "s", json!({}));
    for event in ["PreToolUse", "UserPromptSubmit", "Stop"] {
        register(client, event, event, json!({}));
        for (answer, words) in [
            (json!({"error": {"code": 1, "message": "it broke"}}), "it broke"),
            (json!({"result": "yes"}), "not a JSON object"),
            (json!({"result": [1]}), "not a JSON object"),
            (json!({"result": true}), "not a JSON object"),
            (json!({"result": {"decision": 5}}), "decision"),
            (json!({"result": {}, "error": {}}), "both a `result` and an `error`"),
            (json!({}), "neither a `result` nor an `error`"),
        ] {
            let firing = client.request("event/fire", fire(event));
            let asked = client.asked("hook/call");
            let mut line = json!({"jsonrpc": "2.0", "id": asked["id"]});
            line.as_object_mut().expect("an object").extend(answer.as_object().expect("an object").clone());
            client.line(&line);
            let fired = client.result_of(firing);
            let result = if event == "Stop" { "passed" } else { "blocked" };
            assert_eq!(fired["result"], result, "{event} {answer}: {fired}");
            let failure = fired["hooks"][0]["failure"].as_str().unwrap_or_default();
            assert!(failure.contains(words), "{event} {answer}: {fired}");
        }
    }
}

// rules: H9, H11
#[test]
fn a_client_that_does_not_answer_in_time_denies_and_is_told_so() {
    let env = with_hook("Stop", command("true"));
    let mut serving = on_stdio(&env, &[], &[]).initialized();
    let client = &mut serving.client;
    client.opens(&env.project(), "s", json!({}));
    register(client, "h", "PreToolUse", json!({"timeout": 0.05}));
    let firing = client.request("event/fire", fire("PreToolUse"));
    let asked = client.asked("hook/call");
    let fired = client.result_of(firing);
    assert_eq!(fired["result"], "blocked", "{fired}");
    assert_eq!(client.asked("hook/cancel")["params"]["id"], asked["id"]);
    // A late answer allows nothing, and has no effect.
    client.answers(&asked, json!({}));
    let firing = client.request("event/fire", fire("PreToolUse"));
    let asked = client.asked("hook/call");
    client.answers(&asked, json!({}));
    assert!(client.result_of(firing)["hooks"][0]["hook"].is_null());
}

// rules: H9, O10
#[test]
fn a_hook_that_must_not_fail_blocks_where_a_failure_would_be_told() {
    let env = with_hook("Notification", command("true"));
    let mut serving = on_stdio(&env, &[], &[]).initialized();
    let client = &mut serving.client;
    client.opens(&env.project(), "s", json!({}));
    register(client, "h", "ConfigChange", json!({"on_failure": "block"}));
    for (answer, result) in [(json!(null), "blocked"), (json!([]), "blocked"), (json!({}), "passed")] {
        let firing = client.request("event/fire", fire("ConfigChange"));
        let asked = client.asked("hook/call");
        client.answers(&asked, answer.clone());
        assert_eq!(client.result_of(firing)["result"], result, "{answer}");
    }
}

// rule: H9
#[test]
fn a_client_that_hangs_up_gets_the_rest_and_its_hooks_deny() {
    let env = with_hook("Stop", command("true"));
    let serving = on_socket(&env, &[]);
    let stream = serving.stream();
    let to = stream.try_clone().expect("it can be cloned");
    let mut client = Client::new(to, stream.try_clone().expect("it can be cloned"));
    client.asks("initialize", json!({"protocol": 1}));
    client.opens(&env.project(), "s", json!({}));
    register(&mut client, "h", "PreToolUse", json!({}));
    let firing = client.request("event/fire", fire("PreToolUse"));
    client.asked("hook/call");
    stream.shutdown(Shutdown::Write).expect("it is open");
    let fired = client.result_of(firing);
    assert_eq!(fired["result"], "blocked", "{fired}");
    assert!(
        fired["verdict"]["reason"].as_str().unwrap_or_default().contains("the client has disconnected"),
        "{fired}"
    );
    assert!(client.rest().is_empty());
}

// rules: C8, H9
#[test]
fn what_is_taken_out_after_an_event_was_fired_judges_it_all_the_same() {
    let env = with_hook("Stop", command("true"));
    let mut serving = on_stdio(&env, &[], &[]).initialized();
    let client = &mut serving.client;
    client.opens(&env.project(), "s", json!({}));
    for id in 100..150 {
        register(client, "guard", "PreToolUse", json!({}));
        let fired = json!({"jsonrpc": "2.0", "id": id, "method": "event/fire", "params": fire("PreToolUse")});
        let unregistered = json!({"jsonrpc": "2.0", "id": 1000 + id, "method": "hooks/unregister",
            "params": {"session": "s", "id": "guard"}});
        client.writes(format!("{fired}\n{unregistered}\n").as_bytes());
        let asked = client.until(|line| line["method"] == "hook/call" || line["id"] == id);
        assert_eq!(asked["method"], "hook/call", "{asked}");
        let own = json!({"hookEventName": "PreToolUse", "permissionDecision": "deny"});
        client.answers(&asked, json!({"hookSpecificOutput": own}));
        assert_eq!(client.result_of(id)["result"], "blocked");
        client.result_of(1000 + id);
    }
}

// rule: O11
#[test]
fn half_a_character_in_a_reason_costs_no_block() {
    let env = with_hook("Notification", command("true"));
    let mut serving = on_stdio(&env, &[], &[]).initialized();
    let client = &mut serving.client;
    client.opens(&env.project(), "s", json!({}));
    register(client, "h", "Stop", json!({"timeout": 5}));
    let firing = client.request("event/fire", fire("Stop"));
    let id = client.asked("hook/call")["id"].clone();
    let answer = r#"{"decision": "block", "reason": "not yet \ud83d"}"#;
    client.writes(format!("{{\"jsonrpc\": \"2.0\", \"id\": {id}, \"result\": {answer}}}\n").as_bytes());
    let fired = client.result_of(firing);
    assert_eq!(
        (&fired["result"], &fired["verdict"]["reason"]),
        (&json!("blocked"), &json!("not yet \u{fffd}"))
    );
}

// rule: O10
#[test]
fn a_hook_whose_failure_blocks_has_to_say_that_it_has_no_opinion() {
    let env = with_hook("Stop", command("true"));
    let mut serving = on_stdio(&env, &[], &[]).initialized();
    let client = &mut serving.client;
    client.opens(&env.project(), "s", json!({}));
    for (on_failure, answer, result) in [
        ("block", Value::Null, "blocked"),
        ("block", json!({}), "passed"),
        ("continue", Value::Null, "passed"),
    ] {
        register(client, "h", "ConfigChange", json!({"on_failure": on_failure}));
        let firing = client.request("event/fire", fire("ConfigChange"));
        let asked = client.asked("hook/call");
        client.answers(&asked, answer);
        assert_eq!(client.result_of(firing)["result"], result, "{on_failure}");
        client.asks("hooks/unregister", json!({"session": "s", "id": "h"}));
    }
}
