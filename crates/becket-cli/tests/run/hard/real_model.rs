//! One task with a real model behind a real server, from the prompt to its end.
//!
//! `cargo xtask test` downloads the model and sets its path; without it nothing is tested here. The model is tiny: its
//! requests, their hooks and its end are tested, never its answers.

use crate::hard::place::{hook, hooks};
use becket_testkit::env::TestEnv;
use becket_testkit::real_model::ModelServer;
use serde_json::{Value, json};
use std::path::Path;

/// Starts a server of the model that supports tools.
fn serving() -> Option<ModelServer> {
    ModelServer::start(Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/run/hard/serve_with_tools.py")))
}

const AGENT: &str = r#"{"reader": {"description": "reads", "prompt": "You read files. The file is notes.txt.", "tools": ["Read"]}}"#;
const TASK: &str = "Call the tool Read with file_path notes.txt. What does notes.txt say?";

/// Works on the task; returns the place, the exit code, and the printed lines.
fn worked(serving: &ModelServer, before: &str) -> (TestEnv, Option<i32>, Vec<Value>) {
    let settings = hooks(&[("PreToolUse", vec![hook(before)]), ("Stop", vec![hook("cat >stopped.json")])]);
    let env = TestEnv::new(env!("CARGO_BIN_EXE_becket"));
    env.write("project/.claude/settings.json", settings.to_string());
    env.write("project/notes.txt", "The till opens at nine.\n");
    let url = format!("{}/v1", serving.url());
    let model = ["--model", "small", "--model-url", &url, "--agents", AGENT, "--agent", "reader"];
    let rest = ["--max-turns", "4", "--output-format", "stream-json", "-p", TASK];
    let ended = env.becket([&["run"], &model[..], &rest].concat()).run();
    let read = |line: &str| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {ended:?}"));
    let lines = ended.stdout.lines().map(read).collect();
    (env, ended.code, lines)
}

fn json_of(env: &TestEnv, name: &str) -> Value {
    let text = std::fs::read_to_string(env.project().join(name)).expect("the hook was asked");
    serde_json::from_str(&text).expect("its input is JSON")
}

fn result(lines: &[Value]) -> &Value {
    lines.iter().find(|line| line["type"] == "result").expect("the run has a result")
}

// rules: L0, L1, D6
#[test]
fn a_real_model_reads_and_answers_under_a_hook() {
    let Some(serving) = serving() else { return };
    let (env, code, lines) = worked(&serving, "cat >asked.json");
    let asked = json_of(&env, "asked.json");
    assert_eq!((&asked["tool_name"], &asked["tool_use_id"]), (&json!("Read"), &json!("call_1")));
    assert!(asked["tool_input"]["file_path"].is_string(), "{asked}");
    let ended = result(&lines);
    assert_eq!(
        (code, &ended["terminal_reason"], &ended["num_turns"]),
        (Some(0), &json!("completed"), &json!(2))
    );
    assert!(ended["usage"]["output_tokens"].as_u64() > Some(8), "{ended}");
    let answer = ended["result"].as_str().unwrap_or_default();
    assert!(!answer.is_empty());
    assert_eq!(json_of(&env, "stopped.json")["last_assistant_message"], answer);
    println!("asked for {}; answered {answer}", asked["tool_input"]["file_path"]);

    let (_, code, lines) = worked(&serving, "echo 'not before nine' >&2; exit 2");
    let told = lines.iter().find(|line| line["type"] == "user").expect("the model is told").to_string();
    assert!(told.contains("not before nine") && !told.contains("The till opens"), "{told}");
    let ended = result(&lines);
    assert_eq!((code, &ended["terminal_reason"]), (Some(0), &json!("completed")));
    assert_eq!(ended["permission_denials"].as_array().map(Vec::len), Some(1), "{ended}");
}
