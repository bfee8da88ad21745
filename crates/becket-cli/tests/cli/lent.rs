//! The services of `fire` for hooks (models, networks), and background hooks after the verdict.

use crate::env_with;
use becket_testkit::env::{ProgramOutput, TestEnv};
use becket_testkit::proc::{Marker, wait_until};
use serde_json::{Value, json};
use snapbox::{assert_data_eq, file};
use std::io::{Read, Write};
use std::net::TcpListener;

fn settings(event: &str, hooks: Value) -> String {
    json!({"hooks": {event: [{"hooks": hooks}]}}).to_string()
}

fn prompt() -> Value {
    json!([{"type": "prompt", "prompt": "May it run? $ARGUMENTS"}])
}

const FIRE: [&str; 4] = ["fire", "PreToolUse", "--tool", "Bash"];

// rules: H7, O10
#[test]
fn a_script_answers_in_the_place_of_every_model() {
    let env = env_with(&settings("PreToolUse", prompt()));
    let turn = json!({"expect": ["May it run?"], "json": {"reason": "not on a Friday", "ok": false},
        "usage": {"input_tokens": 12, "output_tokens": 3}});
    env.write("project/script.json", json!({"name": "friday", "turns": [turn]}).to_string());
    let script = ["--model-script", "script.json"];
    let ended = env.becket(FIRE.into_iter().chain(script)).run();
    assert_eq!(ended.code, Some(2), "{ended:?}");
    assert!(ended.stdout.contains("not on a Friday"), "{ended:?}");
    assert!(ended.stdout.contains("friday: 1 request, 12 tokens read, 3 written"), "{ended:?}");
    let ended = env.becket(FIRE.into_iter().chain(script).chain(["--json"])).run();
    let report: Value = serde_json::from_str(&ended.stdout).expect("a report");
    assert_eq!(report["hooks"][0]["model"]["output_tokens"], 3, "{report}");
    env.write("project/script.json", "{\n  \"truns\": []}");
    let ended = env.becket(FIRE.into_iter().chain(script)).run();
    assert_eq!(ended.code, Some(1), "{ended:?}");
    assert!(ended.stderr.contains("script.json:2:"), "{ended:?}");
}

/// Starts a server that answers one request with a stream of events; returns the request at its end.
fn server(events: &str) -> (String, std::thread::JoinHandle<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port is free");
    let url = format!("http://{}/v1/", listener.local_addr().expect("it has an address"));
    let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close";
    let answer = format!("{head}\r\ncontent-length: {}\r\n\r\n{events}", events.len());
    listener.set_nonblocking(true).expect("it can be asked");
    let heard = std::thread::spawn(move || {
        let mut came = None;
        assert!(wait_until(|| {
            came = listener.accept().ok();
            came.is_some()
        }));
        let (mut stream, _) = came.expect("somebody came");
        stream.set_nonblocking(false).expect("it can be waited for");
        let mut request = Vec::new();
        let mut buffer = [0; 4096];
        while !is_whole(&request) {
            match stream.read(&mut buffer) {
                Ok(0) | Err(_) => break,
                Ok(count) => request.extend_from_slice(&buffer[..count]),
            }
        }
        stream.write_all(answer.as_bytes()).expect("it takes the answer");
        String::from_utf8_lossy(&request).into_owned()
    });
    (url, heard)
}

/// Returns a verdict in OpenAI's protocol.
fn openai(verdict: &str) -> String {
    let chunk = |delta: Value, end: Value| {
        json!({"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "tiny",
            "choices": [{"index": 0, "delta": delta, "finish_reason": end}]})
    };
    let usage = json!({"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "tiny", "choices": [],
        "usage": {"prompt_tokens": 7, "completion_tokens": 2, "total_tokens": 9}});
    let said = chunk(json!({"role": "assistant", "content": verdict}), Value::Null);
    format!("data: {said}\n\ndata: {}\n\ndata: {usage}\n\ndata: [DONE]\n\n", chunk(json!({}), json!("stop")))
}

/// Returns a verdict in the Messages API.
fn anthropic(verdict: &str) -> String {
    let message = json!({"id": "m", "type": "message", "role": "assistant", "model": "claude-x", "content": [],
        "stop_reason": null, "stop_sequence": null, "usage": {"input_tokens": 7, "output_tokens": 0}});
    let events = [
        json!({"type": "message_start", "message": message}),
        json!({"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}}),
        json!({"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": verdict}}),
        json!({"type": "content_block_stop", "index": 0}),
        json!({"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 2}}),
        json!({"type": "message_stop"}),
    ];
    let line =
        |event: &Value| format!("event: {}\ndata: {event}\n\n", event["type"].as_str().expect("a type"));
    events.iter().map(line).collect()
}

fn is_whole(request: &[u8]) -> bool {
    let text = String::from_utf8_lossy(request).to_lowercase();
    let Some((head, body)) = text.split_once("\r\n\r\n") else { return false };
    let length = head.lines().find_map(|line| line.strip_prefix("content-length:"));
    length.and_then(|length| length.trim().parse().ok()).is_none_or(|length: usize| body.len() >= length)
}

// rules: H7, S3
#[test]
fn a_server_by_its_url_is_asked_with_the_key_of_its_provider() {
    let verdict = json!({"reason": "fine", "ok": true}).to_string();
    for (name, answer, path) in [
        ("tiny", openai(&verdict), "POST /v1/chat/completions"),
        ("claude-x", anthropic(&verdict), "/v1/messages"),
    ] {
        let env = env_with(&settings("PreToolUse", prompt()));
        let (url, heard) = server(&answer);
        let run = env.becket(FIRE.into_iter().chain(["--model", name, "--model-url", &url]));
        let run = run.env("OPENAI_API_KEY", "of-openai").env("ANTHROPIC_API_KEY", "of-anthropic");
        let ended = run.env("HTTPS_PROXY", "http://127.0.0.1:9").run();
        let request = heard.join().expect("the server ends");
        assert!(request.contains(path), "{name}: {request}");
        let (own, other) =
            if name == "tiny" { ("of-openai", "of-anthropic") } else { ("of-anthropic", "of-openai") };
        assert!(request.contains(own) && !request.contains(other), "{name}: {request}");
        assert!(!ended.stdout.contains(own) && !ended.stderr.contains(own), "{ended:?}");
        assert_eq!(ended.code, Some(0), "{name}: {ended:?}");
        assert!(ended.stdout.contains("7 tokens read, 2 written"), "{name}: {ended:?}");
    }
}

// rules: H7, O10
#[test]
fn without_a_model_a_prompt_handler_checks_nothing_and_says_so() {
    let env = env_with(&settings("PreToolUse", prompt()));
    let ended = env.becket(FIRE).run();
    assert_eq!(ended.code, Some(4), "{ended:?}");
    assert!(ended.stdout.contains("not checked: its model gave no usable answer"), "{ended:?}");
}

// rule: S1
#[test]
fn a_private_network_is_reached_only_where_it_is_allowed() {
    let hook = json!([{"type": "http", "url": "http://10.255.255.1:9/", "timeout": 0.5}]);
    let env = env_with(&settings("PreToolUse", hook));
    let refused = env.becket(FIRE).run();
    assert!(refused.stderr.contains("private network"), "{refused:?}");
    let allowed = env.becket(FIRE.into_iter().chain(["--allow-network", "10.255.0.0/16"])).run();
    assert!(!allowed.stderr.contains("not loaded"), "{allowed:?}");
    assert!(allowed.stdout.contains("http://10.255.255.1:9/"), "{allowed:?}");
    let other = env.becket(FIRE.into_iter().chain(["--allow-network", "10.1.0.0/16"])).run();
    assert!(other.stderr.contains("private network"), "{other:?}");
    let wrong = env.becket(FIRE.into_iter().chain(["--allow-network", "10.255.0.0/99"])).run();
    assert_eq!((wrong.code, wrong.stdout.as_str()), (Some(1), ""), "{wrong:?}");
    assert!(wrong.stderr.contains("`--allow-network 10.255.0.0/99`"), "{wrong:?}");
}

/// Returns a background hook that waits for the verdict's file, then prints context.
fn later(exit: i32) -> Value {
    let context = r#"{"hookSpecificOutput": {"hookEventName": "PreToolUse", "additionalContext": "news"}}"#;
    let script = format!("cat >/dev/null; sleep 0.3; echo '{context}'; echo 'wake up' >&2; exit {exit}");
    json!([{"type": "command", "command": script, "asyncRewake": exit == 2, "async": true}])
}

// rules: A1, A3, A4
#[test]
fn what_goes_on_behind_the_verdict_is_waited_for_and_shown() {
    for exit in [0, 2] {
        let env = env_with(&settings("PreToolUse", later(exit)));
        let ended = env.becket(FIRE).run();
        assert_eq!(ended.code, Some(0), "{ended:?}");
        let (verdict, behind) = ended.stdout.split_once("in the background").expect("a part of its own");
        assert!(verdict.contains("left") && !verdict.contains("news"), "{ended:?}");
        assert!(behind.contains("news"), "{ended:?}");
        assert_eq!(behind.contains("the model reads at once: wake up"), exit == 2, "{ended:?}");
        let ended = env.becket(FIRE.into_iter().chain(["--json"])).run();
        let report: Value = serde_json::from_str(&ended.stdout).expect("a report");
        assert_eq!(report["background"][0]["context"], json!(["news"]), "{report}");
        assert_eq!(report["background"][0]["reminder"].is_string(), exit == 2, "{report}");
    }
}

// rules: A5, H4
#[test]
fn without_waiting_the_background_ends_with_the_verdict() {
    let hook = json!([{"type": "command", "command": "sleep 300 & sleep 300", "async": true}]);
    let env = env_with(&settings("PreToolUse", hook));
    let marker = Marker::new();
    let (name, value) = marker.env();
    let ended = env.becket(FIRE.into_iter().chain(["--no-wait"])).env(&name, &value).run();
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert!(ended.stdout.contains("cancelled"), "{ended:?}");
    assert_eq!(marker.alive(), Vec::<u32>::new());
}

/// Returns a background hook that takes half a second, and one that never ends.
fn slow_and_endless() -> Value {
    let background = |line: &str| json!({"type": "command", "command": line, "async": true});
    json!([background("touch began; sleep 0.5; touch late"), background("sleep 300")])
}

/// Returns the same hooks, which announce themselves that they continue in the background.
fn self_announced() -> Value {
    let background =
        |line: &str| json!({"type": "command", "command": format!("echo '{{\"async\": true}}'; {line}")});
    json!([background("touch began; sleep 0.5; touch late"), background("sleep 300")])
}

// rules: A5, H11
#[test]
fn hooks_in_the_background_have_their_time_when_fire_does_not_wait() {
    for more in [&["--no-wait"][..], &["--no-wait", "--session-dir", "kept"]] {
        let env = env_with(&settings("PreToolUse", slow_and_endless()));
        let marker = Marker::new();
        let (name, value) = marker.env();
        let ended = env.becket(FIRE.into_iter().chain(more.iter().copied())).env(&name, &value).run();
        assert_eq!(ended.code, Some(0), "{ended:?}");
        assert!(env.project().join("late").exists(), "{more:?} {ended:?}");
        assert_eq!(ended.stdout.matches("project  cancelled").count(), 1, "{ended:?}");
        assert_eq!(marker.alive(), Vec::<u32>::new());
    }
    let env = env_with(&settings("PreToolUse", slow_and_endless()));
    let budget = ("CLAUDE_CODE_SESSIONEND_HOOKS_TIMEOUT_MS", "0");
    let ended = env.becket(FIRE.into_iter().chain(["--no-wait"])).env(budget.0, budget.1).run();
    assert_eq!(
        ended.stdout.matches("project  cancelled").count(),
        2,
        "the budget is what the user says: {ended:?}"
    );
    assert!(!env.project().join("late").exists());
}

// rules: A5, H4
#[cfg(unix)]
#[test]
fn a_signal_leaves_hooks_in_the_background_their_time_but_not_those_of_a_hook() {
    use becket_testkit::proc::wait_until;
    use std::io::Write;
    use std::process::{Command, Stdio};
    for (arguments, hooks, has_time) in
        [(&FIRE[..], slow_and_endless(), true), (&["fire", "--stdin-event"], self_announced(), false)]
    {
        let env = env_with(&settings("PreToolUse", hooks));
        let marker = Marker::new();
        let (name, value) = marker.env();
        // Without a home, `fire` waits for hooks that announce themselves.
        let home = if has_time { env.root().join("home") } else { "".into() };
        let command = env.becket(arguments.iter().copied()).env(&name, &value).env_os("HOME", home);
        let mut command = command.into_command();
        command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
        let mut becket = command.spawn().expect("becket starts");
        let input = json!({"session_id": "s", "transcript_path": "/t", "cwd": env.project(), "tool_name": "Bash",
            "hook_event_name": "PreToolUse", "tool_input": {}, "tool_use_id": "t"});
        let mut stdin = becket.stdin.take().expect("piped");
        // `fire` with arguments reads no input.
        drop(stdin.write_all(input.to_string().as_bytes()));
        drop(stdin);
        assert!(wait_until(|| env.project().join("began").exists() && marker.alive().len() >= 3));
        let sent = Command::new("kill").args(["-s", "TERM", &becket.id().to_string()]).status();
        assert!(sent.is_ok_and(|sent| sent.success()));
        becket.wait().expect("it ends");
        assert_eq!(marker.alive(), Vec::<u32>::new(), "{arguments:?}");
        assert_eq!(env.project().join("late").exists(), has_time, "{arguments:?}");
    }
}

// rules: A1, A3, A4
#[test]
fn as_a_hook_of_another_agent_nothing_of_the_background_is_lost() {
    let input = |env: &TestEnv, event: &str| {
        let fields = json!({"session_id": "s", "transcript_path": "/t", "cwd": env.project(), "tool_name": "Bash",
            "hook_event_name": event, "tool_input": {}, "tool_use_id": "t", "prompt": "hello", "reason": "other"});
        env.becket(["fire", "--stdin-event"]).stdin(fields.to_string()).run()
    };
    let context = |ended: &ProgramOutput| {
        let said: Value = serde_json::from_str(&ended.stdout).unwrap_or_default();
        said["hookSpecificOutput"]["additionalContext"].clone()
    };
    // A hook that would wake an agent can't: its output is in a later answer.
    let env = env_with(&settings("PreToolUse", later(2)));
    let ended = input(&env, "PreToolUse");
    assert_eq!((ended.code, ended.stderr.as_str()), (Some(0), ""), "{ended:?}");
    assert!(wait_until(|| {
        let later = input(&env, "UserPromptSubmit").stdout;
        later.contains("news") && later.contains("wake up")
    }));
    // The output of another one is as well, once.
    let env = env_with(&settings("PreToolUse", later(0)));
    let ended = input(&env, "PreToolUse");
    assert_eq!((ended.code, ended.stdout.as_str(), ended.stderr.as_str()), (Some(0), "", ""), "{ended:?}");
    assert!(wait_until(|| context(&input(&env, "UserPromptSubmit")) == "news"));
    assert_eq!(context(&input(&env, "UserPromptSubmit")), Value::Null);
    let kept = env.root().join("home/.claude/becket/carried");
    assert_eq!(input(&env, "SessionEnd").code, Some(0));
    assert_eq!(std::fs::read_dir(kept).expect("it was there").count(), 0);
}

// rules: H8, P7
#[test]
fn agents_have_tools_under_the_rules_of_the_configuration() {
    for (deny, is_read) in [("Read(secret.txt)", true), ("Read(open.txt)", false)] {
        let hooks = json!({"PreToolUse": [{"hooks": [{"type": "agent", "prompt": "Is there a password?"}]}]});
        let env = env_with(&json!({"hooks": hooks, "permissions": {"deny": [deny]}}).to_string());
        env.write("project/open.txt", "the password is sesame");
        let grep = json!({"name": "Grep", "input": {"pattern": "sesame", "output_mode": "content"}});
        let turns = json!([{"tool_uses": [grep]},
            {"expect": ["the password is sesame"], "json": {"reason": "it lies open", "ok": false}}]);
        env.write("script.json", json!({"name": "agent", "turns": turns}).to_string());
        let ended = env.becket(FIRE.into_iter().chain(["--model-script", "../script.json"])).run();
        assert_eq!(ended.stdout.contains("it lies open"), is_read, "{ended:?}");
        assert_eq!(ended.stdout.contains("not checked"), !is_read, "{ended:?}");
    }
}

// rules: H6, X7
#[test]
fn mcp_servers_of_a_file_are_connected_called_and_ended() {
    let hook = |server: &str| json!({"type": "mcp_tool", "server": server, "tool": "text"});
    let env = env_with(&settings("PreToolUse", json!([hook("ours"), hook("gone")])));
    let script = crate::workspace().join("crates/becket-mcp/tests/servers/server.py");
    let ours = json!({"command": "python3", "args": [script]});
    let servers = json!({"mcpServers": {"ours": ours, "gone": {"command": "no-such-program"}}});
    env.write("project/servers.json", servers.to_string());
    let marker = Marker::new();
    let (name, value) = marker.env();
    let run = env.becket(FIRE.into_iter().chain(["--mcp-config", "servers.json", "--json"]));
    let ended = run.env(&name, &value).run();
    assert_eq!(marker.alive(), Vec::<u32>::new());
    assert!(ended.stderr.contains("the server `gone` is not connected"), "{ended:?}");
    let report: Value = serde_json::from_str(&ended.stdout).expect("a report");
    let (called, failed) = (&report["hooks"][0], &report["hooks"][1]);
    assert_eq!((&called["kind"], &called["status"]), (&json!("mcp_tool"), &json!("success")), "{report}");
    assert!(failed["failure"].as_str().is_some_and(|why| why.contains("gone")), "{report}");
    env.write("project/servers.json", "{");
    let ended = env.becket(FIRE.into_iter().chain(["--mcp-config", "servers.json"])).run();
    assert_eq!((ended.code, ended.stdout.as_str()), (Some(1), ""), "{ended:?}");
    assert!(ended.stderr.contains("servers.json:1"), "{ended:?}");
}

// rules: Q1, H7, A1
#[test]
fn each_kind_shows_what_is_its_own() {
    let question = json!({"prompt": "q", "message": "Really?", "options": [{"key": "y", "label": "Yes"}]});
    let asks = format!("read input; echo '{question}'; read answer; exit 0 # asks");
    let hooks = json!([
        {"type": "command", "command": asks, "questions": true},
        {"type": "prompt", "prompt": "May it run?"},
        {"type": "command", "command": "echo '{\"systemMessage\": \"done at last\"}'", "async": true}
    ]);
    let env = env_with(&settings("PreToolUse", hooks));
    let turn =
        json!({"json": {"reason": "why not", "ok": true}, "usage": {"input_tokens": 5, "output_tokens": 2}});
    env.write("project/script.json", json!({"name": "tiny", "turns": [turn]}).to_string());
    env.write("project/answers.json", r#"{"q": "y"}"#);
    let lent = ["--model-script", "script.json", "--answers", "answers.json"];
    let ended = env.becket(FIRE.into_iter().chain(lent)).run();
    assert_eq!((ended.code, ended.stderr.as_str()), (Some(0), ""), "{ended:?}");
    assert_data_eq!(env.redacted(&ended.stdout), file!["snapshots/fire.kinds.txt"].raw());
}
