//! A model that follows a script.

#![expect(clippy::expect_used, reason = "tests fail by panicking")]

use crate::support::{PATIENCE, variant};
use becket_llm::{
    Block, Capabilities, Message, Model, ModelError, Request, Role, Script, ScriptError, ScriptedModel,
    StopReason, Turn, judge,
};
use serde_json::json;
use std::time::Duration;

const SCRIPT: &str = r#"{
  "name": "no deletions",
  "pick": "fitting",
  "capabilities": {"tools": true, "json_schema": false},
  "turns": [
    {"expect": ["rm -rf"], "json": {"reason": "it deletes a directory", "ok": false}},
    {"expect": ["run the tests"], "thinking": "how?", "text": "I do.", "tool_uses": [{"name": "Bash", "input": {"command": "cargo test"}}, {"id": "x", "name": "Now"}]},
    {"expect": ["busy"], "error": {"kind": "overloaded", "message": "come back later", "retry_after_s": 1}},
    {"expect": ["long"], "text": "cut o", "stop": "max_tokens", "usage": {"input_tokens": 5, "output_tokens": 2}},
    {"expect": ["late"], "delay_ms": 30, "text": "at last"},
    {"expect": ["mute"], "endless": "silence"},
    {"expect": ["chatter"], "endless": "text"}
  ]
}"#;

fn scripted() -> ScriptedModel {
    ScriptedModel::new(Script::from_text(SCRIPT, "script.json").expect("a script"))
}

// rule: H7
#[tokio::test]
async fn the_fitting_turn_is_taken_as_often_as_it_fits() {
    let model = scripted();
    for _ in 0..2 {
        let answer = model.respond(&Request::user("may I rm -rf /tmp/x?")).await.expect("an answer");
        let verdict = judge::read_verdict(&answer.text()).expect("a verdict");
        assert_eq!((verdict.ok, verdict.reason.as_deref()), (false, Some("it deletes a directory")));
    }
    assert_eq!(model.requests().iter().map(|recorded| recorded.turn).collect::<Vec<_>>(), [Some(0), Some(0)]);
    assert_eq!(model.name(), "no deletions");
    assert_eq!(model.capabilities(), Capabilities { tools: true, json_schema: false });
}

// rule: H8
#[tokio::test]
async fn tools_are_asked_for_and_found_in_results() {
    let model = scripted();
    let content = vec![Block::ToolResult {
        tool_use_id: "1".into(),
        content: vec![Block::Text("please run the tests".into())],
        is_error: false,
    }];
    let request = Request { messages: vec![Message { role: Role::User, content }], ..Request::default() };
    let answer = model.respond(&request).await.expect("an answer");
    assert_eq!(answer.stop, StopReason::ToolUse);
    let tools: Vec<_> =
        answer.tool_uses().map(|(id, name, input)| (id.to_owned(), name.to_owned(), input.len())).collect();
    assert_eq!(tools, [("call_1".to_owned(), "Bash".to_owned(), 1), ("x".to_owned(), "Now".to_owned(), 0)]);
    assert_eq!((answer.text().as_str(), answer.content.len()), ("I do.", 4));
}

// rule: O10
#[tokio::test]
async fn failures_waits_and_endless_answers_are_as_written() {
    let model = scripted();
    let error = model.respond(&Request::user("busy")).await.expect_err("an error");
    assert_eq!((variant(&error).as_str(), error.retry_after()), ("Overloaded", Some(Duration::from_secs(1))));
    let cut = model.respond(&Request::user("long")).await.expect("an answer");
    assert_eq!((cut.stop, cut.usage.input_tokens, cut.usage.output_tokens), (StopReason::MaxTokens, 5, 2));
    let late = tokio::time::timeout(PATIENCE, model.respond(&Request::user("late"))).await.expect("in time");
    assert_eq!(late.expect("an answer").text(), "at last");
    for endless in ["mute", "chatter"] {
        let request = Request::user(endless);
        let answer = tokio::time::timeout(Duration::from_millis(100), model.respond(&request)).await;
        assert!(answer.is_err(), "{endless} ended");
    }
}

#[tokio::test]
async fn turns_in_order_end_and_say_what_they_expected() {
    let script = Script::new(
        "two",
        vec![
            Turn::json(json!({"ok": true})).expecting("first"),
            Turn::tool("Bash", serde_json::Map::new()).expecting("second").after(Duration::from_millis(1)),
        ],
    );
    let model = ScriptedModel::new(script);
    assert_eq!(model.respond(&Request::user("the first")).await.expect("an answer").text(), r#"{"ok":true}"#);
    let error = model.respond(&Request::user("something else")).await.expect_err("an error");
    let shown = error.to_string();
    assert!(shown.contains("`second`") && shown.contains("`something else`"), "{shown}");
    let error = model.respond(&Request::user("more")).await.expect_err("an error");
    assert!(matches!(&error, ModelError::Script { message, .. } if message.contains("request 3")), "{error}");
    let turns: Vec<_> = model.requests().iter().map(|recorded| recorded.turn).collect();
    assert_eq!(turns, [Some(0), None, None]);
    let none = scripted().respond(&Request::user("hello")).await.expect_err("no turn fits").to_string();
    assert!(none.contains("rm -rf") && none.contains("`hello`"), "{none}");
}

#[tokio::test]
async fn requests_side_by_side_take_one_turn_each() {
    let turns = (0..20).map(|turn| Turn::text(turn.to_string())).collect();
    let model = ScriptedModel::new(Script::new("many", turns));
    let request = Request::user("?");
    let answers = futures_util::future::join_all((0..20).map(|_| model.respond(&request))).await;
    let mut texts: Vec<u32> = answers
        .into_iter()
        .map(|answer| answer.expect("an answer").text().parse().expect("a number"))
        .collect();
    texts.sort_unstable();
    assert_eq!(texts, (0..20).collect::<Vec<_>>());
}

#[test]
fn a_mistake_is_told_with_its_place() {
    for (text, expected) in [
        ("{\n  \"turns\": [\n    {\"txt\": \"x\"}\n  ]\n}", "s.json:3:10: unknown field `txt`"),
        ("\n  [{\"text\": \"x\"}]", "s.json:2:3: a script is an object with its turns"),
        ("{\"turns\": [{\"text\": \"x\"}]", "s.json:1:25: EOF"),
        ("{}", "s.json:1:2: missing field `turns`"),
        ("{\"turns\": [{\"error\": {\"kind\": \"sad\"}}]}", "unknown variant `sad`"),
        ("{\"turns\": [{\"text\": \"x\", \"json\": 1}]}", "turn 1 has both `text` and `json`"),
        ("{\"turns\": [{\"text\": \"x\"}, {}]}", "turn 2 has neither"),
        (
            "{\"turns\": [{\"text\": \"x\", \"error\": {\"kind\": \"server\"}}]}",
            "both an answer and an `error`",
        ),
        ("{\"turns\": [{\"endless\": \"text\", \"json\": 1}]}", "both an answer and `endless`"),
    ] {
        let error = Script::from_text(text, "s.json").expect_err(text).to_string();
        assert!(error.contains(expected), "{error}");
    }
}

#[tokio::test]
async fn a_script_is_read_from_a_file() {
    let dir = tempfile::tempdir().expect("a directory");
    let path = dir.path().join("script.json");
    let missing = ScriptedModel::from_file(&path).expect_err("no file");
    assert!(matches!(missing, ScriptError::Read { .. }), "{missing}");
    std::fs::write(&path, format!("\u{feff}{SCRIPT}")).expect("written");
    let model = ScriptedModel::from_file(&path).expect("a script");
    assert_eq!(model.respond(&Request::user("late")).await.expect("an answer").text(), "at last");
    std::fs::write(&path, "{\"turns\": 1}").expect("written");
    let error = ScriptedModel::from_file(&path).expect_err("no script").to_string();
    assert!(error.starts_with(&format!("{}:1:", path.display())), "{error}");
}

/// The example of the module's documentation is a script.
#[test]
fn the_documented_example_is_read() {
    let source = include_str!("../../src/scripted/mod.rs");
    let lines = source.lines().skip_while(|line| *line != "//! ```json").skip(1);
    let example: String =
        lines.take_while(|line| *line != "//! ```").map(|line| line[3..].to_owned() + "\n").collect();
    assert!(example.contains("\"turns\""), "{example}");
    Script::from_text(&example, "example").expect("the example is a script");
}
