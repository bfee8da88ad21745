//! Sessions, prompts and their ends.

use super::editor::Editor;
use super::{guarded, hook};
use becket_testkit::proc::wait_until;
use serde_json::{Value, json};
use std::fs;

/// Returns a shell line that writes its input to a file of the project.
fn note(file: &str) -> String {
    format!("cat >> \"$CLAUDE_PROJECT_DIR\"/{file}")
}

fn noted(env: &becket_testkit::env::TestEnv, file: &str) -> Vec<Value> {
    let text = fs::read_to_string(env.project().join(file)).unwrap_or_default();
    serde_json::Deserializer::from_str(&text).into_iter().filter_map(Result::ok).collect()
}

#[test]
fn a_blocked_prompt_is_refused_with_the_reason_and_does_not_reach_the_agent() {
    let guard =
        hook("UserPromptSubmit", "", "grep -q password && { echo 'no passwords' >&2; exit 2; }; exit 0");
    let env = guarded(&json!({}), &guard);
    let mut editor = Editor::start(&env);
    let answer = editor.prompt("my password is 1234");
    assert_eq!(answer["result"], json!({"stopReason": "refusal"}), "{answer}");
    assert!(editor.said().iter().any(|text| text.contains("no passwords")), "{:?}", editor.said());
    assert!(!editor.heard().contains("1234"));
    assert_eq!(editor.prompt("hello")["result"]["stopReason"], "end_turn");
    // Embedded files are read as well.
    let blocks = json!([{"type": "resource", "resource": {"uri": "file:///a", "text": "password"}}]);
    let answer = editor.request("session/prompt", &json!({"sessionId": "s1", "prompt": blocks}));
    assert_eq!(answer["result"]["stopReason"], "refusal");
}

// rule: D5
#[test]
fn context_of_hooks_is_a_block_of_the_prompt() {
    let mut hooks = hook("SessionStart", "startup", "echo 'it is Friday'");
    hooks["UserPromptSubmit"] =
        hook("UserPromptSubmit", "", "cat >/dev/null; echo 'mind the step'")["UserPromptSubmit"].clone();
    let env = guarded(&json!({}), &hooks);
    let mut editor = Editor::start(&env);
    editor.prompt("hello");
    assert_eq!(editor.said(), ["heard hello", "heard it is Friday", "heard mind the step"]);
    editor.updates.clear();
    editor.prompt("again");
    assert_eq!(editor.said(), ["heard again", "heard mind the step"]);
}

#[test]
fn all_else_passes_byte_for_byte_in_both_directions() {
    let mut hooks = hook("PreToolUse", "", "exit 2");
    hooks["Stop"] = hook("Stop", "", "exit 0")["Stop"].clone();
    let env = guarded(&json!({}), &hooks);
    let mut editor = Editor::start(&env);
    let odd = r#"{ "jsonrpc":"2.0",  "id":"x\u0031", "method":"_future/thing", "params":{"n":1.00,"n":1e400,"s":"\ud800"} }"#;
    editor.send(odd);
    let answer = editor.line();
    assert!(answer.contains(r#""id": "x1""#) && answer.contains("_future/thing"), "{answer}");
    assert!(editor.heard().contains(odd), "{}", editor.heard());
    let back = r#"{"method":"_future/told" ,"params":{"a":1,"a":2,"big":12345678901234567890123}}"#;
    let update = r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s1","update":{"sessionUpdate":"plan","entries":[]},"x":1.0}}"#;
    let prompt = json!([{"type": "text", "text": format!("raw {back}\nraw {update}")}]);
    let sent = json!({"jsonrpc": "2.0", "id": 77, "method": "session/prompt", "params": {"sessionId": "s1", "prompt": prompt}});
    let sent = sent.to_string().replace("\"id\":77", "\"id\" :  77");
    editor.send(&sent);
    assert_eq!((editor.line().as_str(), editor.line().as_str()), (back, update));
    assert_eq!(editor.line(), r#"{"jsonrpc": "2.0", "id": 77, "result": {"stopReason": "end_turn"}}"#);
    assert!(editor.heard().contains(&sent));
}

// rules: L4
#[test]
fn a_stop_hook_makes_the_turn_go_on() {
    let stop = "input=$(cat); echo \"$input\" >> \"$CLAUDE_PROJECT_DIR\"/stops; \
                case $input in *'\"stop_hook_active\":true'*) exit 0;; esac; echo 'run the tests' >&2; exit 2";
    let env = guarded(&json!({}), &hook("Stop", "", stop));
    let mut editor = Editor::start(&env);
    let answer = editor.prompt("hello");
    assert_eq!(answer["result"]["stopReason"], "end_turn", "{answer}");
    assert_eq!(editor.said(), ["heard hello", "heard run the tests"]);
    let stops = noted(&env, "stops");
    let facts: Vec<(&Value, &Value)> =
        stops.iter().map(|stop| (&stop["stop_hook_active"], &stop["last_assistant_message"])).collect();
    assert_eq!(
        facts,
        [(&json!(false), &json!("heard hello")), (&json!(true), &json!("heard run the tests"))]
    );
}

// rules: N3, L1
#[test]
fn calls_that_are_over_have_their_hooks() {
    let mut hooks = hook("PostToolUse", "Bash", &format!("{}; echo 'look again' >&2; exit 2", note("post")));
    hooks["PostToolUseFailure"] =
        hook("PostToolUseFailure", "", &note("failures"))["PostToolUseFailure"].clone();
    hooks["SessionStart"] = hook("SessionStart", "", &note("starts"))["SessionStart"].clone();
    let env = guarded(&json!({}), &hooks);
    let mut editor = Editor::start(&env);
    let update = |update: Value| json!({"jsonrpc": "2.0", "method": "session/update", "params": {"sessionId": "s1", "update": update}});
    let begun = update(
        json!({"sessionUpdate": "tool_call", "toolCallId": "t1", "kind": "execute", "title": "ls", "status": "in_progress", "rawInput": {"command": "ls -l"}}),
    );
    let done = update(
        json!({"sessionUpdate": "tool_call_update", "toolCallId": "t1", "status": "completed", "content": [{"type": "content", "content": {"type": "text", "text": "a b"}}]}),
    );
    let failed = update(
        json!({"sessionUpdate": "tool_call_update", "toolCallId": "t2", "kind": "execute", "title": "cat x", "status": "failed", "content": [{"type": "content", "content": {"type": "text", "text": "no such file"}}]}),
    );
    editor.prompt(&format!("{begun}\n{done}\n{failed}"));
    assert!(wait_until(|| ["post", "failures"].iter().all(|name| !noted(&env, name).is_empty())));
    let (post, failures, starts) = (noted(&env, "post"), noted(&env, "failures"), noted(&env, "starts"));
    assert_eq!((&post[0]["tool_name"], &post[0]["tool_input"]["command"]), (&json!("Bash"), &json!("ls -l")));
    assert_eq!(post[0]["tool_response"][0]["content"]["text"], "a b");
    assert_eq!((&post[0]["tool_use_id"], &post[0]["session_id"]), (&json!("t1"), &json!("s1")));
    assert_eq!(failures[0]["error"], "no such file");
    assert_eq!((&starts[0]["source"], starts.len()), (&json!("startup"), 1));
    editor.updates.clear();
    editor.prompt("next");
    assert_eq!(editor.said(), ["heard next", "heard look again"]);
}

#[test]
fn a_prompt_that_is_cancelled_while_its_hooks_run_is_not_sent() {
    let slow = hook("UserPromptSubmit", "", "touch \"$CLAUDE_PROJECT_DIR\"/runs; exec sleep 1000");
    let env = guarded(&json!({}), &slow);
    let mut editor = Editor::start(&env);
    let prompt = json!([{"type": "text", "text": "hello"}]);
    let sent = json!({"jsonrpc": "2.0", "id": 9, "method": "session/prompt", "params": {"sessionId": "s1", "prompt": prompt}});
    editor.send(&sent.to_string());
    assert!(wait_until(|| env.project().join("runs").exists()));
    editor.send(
        &json!({"jsonrpc": "2.0", "method": "session/cancel", "params": {"sessionId": "s1"}}).to_string(),
    );
    assert_eq!(editor.answer_of(&json!(9))["result"], json!({"stopReason": "cancelled"}));
    // The answer comes from the proxy: the agent may not have read its line yet.
    assert!(wait_until(|| editor.heard().contains("session/cancel")));
    assert!(!editor.heard().contains("hello"));
}

#[test]
fn prompts_that_cant_be_judged_are_refused() {
    let env = guarded(&json!({}), &json!({}));
    let mut editor = Editor::start(&env);
    let text = json!([{"type": "text", "text": "x"}]);
    for params in [
        json!({"sessionId": "nobody's", "prompt": text}),
        json!({"sessionId": "s1", "prompt": "text"}),
        json!({"sessionId": "s1", "prompt": [{"text": "x"}]}),
        json!({"prompt": text}),
    ] {
        let answer = editor.request("session/prompt", &params);
        assert_eq!(answer["error"]["code"], -32602, "{params}: {answer}");
    }
    assert_eq!(editor.request("session/new", &json!({"mcpServers": []}))["error"]["code"], -32602);
    editor.send("{\"half\": ");
    let answer: Value = serde_json::from_str(&editor.line()).expect("JSON");
    assert_eq!((&answer["id"], &answer["error"]["code"]), (&Value::Null, &json!(-32700)));
    assert!(!editor.heard().contains("session/prompt"));
}

// rules: G3, G6
#[test]
fn hooks_of_a_folder_that_nobody_trusts_do_not_run() {
    let env = guarded(&json!({"deny": ["Bash(git push:*)"]}), &hook("UserPromptSubmit", "", "exit 2"));
    fs::remove_file(env.root().join("home/.claude.json")).expect("a record");
    env.write("managed/managed-settings.json", json!({"audit": "required"}).to_string());
    let mut editor = Editor::start(&env);
    assert_eq!(editor.prompt("hello")["result"]["stopReason"], "end_turn");
    let push = json!({"sessionId": "s1", "command": "git push"});
    assert_eq!(editor.agent_asks("terminal/create", &push)["code"], -32000, "its rules count");
    let recorded = crate::audit::records(&env);
    let of_calls = recorded.iter().filter(|record| record["what"]["event"] == "PreToolUse");
    let decisions: Vec<&Value> = of_calls.map(|record| &record["what"]["decision"]).collect();
    assert_eq!(decisions, ["proceed", "block"], "{recorded:?}");
    let told = fs::read_to_string(env.root().join("stderr")).expect("a log");
    assert!(told.contains("`becket trust` there changes that"), "{told}");
    assert!(told.contains("prompts can be refused"), "{told}");
    drop(editor);
    let mut editor = Editor::without_session(&env, &["--trust-project"]);
    editor.request("session/new", &json!({"cwd": env.project(), "mcpServers": []}));
    assert_eq!(editor.prompt("hello")["result"]["stopReason"], "refusal");
}

#[test]
fn a_loaded_session_has_its_hooks() {
    let env = guarded(&json!({}), &hook("SessionStart", "resume", &note("resumed")));
    let mut editor = Editor::without_session(&env, &[]);
    let params = json!({"sessionId": "old", "cwd": env.project(), "mcpServers": []});
    assert_eq!(editor.request("session/load", &params)["result"]["method"], "session/load");
    assert_eq!(noted(&env, "resumed")[0]["session_id"], "old");
}

/// Returns a request to load a session in a directory.
fn load(id: u64, session: &str, cwd: &std::path::Path) -> String {
    let params = json!({"sessionId": session, "cwd": cwd, "mcpServers": []});
    json!({"jsonrpc": "2.0", "id": id, "method": "session/load", "params": params}).to_string()
}

#[test]
fn a_session_that_the_agent_refuses_has_no_hooks() {
    let mut hooks = hook("SessionStart", "", &note("starts"));
    hooks["SessionEnd"] = hook("SessionEnd", "", &note("ends"))["SessionEnd"].clone();
    let env = guarded(&json!({}), &hooks);
    let mut editor = Editor::without_session(&env, &[]);
    let params = json!({"sessionId": "old", "cwd": env.project(), "mcpServers": [], "fails": true});
    assert_eq!(editor.request("session/load", &params)["error"]["message"], "it is gone");
    assert_eq!(editor.leave(), Some(0));
    assert!(noted(&env, "starts").is_empty() && noted(&env, "ends").is_empty());
}

#[test]
fn a_session_that_is_loaded_in_another_project_has_the_rules_of_that() {
    let env = guarded(&json!({}), &hook("SessionEnd", "", &note("ends")));
    let rules = json!({"permissions": {"deny": ["Bash(git push:*)"]}});
    env.write("other/.claude/settings.json", rules.to_string());
    let other = env.root().join("other");
    let mut editor = Editor::without_session(&env, &[]);
    let push = json!({"jsonrpc": "2.0", "id": "a1", "method": "terminal/create", "params": {"sessionId": "l1", "command": "git push"}});
    let text = json!([{"type": "text", "text": format!("ask {push}")}]);
    let prompt = json!({"sessionId": "l1", "prompt": text});
    for (id, cwd, reached) in [(50, &env.project(), 1), (51, &other, 1), (52, &env.project(), 2)] {
        editor.send(&load(id, "l1", cwd));
        editor.answer_of(&json!(id));
        editor.request("session/prompt", &prompt);
        assert_eq!(editor.requests.len(), reached, "{cwd:?}: {:?}", editor.said());
    }
    assert!(wait_until(|| !noted(&env, "ends").is_empty()), "the first session has ended");
}

#[test]
fn a_session_that_starts_holds_its_own_lines_alone() {
    let slow =
        "touch \"$CLAUDE_PROJECT_DIR\"/starts; until [ -e \"$CLAUDE_PROJECT_DIR\"/go ]; do sleep 0.02; done";
    let env = guarded(&json!({}), &hook("SessionStart", "resume", slow));
    let mut editor = Editor::start(&env);
    editor.send(&load(50, "l1", &env.project()));
    assert!(wait_until(|| env.project().join("starts").exists()));
    let told = |session: &str| json!({"jsonrpc": "2.0", "method": "session/update", "params": {"sessionId": session, "update": {"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": session}}}});
    editor.prompt(&format!("{}\n{}", told("l1"), told("s1")));
    assert_eq!(editor.said(), ["s1"]);
    fs::write(env.project().join("go"), "").expect("a file");
    let answer = editor.answer_of(&json!(50));
    assert_eq!(answer["result"]["method"], "session/load");
    assert_eq!(editor.said(), ["s1"], "the editor knows the session before it hears of it");
    let line = editor.line();
    assert!(line.contains("agent_message_chunk") && line.contains("\"l1\""), "{line}");
}

#[test]
fn a_cancelled_turn_is_not_continued_by_a_stop_hook() {
    let stop = "touch \"$CLAUDE_PROJECT_DIR\"/stops; until [ -e \"$CLAUDE_PROJECT_DIR\"/go ]; do sleep 0.02; done; \
                echo more >&2; exit 2";
    let env = guarded(&json!({}), &hook("Stop", "", stop));
    let mut editor = Editor::start(&env);
    let prompt = json!([{"type": "text", "text": "hello"}]);
    let sent = json!({"jsonrpc": "2.0", "id": 9, "method": "session/prompt", "params": {"sessionId": "s1", "prompt": prompt}});
    editor.send(&sent.to_string());
    assert!(wait_until(|| env.project().join("stops").exists()));
    editor.send(
        &json!({"jsonrpc": "2.0", "method": "session/cancel", "params": {"sessionId": "s1"}}).to_string(),
    );
    assert_eq!(editor.answer_of(&json!(9))["result"], json!({"stopReason": "cancelled"}));
    fs::write(env.project().join("go"), "").expect("a file");
    assert!(wait_until(|| editor.heard().contains("session/cancel")));
    assert_eq!(editor.leave(), Some(0));
    assert_eq!(editor.heard().matches("session/prompt").count(), 1, "{}", editor.heard());
}

#[test]
fn a_cancellation_right_after_a_prompt_is_not_overtaken_by_it() {
    let env = guarded(&json!({}), &json!({}));
    let mut editor = Editor::start(&env);
    let cancel = json!({"jsonrpc": "2.0", "method": "session/cancel", "params": {"sessionId": "s1"}});
    for id in 100..120 {
        let prompt = json!([{"type": "text", "text": "hello"}]);
        let sent = json!({"jsonrpc": "2.0", "id": id, "method": "session/prompt", "params": {"sessionId": "s1", "prompt": prompt}});
        editor.send(&format!("{sent}\n{cancel}"));
        editor.answer_of(&json!(id));
        assert!(wait_until(|| editor.heard().matches("session/cancel").count() == id - 99));
    }
    let heard = editor.heard();
    let mut lines =
        heard.lines().filter(|line| line.contains("session/prompt") || line.contains("session/cancel"));
    while let Some(line) = lines.next() {
        let is_prompt = line.contains("session/prompt");
        let next = if is_prompt { lines.next() } else { Some(line) };
        assert!(next.is_some_and(|next| next.contains("session/cancel")), "{heard}");
    }
}
