//! Ends: of a call, of a server, of the agent, of the gateway.

use super::agent::{Gateway, texts};
use super::{calls, guarded, log};
use becket_testkit::env::TestEnv;
use becket_testkit::proc::wait_until;
use serde_json::{Value, json};
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::process::Stdio;

/// Creates a project whose hooks record failures.
fn noting() -> TestEnv {
    let note = "cat >> \"$CLAUDE_PROJECT_DIR\"/failures";
    guarded(&json!({}), &json!({"PostToolUseFailure": [{"hooks": [{"type": "command", "command": note}]}]}))
}

fn failures(env: &TestEnv) -> Vec<Value> {
    let text = fs::read_to_string(env.project().join("failures")).unwrap_or_default();
    serde_json::Deserializer::from_str(&text).into_iter().filter_map(Result::ok).collect()
}

// rule: X4
#[test]
fn a_server_that_dies_is_an_error_and_the_next_call_starts_it_again() {
    let env = noting();
    let agent = Gateway::of(&env).start();
    let names = agent.names();
    let died = agent.call("s__die", &json!({}));
    assert_eq!(died["isError"], true, "{died}");
    assert!(texts(&died).concat().contains("dying as told"), "{died}");
    assert!(failures(&env)[0]["error"].as_str().expect("an error").contains("dying as told"));
    assert_eq!(agent.names(), names, "its tools stay");
    assert_eq!(texts(&agent.call("s__text", &json!({}))), ["one", "two"]);
    let refused = agent.call("s__refuse", &json!({}));
    assert!(refused["isError"] == true && texts(&refused).concat().contains("no such thing"), "{refused}");
}

#[test]
fn a_cancelled_call_is_cancelled_at_its_server_and_hooks_hear_of_it() {
    let env = noting();
    let agent = Gateway::of(&env).start();
    agent.cancelled_call("s__hang", || calls(&env) == 1);
    assert!(wait_until(|| log(&env).contains("notifications/cancelled")), "{}", log(&env));
    assert!(wait_until(|| failures(&env).len() == 1));
    assert_eq!(failures(&env)[0]["is_interrupt"], true);
    assert_eq!(texts(&agent.call("s__text", &json!({}))), ["one", "two"]);
}

#[test]
fn a_call_that_takes_too_long_is_given_up() {
    let env = noting();
    let agent = Gateway::of(&env).arguments(&["--timeout", "1"]).start();
    let late = agent.call("s__hang", &json!({}));
    assert!(late["isError"] == true && texts(&late).concat().contains("within 1 s"), "{late}");
}

// rule: X7
#[test]
fn an_agent_that_leaves_in_the_middle_of_a_call_leaves_nothing_behind() {
    let env = noting();
    let mut agent = Gateway::of(&env).start();
    agent.call("s__child", &json!({}));
    agent.send_call("s__hang");
    assert!(wait_until(|| calls(&env) == 2));
    assert_eq!(agent.leave(), Some(0));
    assert!(log(&env).contains("notifications/cancelled"), "{}", log(&env));
    assert_eq!(failures(&env)[0]["is_interrupt"], true);
    agent.marker.wait_for(0);
    assert_eq!(fs::read_dir(env.root().join("tmp")).expect("a directory").count(), 0);
}

// rule: X7
#[cfg(target_os = "linux")]
#[test]
fn a_gateway_that_is_killed_or_terminated_leaves_nothing_behind() {
    for signal in ["KILL", "TERM"] {
        let slow = json!({"PreToolUse": [{"matcher": "mcp__s__echo", "hooks": [{"type": "command", "command": "exec sleep 1000"}]}]});
        let env = guarded(&json!({}), &slow);
        let mut agent = Gateway::of(&env).start();
        agent.call("s__text", &json!({}));
        let before = agent.marker.alive().len();
        agent.send_call("s__echo");
        assert!(wait_until(|| agent.marker.alive().len() > before), "the hook runs");
        let id = agent.gateway.id().to_string();
        let sent = std::process::Command::new("kill").args([format!("-{signal}"), id]).status();
        assert!(sent.is_ok_and(|sent| sent.success()));
        agent.marker.wait_for(0);
        let _ = agent.leave();
        assert_eq!(calls(&env), 1, "{signal}");
    }
}

#[test]
fn an_agent_that_says_nothing_or_nonsense_gets_an_end() {
    let env = guarded(&json!({}), &json!({}));
    let nothing = Gateway::of(&env).prepared().run();
    assert_eq!((nothing.code, nothing.stdout.as_str()), (Some(0), ""), "{nothing:?}");
    let nonsense = Gateway::of(&env).prepared().stdin("{\"a\n[]\n").run();
    assert!(nonsense.code.is_some(), "{nonsense:?}");
    assert!(!nonsense.stdout.contains("\"result\""), "{nonsense:?}");
}

// rule: O11
#[test]
fn half_a_surrogate_pair_does_not_lose_a_call() {
    let env = guarded(&json!({"deny": ["mcp__s__text"]}), &json!({}));
    let mut command = Gateway::of(&env).prepared().into_command();
    let mut gateway = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("it starts");
    let mut to = gateway.stdin.take().expect("piped");
    let client = json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "a", "version": "1"}});
    let hello = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": client});
    let ready = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
    let call = r#"{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"s__text","arguments":{"a":"half \ud83d"}}}"#;
    to.write_all(format!("{hello}\n{ready}\n{call}\n").as_bytes()).expect("it is read");
    let lines = BufReader::new(gateway.stdout.take().expect("piped")).lines();
    let messages = lines.map_while(Result::ok).filter_map(|line| serde_json::from_str::<Value>(&line).ok());
    let answer = { messages }.find(|message| message["id"] == 4).expect("an answer");
    assert_eq!(answer["result"]["isError"], true, "{answer}");
    drop(to);
    assert!(gateway.wait().expect("it ends").success());
}
