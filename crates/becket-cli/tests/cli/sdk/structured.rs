//! Answers in JSON that match a schema: accepted, repaired, missing, denied; and schemas that can't be used.

use super::host::Host;
use super::place;
use becket_testkit::env::TestEnv;
use serde_json::{Value, json};

const BECKET: &str = env!("CARGO_BIN_EXE_becket");

fn schema() -> Value {
    json!({"type": "object", "properties": {"count": {"type": "integer"}}, "required": ["count"]})
}

fn answers(input: &Value) -> Value {
    json!({"tool_uses": [{"name": "StructuredOutput", "input": input}]})
}

/// Starts a host that requires answers of the schema, and has sent a prompt.
fn prompted(settings: &Value, turns: &Value) -> (TestEnv, Host) {
    let env = place(BECKET, settings, turns);
    let mut host = Host::initialized(&env, &["--json-schema", &schema().to_string()], json!({}));
    host.prompt("count");
    (env, host)
}

fn on(event: &str, command: &str) -> Value {
    json!({"hooks": {event: [{"hooks": [{"type": "command", "command": command}]}]}})
}

#[test]
fn an_answer_that_fits_is_in_the_result() {
    let turns = json!([answers(&json!({"count": 3})), {"text": "There are 3."}]);
    let (_env, mut host) = prompted(&json!({}), &turns);
    let result = host.result();
    assert_eq!((&result["subtype"], &result["is_error"]), (&json!("success"), &json!(false)), "{result}");
    assert_eq!(result["structured_output"], json!({"count": 3}));
    assert_eq!((&result["result"], &result["num_turns"]), (&json!("There are 3."), &json!(2)));
    assert_eq!(host.ends().0, Some(0));
}

#[test]
fn an_answer_that_does_not_fit_is_repaired() {
    let misfit = answers(&json!({"count": "3"}));
    let mut second = answers(&json!({"count": 4}));
    second["expect"] = json!(["does not fit its schema: at `/count`: want integer, but got string"]);
    let (_env, mut host) = prompted(&json!({}), &json!([misfit, second, {"text": "4."}]));
    assert_eq!(host.result()["structured_output"], json!({"count": 4}));
}

#[test]
fn an_answer_in_words_alone_is_asked_for_again_and_each_prompt_has_its_own() {
    let mut call = answers(&json!({"count": 1}));
    call["expect"] = json!(["The answer is still missing"]);
    let mut next = answers(&json!({"count": 2}));
    next["expect"] = json!(["The answer is still missing"]);
    let turns = json!([{"text": "one"}, call, {"text": "1."}, {"text": "two"}, next, {"text": "2."}]);
    let (_env, mut host) = prompted(&json!({}), &turns);
    assert_eq!(host.result()["structured_output"], json!({"count": 1}));
    host.prompt("again");
    assert_eq!(host.result()["structured_output"], json!({"count": 2}));
}

/// The settings, the turns of the model, and words of the error.
#[test]
fn a_turn_without_an_answer_fails_after_its_attempts() {
    let misfit = answers(&json!({"count": "x"}));
    let fit = answers(&json!({"count": 1}));
    let words = json!({"text": "no"});
    let deny = on("PreToolUse", "echo 'not today' >&2; exit 2");
    let cases = [
        (json!({}), misfit.clone(), "want integer"),
        (json!({}), words.clone(), "5 attempts"),
        (deny, fit.clone(), "5 attempts"),
        (json!({"permissions": {"deny": ["StructuredOutput"]}}), fit, "5 attempts"),
    ];
    for (settings, turn, said) in cases {
        let (_env, mut host) = prompted(&settings, &json!(vec![turn; 6]));
        let result = host.result();
        assert_eq!(result["subtype"], "error_max_structured_output_retries", "{result}");
        assert_eq!(result["terminal_reason"], "structured_output_retry_exhausted");
        assert_eq!((&result["is_error"], result.get("structured_output")), (&json!(true), None));
        assert!(result["errors"][0].as_str().is_some_and(|error| error.contains(said)), "{result}");
        assert_eq!(host.ends().0, Some(1));
    }
}

#[test]
fn the_number_of_attempts_is_a_variable() {
    let env = place(BECKET, &json!({}), &json!([{"text": "no"}, {"text": "no"}, {"text": "no"}]));
    let variable = [("MAX_STRUCTURED_OUTPUT_RETRIES", "2")];
    let mut host = Host::with_env(&env, &["--json-schema", &schema().to_string()], &variable);
    host.prompt("count");
    let result = host.result();
    assert_eq!(result["num_turns"], 2, "{result}");
}

// rules: D1, D9
#[test]
fn hooks_see_an_answer_and_may_rewrite_it_within_the_schema() {
    let rewrites = |input: &Value| {
        let output =
            json!({"hookEventName": "PreToolUse", "permissionDecision": "allow", "updatedInput": input});
        on("PreToolUse", &format!("echo '{}'", json!({"hookSpecificOutput": output})))
    };
    let turns = json!([answers(&json!({"count": 1})), {"text": "Done."}]);
    let (_env, mut host) = prompted(&rewrites(&json!({"count": 9})), &turns);
    assert_eq!(host.result()["structured_output"], json!({"count": 9}));
    let turns = json!(vec![answers(&json!({"count": 1})); 6]);
    let (_env, mut host) = prompted(&rewrites(&json!({"other": 9})), &turns);
    assert_eq!(host.result()["subtype"], "error_max_structured_output_retries");
}

// rule: L4
#[test]
fn a_stop_hook_holds_a_turn_with_an_answer() {
    let once = "test -e held || { touch held; echo 'count again' >&2; exit 2; }";
    let mut again = answers(&json!({"count": 2}));
    again["expect"] = json!(["count again"]);
    let turns = json!([answers(&json!({"count": 1})), {"text": "1."}, again, {"text": "2."}]);
    let (_env, mut host) = prompted(&on("Stop", once), &turns);
    assert_eq!(host.result()["structured_output"], json!({"count": 2}));
}

#[test]
fn neither_a_list_of_tools_nor_an_agent_takes_the_tool_away() {
    let agents =
        json!({"counter": {"description": "Counts", "prompt": "Count.", "tools": ["Read"]}}).to_string();
    for arguments in [&["--tools", ""][..], &["--agents", &agents, "--agent", "counter"]] {
        let env = place(BECKET, &json!({}), &json!([answers(&json!({"count": 3})), {"text": "3."}]));
        let mut host = Host::initialized(&env, arguments, json!({"jsonSchema": schema()}));
        host.prompt("count");
        assert_eq!(host.result()["structured_output"], json!({"count": 3}), "{arguments:?}");
    }
}

#[test]
fn as_text_the_answer_is_its_json() {
    let env = place(BECKET, &json!({}), &json!([answers(&json!({"count": 3})), {"text": "3."}]));
    let schema = schema().to_string();
    let run = ["run", "--model", "script:script.json", "--json-schema", &schema, "-p", "count"];
    let ended = env.becket(run).run();
    assert_eq!((ended.code, ended.stdout.as_str()), (Some(0), "{\"count\":3}\n"), "{ended:?}");
}

#[test]
fn a_schema_that_can_not_be_used_is_an_error_at_the_start_that_names_the_place() {
    for (schema, said) in [
        ("{", "EOF"),
        ("[]", "at its top: want boolean or object"),
        ("true", "at its top: it must be a JSON object"),
        (r#"{"type": "array"}"#, "at `/type`: an answer is an object"),
        (r#"{"properties": {"a": {"type": "objekt"}}}"#, "at `/properties/a/type`"),
        (r#"{"properties": {"a": {"pattern": "("}}}"#, "at `/properties/a/pattern`"),
        (r#"{"$ref": "file:///etc/hostname"}"#, "not loaded"),
    ] {
        let env = place(BECKET, &json!({}), &json!([{"text": "never"}]));
        let mut host = Host::start(&env, &["--json-schema", schema]);
        host.prompt("count");
        let (code, stderr) = host.ends();
        assert!(code == Some(2) && stderr.contains(said), "{schema}: {code:?} {stderr}");
        let Ok(schema) = serde_json::from_str::<Value>(schema) else { continue };
        let mut host = Host::start(&env, &[]);
        let answer = host.asks("initialize", json!({"jsonSchema": schema}));
        assert!(answer["error"].as_str().is_some_and(|error| error.contains(said)), "{schema}: {answer}");
        assert_eq!(host.ends().0, Some(2));
    }
}
