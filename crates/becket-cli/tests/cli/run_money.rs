//! The cost of a session: known, unknown, and limited.

use crate::run::{lines, run, scripted};
use becket_testkit::env::TestEnv;
use serde_json::{Value, json};

/// Creates a script for a model that costs one dollar for each million input tokens, and ten for output.
fn priced(settings: &Value, turns: &Value) -> TestEnv {
    let env = scripted(settings, turns);
    let spec = json!({"price": {"input": 1, "output": 10}, "context_window": 100_000, "max_output": 100});
    env.write("project/script.json", json!({"name": "priced", "spec": spec, "turns": turns}).to_string());
    env
}

fn answer(text: &str) -> Value {
    json!({"text": text, "usage": {"input_tokens": 1000, "output_tokens": 100}})
}

fn call() -> Value {
    json!({"tool_uses": [{"id": "t", "name": "Bash", "input": {"command": "ls"}}],
           "usage": {"input_tokens": 1000, "output_tokens": 100}})
}

#[test]
fn a_result_has_the_cost_of_the_session_and_of_each_model() {
    let env = priced(&json!({}), &json!([answer("one"), answer("two")]));
    let prompt = json!({"type": "user", "message": {"role": "user", "content": "hi"}}).to_string();
    let ended = run(&env, &["-p", "--input-format", "stream-json", "--output-format", "stream-json"])
        .stdin(format!("{prompt}\n{prompt}\n"))
        .run();
    let results: Vec<Value> = lines(&ended).into_iter().filter(|line| line["type"] == "result").collect();
    let [first, second] = &results[..] else { panic!("{ended:?}") };
    assert_eq!((&first["total_cost_usd"], &second["total_cost_usd"]), (&json!(0.002), &json!(0.004)));
    assert_eq!(second["usage"]["input_tokens"], 1000, "the tokens are those of the prompt");
    let used = json!({"inputTokens": 2000, "outputTokens": 200, "cacheReadInputTokens": 0,
                      "cacheCreationInputTokens": 0, "webSearchRequests": 0, "costUSD": 0.004,
                      "contextWindow": 100_000, "maxOutputTokens": 100});
    assert_eq!(second["modelUsage"], json!({"priced": used}));
}

#[test]
fn an_unknown_price_makes_a_cost_null_and_not_0() {
    let env = scripted(&json!({}), &json!([answer("one")]));
    let ended = run(&env, &["-p", "hi", "--output-format", "json"]).run();
    let [result] = &lines(&ended)[..] else { panic!("{ended:?}") };
    assert_eq!(
        (&result["total_cost_usd"], &result["modelUsage"]["scripted"]["costUSD"]),
        (&Value::Null, &Value::Null)
    );
}

#[test]
fn a_limit_ends_the_session_and_skips_no_hook() {
    let settings = json!({"hooks": {
        "PreToolUse": [{"hooks": [{"type": "command", "command": "touch pre"}]}],
        "Stop": [{"hooks": [{"type": "command", "command": "touch stop"}]}],
        "SessionEnd": [{"hooks": [{"type": "command", "command": "touch end"}]}],
    }});
    // The first answer uses only a part of the limit, the second one reaches it.
    for (turns, says, stops) in [
        (json!([answer("one")]), "one", true),
        (json!([call(), answer("two")]), "two", true),
        (json!([call(), call(), answer("three")]), "limit of", false),
    ] {
        let limit = if turns.as_array().is_some_and(|turns| turns.len() == 1) { "0.001" } else { "0.004" };
        let env = priced(&settings, &turns);
        let ended = run(&env, &["-p", "hi", "--max-budget-usd", limit, "--output-format", "json"]).run();
        let [result] = &lines(&ended)[..] else { panic!("{ended:?}") };
        assert_eq!(ended.code, Some(1), "{ended:?}");
        for (key, value) in [
            ("subtype", json!("error_max_budget_usd")),
            ("is_error", json!(true)),
            ("terminal_reason", json!("max_budget")),
        ] {
            assert_eq!(result[key], value, "{key}: {ended:?}");
        }
        assert!(result["result"].as_str().is_some_and(|text| text.contains(says)), "{result}");
        assert!(result["errors"][0].as_str().is_some_and(|text| text.contains("US dollars")), "{result}");
        let ran = |name: &str| env.root().join("project").join(name).exists();
        assert_eq!((ran("stop"), ran("end")), (stops, true), "{result}");
        assert!(ran("pre") || turns.as_array().is_some_and(|turns| turns.len() == 1), "{result}");
    }
}

#[test]
fn a_limit_of_0_allows_no_request() {
    let env = priced(&json!({}), &json!([answer("one")]));
    let ended = run(&env, &["-p", "hi", "--max-budget-usd", "0", "--output-format", "json"]).run();
    let [result] = &lines(&ended)[..] else { panic!("{ended:?}") };
    assert_eq!((ended.code, &result["subtype"]), (Some(1), &json!("error_max_budget_usd")), "{ended:?}");
    assert_eq!((&result["num_turns"], &result["total_cost_usd"]), (&json!(0), &json!(0.0)));
}

#[test]
fn a_limit_that_can_not_be_kept_is_refused() {
    let env = scripted(&json!({}), &json!([answer("one")]));
    for (limit, said) in [
        ("1", "the price of `scripted` is not known: add it to `~/.becket/models.json`"),
        ("-1", "write US dollars, 0 or more"),
        ("NaN", "write US dollars, 0 or more"),
        ("much", "write US dollars, 0 or more"),
    ] {
        let ended = run(&env, &["-p", "hi", &format!("--max-budget-usd={limit}")]).run();
        assert!(ended.code == Some(2) && ended.stderr.contains(said), "{limit}: {ended:?}");
    }
}

#[test]
fn the_users_own_table_is_read_and_its_holes_are_errors() {
    for (table, said) in [
        (r#"{"models": {"openai::gpt-x": {"price": {"input": 1}}}}"#, "missing field `output`"),
        (r#"{"models": {"openai::gpt-x": {"price": {"input": 1, "output": -2}}}}"#, "the price -2"),
        (r#"{"models": {"openai::gpt-x": {"window": 5}}}"#, "unknown field `window`"),
        ("{", "models.json:1:1"),
    ] {
        let env = scripted(&json!({}), &json!([answer("one")]));
        env.write("home/.becket/models.json", table);
        let ended = run(&env, &["-p", "hi"]).run();
        assert!(ended.code == Some(2) && ended.stderr.contains(said), "{table}: {ended:?}");
    }
}
