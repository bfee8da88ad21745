//! Questions of hooks, which the client's user answers.

use super::client::{fault, on_stdio};
use super::{bash, with_hook};
use serde_json::{Value, json};

const ASKS: &str = r#"read input; echo '{"prompt":"q1","message":"Sure?","options":[{"key":"y","label":"Yes"},{"key":"n","label":"No","description":"better"}]}'
read answer; case $answer in *'"selected":"y"'*) exit 0;; esac; printf %s "$answer" >&2; exit 2"#;

// rules: Q1, Q2, Q3
#[test]
fn a_question_goes_to_the_client_and_only_a_key_chooses() {
    let env = with_hook("PreToolUse", json!({"type": "command", "command": ASKS, "questions": true}));
    let mut serving = on_stdio(&env, &[], &[]).initialized();
    let client = &mut serving.client;
    client.opens(&env.project(), "s", json!({"interactive": true}));
    let fire = |session: &str| json!({"session": session, "event": "PreToolUse", "input": bash("ls")});
    for (answer, result) in [
        (json!({"result": {"selected": "y"}}), "passed"),
        (json!({"result": {"selected": "n"}}), "blocked"),
        (json!({"result": {"selected": "z"}}), "blocked"),
        (json!({"result": {"selected": null}}), "blocked"),
        (json!({"result": "y"}), "blocked"),
        (json!({"error": {"code": -32601, "message": "no such method"}}), "blocked"),
    ] {
        let firing = client.request("event/fire", fire("s"));
        let asked = client.asked("question/ask");
        let of = &asked["params"];
        assert_eq!(
            (&of["session"], &of["question"], &of["message"]),
            (&json!("s"), &json!("q1"), &json!("Sure?"))
        );
        assert_eq!(of["options"][1], json!({"key": "n", "label": "No", "description": "better"}));
        let mut line = json!({"jsonrpc": "2.0", "id": asked["id"]});
        line.as_object_mut().expect("an object").extend(answer.as_object().expect("an object").clone());
        client.line(&line);
        assert_eq!(client.result_of(firing)["result"], result, "{answer}");
    }
    client.opens(&env.project(), "nobody", json!({}));
    let fired = client.asks("event/fire", fire("nobody"));
    assert_eq!(fired["hooks"][0]["questions"][0]["outcome"], "nobody", "{fired}");
}

#[test]
fn a_question_of_a_firing_that_is_taken_back_is_withdrawn() {
    let env = with_hook("PreToolUse", json!({"type": "command", "command": ASKS, "questions": true}));
    let mut serving = on_stdio(&env, &[], &[]).initialized();
    let client = &mut serving.client;
    client.opens(&env.project(), "s", json!({"interactive": true}));
    let fire = json!({"session": "s", "event": "PreToolUse", "input": bash("ls")});
    let firing = client.request("event/fire", fire);
    let asked = client.asked("question/ask");
    client.line(&json!({"jsonrpc": "2.0", "method": "$/cancel", "params": {"id": firing}}));
    assert_eq!(client.asked("question/cancel")["params"]["id"], asked["id"]);
    assert_eq!(fault(&client.answer_to(firing)).0, "cancelled");
}

// rule: D1
#[test]
fn an_ask_of_a_hook_is_a_denial_where_nobody_can_be_asked() {
    let ask = r#"echo '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"ask"}}'"#;
    let env = with_hook("PreToolUse", json!({"type": "command", "command": ask}));
    let mut serving = on_stdio(&env, &[], &[]).initialized();
    let client = &mut serving.client;
    let mut result = |id: &str, more: Value| {
        client.opens(&env.project(), id, more);
        client.asks("event/fire", json!({"session": id, "event": "PreToolUse", "input": bash("ls")}))["result"].clone()
    };
    assert_eq!(result("a", json!({"interactive": true})), "waits");
    assert_eq!(result("b", json!({})), "blocked");
}
