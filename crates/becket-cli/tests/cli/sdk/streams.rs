//! Lines about answers, subagents, tasks and states: their kinds, and the hosts that receive them.

use super::host::Host;
use super::{bash, place};
use becket_testkit::env::TestEnv;
use becket_testkit::messages_api::{Server, Turn};
use serde_json::{Value, json};

const BECKET: &str = env!("CARGO_BIN_EXE_becket");

fn kinds(host: &Host) -> Vec<String> {
    let events = host.seen.iter().filter(|line| line["type"] == "stream_event");
    events.filter_map(|line| line["event"]["type"].as_str()).map(str::to_owned).collect()
}

fn of_subtype<'h>(host: &'h Host, subtype: &str) -> Vec<&'h Value> {
    host.seen.iter().filter(|line| line["type"] == "system" && line["subtype"] == subtype).collect()
}

#[test]
fn the_first_line_tells_the_release_of_the_protocol_and_what_has_no_effect() {
    let env = place(BECKET, &json!({}), &json!([{"text": "Hello."}]));
    let wants = json!({"planModeInstructions": "none", "agentProgressSummaries": true, "perTaskStopAffordance": false});
    let mut host = Host::initialized(&env, &["--debug"], wants);
    host.prompt("hi");
    let init = host.until(|line| line["subtype"] == "init");
    assert!(
        init["claude_code_version"].as_str().is_some_and(|version| version.starts_with("2.1.")),
        "{init}"
    );
    let capabilities = [
        "interrupt_receipt_v1",
        "interrupt_cancel_queued_v1",
        "mcp_read_resource_v1",
        "reload_plugins_refuse_if_busy_v1",
    ];
    assert_eq!(init["capabilities"], json!(capabilities));
    let warnings = init["warnings"].to_string();
    for name in ["`--debug`", "`planModeInstructions`", "`agentProgressSummaries`"] {
        assert!(warnings.contains(name), "{warnings}");
    }
    assert!(!warnings.contains("perTaskStopAffordance"), "an option that is off asks for nothing");
    host.result();
    let (code, stderr) = host.ends();
    assert!(
        code == Some(0) && stderr.contains("`agentProgressSummaries`") && stderr.contains("`--debug`"),
        "{stderr}"
    );
}

#[test]
fn an_answer_streams_whole_with_its_thoughts_and_calls() {
    let turns =
        json!([{"thinking": "hm", "text": "I look.", "tool_uses": [bash("t1", "true")]}, {"text": "Done."}]);
    let env = place(BECKET, &json!({"permissions": {"allow": ["Bash"]}}), &turns);
    for (arguments, wanted) in [(&["--include-partial-messages"][..], true), (&[], false)] {
        let mut host = Host::initialized(&env, arguments, json!({}));
        host.prompt("look");
        host.result();
        let kinds = kinds(&host);
        if !wanted {
            assert!(kinds.is_empty(), "{kinds:?}");
            continue;
        }
        let count = |kind: &str| kinds.iter().filter(|one| *one == kind).count();
        assert_eq!(
            (count("message_start"), count("message_delta"), count("message_stop")),
            (2, 2, 2),
            "{kinds:?}"
        );
        assert_eq!((count("content_block_start"), count("content_block_stop")), (4, 4), "{kinds:?}");
        let deltas = host.seen.iter().filter_map(|line| line["event"]["delta"]["type"].as_str());
        let deltas: Vec<&str> = deltas.collect();
        for kind in ["thinking_delta", "text_delta", "input_json_delta"] {
            assert!(deltas.contains(&kind), "{kind}: {deltas:?}");
        }
        assert_eq!(kinds.first().map(String::as_str), Some("message_start"));
        assert_eq!(kinds.last().map(String::as_str), Some("message_stop"));
    }
}

#[test]
fn messages_of_subagents_are_shown_to_a_host_that_asks_in_either_way() {
    let agent = json!({"subagent_type": "general-purpose", "description": "d", "prompt": "look", "run_in_background": false});
    let turns = json!([{"tool_uses": [{"id": "t1", "name": "Agent", "input": agent}]}, {"text": "SUBWORD"}, {"text": "Done."}]);
    for (arguments, wants, expected) in [
        (&[][..], json!({}), false),
        (&["--forward-subagent-text"], json!({}), true),
        (&[], json!({"forwardSubagentText": true}), true),
    ] {
        let env = place(BECKET, &json!({"permissions": {"allow": ["Agent"]}}), &turns);
        let mut host = Host::initialized(&env, arguments, wants);
        host.prompt("go");
        assert_eq!(host.result()["result"], "Done.");
        let is_said =
            |line: &&Value| line["type"] == "assistant" && line["message"]["content"][0]["text"] == "SUBWORD";
        assert_eq!(host.seen.iter().any(|line| is_said(&line)), expected, "{arguments:?}");
    }
}

#[test]
fn a_cleared_conversation_is_told_before_the_next_one() {
    let env = place(BECKET, &json!({}), &json!([{"text": "One."}]));
    let mut host = Host::initialized(&env, &[], json!({}));
    host.prompt("one");
    let first = host.result();
    host.prompt("/clear");
    let reset = host.until(|line| line["type"] == "conversation_reset");
    let second = host.result();
    assert_eq!((&reset["session_id"], &reset["trigger"]), (&first["session_id"], &json!("clear")), "{reset}");
    assert_eq!(reset["new_conversation_id"], second["session_id"]);
    assert_ne!(first["session_id"], second["session_id"]);
}

/// Returns the states, and true if only the SDK reads them.
fn states(host: &Host) -> (Vec<&str>, bool) {
    let lines = of_subtype(host, "session_state_changed");
    let states = lines.iter().filter_map(|line| line["state"].as_str()).collect();
    (states, lines.iter().all(|line| line["sdk_host_only"] == true))
}

#[test]
fn a_session_tells_its_state_to_a_host_that_asks_for_it() {
    let sdk = "CLAUDE_CODE_SDK_READS_SESSION_STATE";
    let application = "CLAUDE_CODE_EMIT_SESSION_STATE_EVENTS";
    for (variables, told, hidden) in [
        (&[][..], false, true),
        (&[(sdk, "1")], true, true),
        (&[(sdk, "1"), (application, "1")], true, false),
    ] {
        let env =
            place(BECKET, &json!({}), &json!([{"tool_uses": [bash("t1", "touch made")]}, {"text": "Done."}]));
        let mut host = Host::with_env(&env, &["--permission-prompt-tool", "stdio"], variables);
        host.asks("initialize", json!({}));
        host.prompt("go");
        let asked = host.asked("can_use_tool");
        host.answers(&asked, json!({"behavior": "allow", "updatedInput": asked["request"]["input"]}));
        host.result();
        if told {
            host.until(|line| line["state"] == "idle");
        }
        let expected: &[&str] = if told { &["running", "requires_action", "running", "idle"] } else { &[] };
        assert_eq!(states(&host), (expected.to_vec(), hidden));
        assert_eq!(host.ends().0, Some(0));
    }
}

// rule: A4
#[test]
fn a_session_is_not_idle_while_an_agent_works_in_the_background() {
    let env = place(BECKET, &json!({"permissions": {"allow": ["Agent", "Bash"]}}), &json!([]));
    let server = agents_server();
    let mut host = host_with_agent(&env, &server);
    assert_eq!(host.result()["result"], "It looks.");
    assert_eq!(states(&host).0, ["running"]);
    env.write("project/go", "");
    assert_eq!(host.result()["result"], "It has looked.");
    host.until(|line| line["state"] == "idle");
    assert_eq!(states(&host).0, ["running", "idle"]);
    let subtypes: Vec<&str> = host.seen.iter().filter_map(|line| line["subtype"].as_str()).collect();
    let of_tasks: Vec<&str> = subtypes.into_iter().filter(|name| name.contains("task")).collect();
    assert_eq!(of_tasks.first(), Some(&"background_tasks_changed"), "{of_tasks:?}");
    for name in ["task_started", "task_progress", "task_updated", "task_notification"] {
        assert!(of_tasks.contains(&name), "{name}: {of_tasks:?}");
    }
    let started = of_subtype(&host, "task_started");
    assert_eq!(started[0]["task_type"], "local_agent", "{started:?}");
    assert_eq!(host.ends().0, Some(0));
}

/// Starts a host that reads states, and sends the prompt that starts an agent.
fn host_with_agent(env: &TestEnv, server: &Server) -> Host {
    let url = server.url();
    let variables = [
        ("ANTHROPIC_API_KEY", "key"),
        ("ANTHROPIC_BASE_URL", url.as_str()),
        ("CLAUDE_CODE_SDK_READS_SESSION_STATE", "1"),
    ];
    let mut host = Host::with_env(env, &["--model", "sonnet"], &variables);
    host.prompt("start an agent");
    host
}

/// Starts a model whose agent works until the file `go` exists.
fn agents_server() -> Server {
    let answer = |when: &str, turn: Turn| Turn { when: vec![when.to_owned()], ..turn };
    let agent = json!({"subagent_type": "general-purpose", "description": "Look", "prompt": "LOOK-INTO-IT", "run_in_background": true});
    let until_go = json!({"command": "until [ -e go ]; do sleep 0.05; done; echo built"});
    Server::start(vec![
        answer("completed. Its output", Turn::text("It has looked.")),
        answer("background as task", Turn::text("It looks.")),
        answer("start an agent", Turn::call("t1", "Agent", agent)),
        answer("LOOK-INTO-IT", Turn::call("t2", "Bash", until_go)),
        answer("built", Turn::text("I have looked.")),
    ])
}

#[test]
fn a_stopped_agent_leaves_an_idle_session() {
    let env = place(BECKET, &json!({"permissions": {"allow": ["Agent", "Bash"]}}), &json!([]));
    let server = agents_server();
    let mut host = host_with_agent(&env, &server);
    host.result();
    let task = of_subtype(&host, "task_started")[0]["task_id"].clone();
    host.request("stop_task", json!({"task_id": task}));
    // The answer and the new state arrive in any order.
    let is_answer = |line: &Value| line["type"] == "control_response";
    for _ in 0..2 {
        host.until(|line| is_answer(line) || line["state"] == "idle");
    }
    let answer = host.seen.iter().rfind(|line| is_answer(line)).expect("an answer");
    assert_eq!(answer["response"]["subtype"], "success", "{answer}");
    let ended = of_subtype(&host, "task_notification");
    assert_eq!(ended[0]["status"], "stopped", "{ended:?}");
    assert_eq!(host.ends().0, Some(0));
}

#[test]
fn an_interrupt_names_the_messages_that_still_wait() {
    let turns = json!([{"tool_uses": [bash("t1", "touch made")]}, {"text": "Next."}]);
    let env = place(BECKET, &json!({}), &turns);
    let mut host = Host::initialized(&env, &["--permission-prompt-tool", "stdio"], json!({}));
    let message = |id: &str| json!({"type": "user", "uuid": id, "message": {"role": "user", "content": id}});
    host.line(&message("u1").to_string());
    host.asked("can_use_tool");
    host.line(&message("u2").to_string());
    let answer = host.asks("interrupt", json!({}));
    assert_eq!(answer["response"]["still_queued"], json!(["u2"]), "{answer}");
    let first = host.result();
    assert_eq!(
        (&first["terminal_reason"], &first["user_message_uuid"]),
        (&json!("aborted_tools"), &json!("u1"))
    );
    assert_eq!(host.result()["user_message_uuid"], "u2");
    assert!(!env.project().join("made").exists());
}

/// Starts a session whose first turn waits for a permission, with other messages behind it.
fn with_waiting(messages: &[&str]) -> (TestEnv, Host) {
    let turns = json!([{"tool_uses": [bash("t1", "touch made")]}, {"text": "Next."}, {"text": "Last."}]);
    let env = place(BECKET, &json!({}), &turns);
    let mut host = Host::initialized(&env, &["--permission-prompt-tool", "stdio"], json!({}));
    let message = |id: &str| json!({"type": "user", "uuid": id, "message": {"role": "user", "content": id}});
    host.line(&message("u1").to_string());
    host.asked("can_use_tool");
    messages.iter().for_each(|id| host.line(&message(id).to_string()));
    (env, host)
}

#[test]
fn an_interrupt_withdraws_what_waits_if_the_host_wants_that() {
    let (_env, mut host) = with_waiting(&["u2", "u3"]);
    let answer = host.asks("interrupt", json!({"cancel_queued": true}));
    assert_eq!(answer["response"], json!({"still_queued": [], "cancelled": ["u2", "u3"]}), "{answer}");
    assert_eq!(host.result()["user_message_uuid"], "u1");
    let again = host.asks("interrupt", json!({"cancel_queued": true}));
    assert_eq!(again["response"], json!({"still_queued": [], "cancelled": []}), "each is told once");
    host.line(
        &json!({"type": "user", "uuid": "u4", "message": {"role": "user", "content": "on"}}).to_string(),
    );
    let next = host.result();
    assert_eq!((&next["user_message_uuid"], &next["result"]), (&json!("u4"), &json!("Next.")));
    assert_eq!(host.ends().0, Some(0));
}

#[test]
fn one_message_that_waits_is_withdrawn_by_its_id() {
    let (_env, mut host) = with_waiting(&["u2", "u3"]);
    for (id, cancelled) in [("u1", false), ("u2", true), ("u2", false), ("u9", false)] {
        let answer = host.asks("cancel_async_message", json!({"message_uuid": id}));
        assert_eq!(answer["response"], json!({"cancelled": cancelled}), "{id}: {answer}");
    }
    assert_eq!(host.asks("interrupt", json!({}))["response"], json!({"still_queued": ["u3"]}));
    assert_eq!(host.result()["user_message_uuid"], "u1");
    assert_eq!(host.result()["user_message_uuid"], "u3");
    assert_eq!(host.ends().0, Some(0));
}

#[test]
fn a_change_of_the_limit_on_requests_is_told() {
    let refused = |utilization: &str| {
        Turn::refused(429, "rate_limit_error", "slow down")
            .header("retry-after", "0")
            .header("anthropic-ratelimit-unified-status", "rejected")
            .header("anthropic-ratelimit-unified-reset", "1764554400")
            .header("anthropic-ratelimit-unified-representative-claim", "five_hour")
            .header("anthropic-ratelimit-unified-5h-utilization", utilization)
    };
    let server = Server::start(vec![refused("1.0"), refused("1.0"), Turn::text("At last.")]);
    let env = place(BECKET, &json!({}), &json!([]));
    let variables = [("ANTHROPIC_API_KEY", "key"), ("ANTHROPIC_BASE_URL", &server.url())];
    let mut host = Host::with_env(&env, &["--model", "sonnet"], &variables);
    host.prompt("hi");
    assert_eq!(host.result()["result"], "At last.");
    let told: Vec<&Value> = host.seen.iter().filter(|line| line["type"] == "rate_limit_event").collect();
    let info = json!({"status": "rejected", "resetsAt": 1_764_554_400, "rateLimitType": "five_hour", "utilization": 1.0});
    assert!(told.len() == 1 && told[0]["uuid"].is_string() && told[0]["session_id"].is_string(), "{told:?}");
    assert_eq!(told[0]["rate_limit_info"], info);
}

#[test]
fn all_events_go_to_stderr_if_that_is_wanted() {
    let env: TestEnv = place(BECKET, &json!({}), &json!([{"text": "Hello."}]));
    let mut host = Host::initialized(&env, &["--debug-to-stderr"], json!({}));
    host.prompt("hi");
    host.result();
    let (code, stderr) = host.ends();
    let lines: Vec<Value> = stderr.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    assert!(code == Some(0) && lines.iter().any(|line| line["type"] == "stream_event"), "{stderr}");
    assert!(lines.iter().any(|line| line["type"] == "result"), "{stderr}");
}
