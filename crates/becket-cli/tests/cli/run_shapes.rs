//! The formats that other programs rely on: inputs of hooks, transcripts, output for scripts.

use crate::run::{lines, run, scripted};
use becket_testkit::env::{ProgramOutput, TestEnv};
use becket_testkit::proc::wait_until;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// The keys of each input; see the file itself.
const INPUTS: &str = include_str!("../cases/run_inputs.json");

/// The first keys of every input.
const FIRST: [&str; 3] = ["session_id", "transcript_path", "cwd"];

fn expected() -> Map<String, Value> {
    let file: Value = serde_json::from_str(INPUTS).expect("it is JSON");
    file["events"].as_object().expect("events by name").clone()
}

/// Returns a hook on each event that records its input; the one on PermissionRequest allows, and adds a directory.
fn keeping_all() -> Value {
    let allow = r#"echo '{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"allow","updatedPermissions":[{"type":"addDirectories","directories":["more"],"destination":"session"}]}}}'"#;
    let hooks = expected().into_iter().map(|(event, _)| {
        let keep = format!(
            "mkdir -p \"$CLAUDE_PROJECT_DIR/inputs\"; cat >\"$CLAUDE_PROJECT_DIR/inputs/{event}.$$\""
        );
        let command = if event == "PermissionRequest" { format!("{keep}; {allow}") } else { keep };
        (event, json!([{"hooks": [{"type": "command", "command": command}]}]))
    });
    json!({"hooks": hooks.collect::<Map<_, _>>()})
}

fn call(id: &str, tool: &str, input: &Value) -> Value {
    json!({"tool_uses": [{"id": id, "name": tool, "input": input}]})
}

/// Runs a session in which all of these events fire, except StopFailure.
fn a_whole_session() -> (TestEnv, ProgramOutput) {
    let turns = json!([
        {"text": "I begin.", "tool_uses": [{"id": "write", "name": "Write", "input": {"file_path": "new.txt", "content": "x\n"}}]},
        call("fail", "Bash", &json!({"command": "ls nowhere"})),
        call("move", "Bash", &json!({"command": "cd sub"})),
        call("agent", "Agent", &json!({"description": "look", "prompt": "look around", "subagent_type": "Explore"})),
        call("of_agent", "Bash", &json!({"command": "pwd"})),
        {"text": "Nothing here."},
        {"text": "All done.", "expect": ["Nothing here."]}
    ]);
    let env = scripted(&keeping_all(), &turns);
    env.write("project/sub/file.txt", "x");
    env.write("project/more/file.txt", "x");
    env.write("project/.claude/commands/begin.md", "Begin with $0.");
    let ended = run(&env, &["-p", "/begin it", "--init", "--output-format", "stream-json"]).run();
    assert_eq!(ended.code, Some(0), "{ended:?}");
    (env, ended)
}

/// Returns the inputs of hooks, by event.
fn inputs(env: &TestEnv) -> BTreeMap<String, Vec<Map<String, Value>>> {
    let mut inputs: BTreeMap<String, Vec<_>> = BTreeMap::new();
    let directory = fs::read_dir(env.project().join("inputs")).expect("hooks have run");
    for entry in directory {
        let path = entry.expect("it can be read").path();
        let event = path.file_stem().expect("it has a name").to_string_lossy().into_owned();
        let text = fs::read_to_string(&path).expect("a hook keeps text");
        assert_eq!(text.lines().count(), 1, "one line: {text}");
        inputs.entry(event).or_default().push(serde_json::from_str(&text).expect("one object"));
    }
    inputs
}

/// Returns true if an input has these keys, in this order.
fn has_keys(input: &Map<String, Value>, expected: &Value) -> bool {
    let mut found = input.keys().map(String::as_str).peekable();
    let names = expected.as_array().into_iter().flatten().filter_map(Value::as_str);
    for name in FIRST.into_iter().chain(names) {
        let (name, may_be_missing) = name.strip_suffix('?').map_or((name, false), |name| (name, true));
        if found.next_if_eq(&name).is_none() && !may_be_missing {
            return false;
        }
    }
    found.next().is_none()
}

#[test]
fn hooks_of_a_run_read_the_fields_that_hooks_know() {
    // rules: N1, N3, N4
    let (env, ended) = a_whole_session();
    let inputs = inputs(&env);
    let session = lines(&ended)[0]["session_id"].clone();
    for (event, keys) in expected().iter().filter(|(event, _)| *event != "StopFailure") {
        let of = inputs.get(event).unwrap_or_else(|| panic!("{event} has not fired"));
        for input in of {
            assert!(has_keys(input, keys), "{event}: {:?}", input.keys().collect::<Vec<_>>());
            assert_eq!((&input["hook_event_name"], &input["session_id"]), (&json!(event), &session));
            let transcript = input["transcript_path"].as_str().expect("a path");
            assert!(
                Path::new(transcript).is_file() && Path::new(transcript).is_absolute(),
                "{event}: {transcript}"
            );
        }
    }
    assert!(inputs.keys().all(|event| expected().contains_key(event)));
}

#[test]
fn tools_look_to_hooks_of_a_run_as_they_do_elsewhere() {
    // rules: N3, N4, L0
    let (env, _) = a_whole_session();
    let inputs = inputs(&env);
    let of = |event: &str, id: &str| {
        let found = inputs[event].iter().find(|input| input.get("tool_use_id") == Some(&json!(id)));
        found.unwrap_or_else(|| panic!("{event} of {id}")).clone()
    };
    let file = env.project().join("new.txt");
    assert_eq!(of("PreToolUse", "write")["tool_input"], json!({"file_path": file, "content": "x\n"}));
    let response = &of("PostToolUse", "write")["tool_response"];
    for (key, value) in [("type", json!("create")), ("content", json!("x\n")), ("structuredPatch", json!([]))]
    {
        assert_eq!(response[key], value, "{key}");
    }
    assert_eq!((&response["filePath"], &response["originalFile"]), (&json!("new.txt"), &Value::Null));
    let moved = &of("PostToolUse", "move")["tool_response"];
    assert_eq!(
        *moved,
        json!({"stdout": "", "stderr": "", "interrupted": false, "isImage": false, "noOutputExpected": moved["noOutputExpected"]})
    );
    let error = &of("PostToolUseFailure", "fail")["error"];
    assert!(
        error.as_str().is_some_and(|error| error.starts_with("Exit code 2\n") && error.contains("nowhere"))
    );
    let agent = &of("PostToolUse", "agent")["tool_response"];
    let of_agent = of("PreToolUse", "of_agent");
    assert_eq!((&agent["status"], &agent["agentType"]), (&json!("completed"), &json!("Explore")));
    assert_eq!((&of_agent["agent_id"], &of_agent["agent_type"]), (&agent["agentId"], &json!("Explore")));
    let batches: Vec<&Value> = inputs["PostToolBatch"].iter().map(|input| &input["tool_calls"][0]).collect();
    let written = batches.iter().find(|call| call["tool_use_id"] == "write").expect("a batch of it");
    assert_eq!(written["tool_input"]["file_path"], "new.txt", "as the model wrote it");
}

#[test]
fn an_agent_of_a_run_has_a_transcript_of_its_own() {
    // rules: L0, N4
    let (env, _) = a_whole_session();
    let inputs = inputs(&env);
    let stop = &inputs["SubagentStop"][0];
    let path = stop["agent_transcript_path"].as_str().expect("a path");
    let of_session = stop["transcript_path"].as_str().expect("a path").trim_end_matches(".jsonl");
    assert!(path.starts_with(&format!("{of_session}/subagents/agent-")), "{path}");
    let text = fs::read_to_string(path).expect("it is there");
    assert!(text.contains("look around") && text.contains("Nothing here."), "{text}");
    let is_main = |input: &&Map<String, Value>| !input.contains_key("agent_id");
    let display: Vec<&Value> =
        inputs["MessageDisplay"].iter().filter(is_main).map(|input| &input["delta"]).collect();
    assert_eq!(display.len(), 2, "an agent's answers are not displayed: {display:?}");
}

#[test]
fn what_a_run_sends_can_be_fired_again_as_it_was() {
    // rules: N1, N5
    let (env, _) = a_whole_session();
    for (event, of) in inputs(&env) {
        fs::remove_dir_all(env.project().join("inputs")).expect("it is there");
        let input = Value::Object(of[0].clone());
        let ended = env.becket(["fire", "--stdin-event"]).stdin(input.to_string()).run();
        assert_eq!(ended.code, Some(0), "{event}: {ended:?}");
        let again = inputs(&env);
        assert_eq!(Value::Object(again[&event][0].clone()), input, "{event}");
    }
}

#[test]
fn a_failed_request_is_told_to_hooks_with_its_class() {
    // rule: L3
    let env = scripted(&keeping_all(), &json!([{"error": {"kind": "unauthorized", "message": "bad key"}}]));
    let ended = run(&env, &["-p", "hi", "--output-format", "json"]).run();
    assert!(ended.code == Some(1) && wait_until(|| inputs(&env).contains_key("StopFailure")), "{ended:?}");
    let inputs = inputs(&env);
    let failure = &inputs["StopFailure"][0];
    assert!(has_keys(failure, &expected()["StopFailure"]), "{failure:?}");
    assert_eq!(failure["error"], "authentication_failed");
    assert!(failure["last_assistant_message"].as_str().is_some_and(|text| text.starts_with("API Error: ")));
    assert!(!inputs.contains_key("Stop"));
}

#[test]
fn a_session_that_goes_on_says_how_long_it_was_left() {
    // rule: L0
    let env = scripted(&keeping_all(), &json!([{"text": "One."}]));
    assert_eq!(run(&env, &["-p", "hi"]).run().code, Some(0));
    fs::remove_dir_all(env.project().join("inputs")).expect("it is there");
    env.write("project/script.json", json!({"turns": [{"text": "Two."}]}).to_string());
    assert_eq!(run(&env, &["-p", "more", "--continue", "--name", "notes"]).run().code, Some(0));
    let inputs = inputs(&env);
    let start = &inputs["SessionStart"][0];
    let keys = json!([
        "hook_event_name",
        "source",
        "session_title",
        "seconds_since_last_response",
        "context_tokens",
        "prompt_cache_likely_expired",
        "estimated_cache_write_usd?"
    ]);
    assert!(has_keys(start, &keys), "{start:?}");
    assert_eq!((&start["source"], &start["session_title"]), (&json!("resume"), &json!("notes")));
    assert!(start["seconds_since_last_response"].as_f64().is_some_and(|seconds| seconds < 600.0));
}

#[test]
fn an_answer_has_one_id_for_all_who_know_it() {
    let (env, ended) = a_whole_session();
    let inputs = inputs(&env);
    let displayed: Vec<&Value> = inputs["MessageDisplay"].iter().map(|input| &input["message_id"]).collect();
    let transcript = inputs["Stop"][0]["transcript_path"].as_str().expect("a path");
    let stored = fs::read_to_string(transcript).expect("it is there");
    let stored: Vec<Value> =
        stored.lines().map(|line| serde_json::from_str(line).expect("an object")).collect();
    for answer in lines(&ended).iter().filter(|line| line["type"] == "assistant") {
        let id = &answer["message"]["id"];
        let in_transcript = stored.iter().any(|line| line["message"]["id"] == *id);
        assert_eq!(in_transcript, answer["parent_tool_use_id"].is_null(), "{answer}");
        let has_text = answer["message"]["content"][0]["type"] == "text";
        let is_main = answer["parent_tool_use_id"].is_null();
        assert_eq!(displayed.contains(&id), has_text && is_main, "{answer}");
    }
}
