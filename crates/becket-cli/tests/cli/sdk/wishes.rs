//! A host's options for servers and thinking, and its requests for the context usage.

use super::host::Host;
use super::place;
use becket_testkit::env::TestEnv;
use becket_testkit::messages_api::{Server, Turn};
use serde_json::{Value, json};
use std::path::Path;

const BECKET: &str = env!("CARGO_BIN_EXE_becket");

/// Returns a server with a tool `echo`.
pub(crate) fn server() -> Value {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../becket-mcp/tests/servers/server.py");
    json!({"command": "python3", "args": [script.display().to_string()]})
}

fn calls_echo(name: &str) -> Value {
    json!({"id": "t1", "name": format!("mcp__{name}__echo"), "input": {"said": 1}})
}

fn status<'v>(answer: &'v Value, name: &str) -> Option<&'v str> {
    let servers = answer["response"]["mcpServers"].as_array()?;
    servers.iter().find(|server| server["name"] == name)?["status"].as_str()
}

fn error(answer: &Value) -> &str {
    assert_eq!(answer["subtype"], "error", "{answer}");
    answer["error"].as_str().expect("a text")
}

fn has_tool(host: &mut Host, name: &str) -> bool {
    host.prompt("/cost");
    host.result();
    let init = host.seen.iter().rfind(|line| line["subtype"] == "init").expect("there is one");
    init["tools"].as_array().is_some_and(|tools| tools.contains(&json!(name)))
}

fn started(env: &TestEnv, servers: &Value) -> Host {
    let config = json!({ "mcpServers": servers }).to_string();
    Host::initialized(env, &["--mcp-config", &config], json!({}))
}

// rule: X2
#[test]
fn a_server_is_switched_off_and_on_and_not_past_who_is_against_it() {
    let env = place(BECKET, &json!({"deniedMcpServers": []}), &json!([]));
    let mut off = server();
    off["disabled"] = json!(true);
    let mut host = started(&env, &json!({"one": server(), "two": off}));
    assert_eq!(status(&host.asks("mcp_status", json!({})), "one"), Some("connected"));
    assert!(has_tool(&mut host, "mcp__one__echo"));
    for _ in 0..2 {
        let answer = host.asks("mcp_toggle", json!({"serverName": "one", "enabled": false}));
        assert_eq!(answer["subtype"], "success", "{answer}");
    }
    let now = host.asks("mcp_status", json!({}));
    assert_eq!(status(&now, "one"), Some("disabled"), "{now}");
    assert!(!has_tool(&mut host, "mcp__one__echo"));
    assert!(error(&host.asks("mcp_reconnect", json!({"serverName": "one"}))).contains("switched it off"));
    assert_eq!(host.asks("mcp_toggle", json!({"serverName": "one", "enabled": true}))["subtype"], "success");
    assert_eq!(status(&host.asks("mcp_status", json!({})), "one"), Some("connected"));
    assert!(has_tool(&mut host, "mcp__one__echo"));
    let answer = host.asks("mcp_toggle", json!({"serverName": "two", "enabled": true}));
    assert!(error(&answer).contains("disabled"), "{answer}");
    assert_eq!(status(&host.asks("mcp_status", json!({})), "two"), Some("disabled"));
    for (fields, said) in [
        (json!({"serverName": "three", "enabled": true}), "`three`"),
        (json!({"serverName": "one"}), "`enabled`"),
        (json!({"enabled": true}), "`serverName`"),
    ] {
        assert!(error(&host.asks("mcp_toggle", fields)).contains(said));
    }
}

// rule: X2
#[test]
fn servers_are_set_beside_those_that_there_are_and_judged_like_them() {
    let turns = json!([{"tool_uses": [calls_echo("late")]}, {"text": "Done.", "expect": ["said"]}]);
    let env = place(BECKET, &json!({"permissions": {"allow": ["mcp__late__echo"]}}), &turns);
    env.write("managed/managed-mcp-none.json", "{}");
    env.write(
        "managed/managed-settings.json",
        json!({"deniedMcpServers": [{"serverName": "banned"}]}).to_string(),
    );
    let mut host = started(&env, &json!({"one": server()}));
    let wanted = json!({
        "late": server(),
        "banned": server(),
        "broken": {"command": "no-such-program-anywhere"},
        "inside": {"type": "sdk", "name": "inside"}
    });
    let answer = host.asks("mcp_set_servers", json!({"servers": wanted}));
    let response = &answer["response"];
    assert!(response["added"].as_array().is_some_and(|added| added.contains(&json!("late"))), "{answer}");
    for name in ["banned", "broken", "inside"] {
        assert!(response["errors"][name].is_string(), "{name}: {answer}");
    }
    let now = host.asks("mcp_status", json!({}));
    assert_eq!((status(&now, "one"), status(&now, "late")), (Some("connected"), Some("connected")), "{now}");
    assert_ne!(status(&now, "banned"), Some("connected"));
    host.prompt("echo");
    assert_eq!(host.result()["result"], "Done.");
    let answer = host.asks("mcp_set_servers", json!({"servers": {}}));
    assert!(
        answer["response"]["removed"].as_array().is_some_and(|gone| gone.contains(&json!("late"))),
        "{answer}"
    );
    let now = host.asks("mcp_status", json!({}));
    assert_eq!((status(&now, "one"), status(&now, "late")), (Some("connected"), None), "{now}");
    assert!(error(&host.asks("mcp_set_servers", json!({"servers": []}))).contains("`servers`"));
}

#[test]
fn the_window_is_told_as_the_provider_counts_it() {
    let turns = json!([{"text": "One.", "usage": {"input_tokens": 50_000, "output_tokens": 10}}]);
    let env = place(BECKET, &json!({}), &turns);
    let mut host = started(&env, &json!({"one": server()}));
    let before = host.asks("get_context_usage", json!({}))["response"].clone();
    assert!(before["totalTokens"].as_u64().is_some_and(|total| total > 500 && total < 20_000), "{before}");
    assert!(before["mcpTools"].as_array().is_some_and(|tools| {
        tools.iter().any(|tool| tool["name"] == "mcp__one__echo" && tool["serverName"] == "one")
    }));
    host.prompt("hi");
    host.result();
    let after = host.asks("get_context_usage", json!({"detail": "summary"}))["response"].clone();
    assert_eq!(after["totalTokens"], 50_010, "{after}");
    assert_eq!(after["percentage"], 25);
    let rows = after["categories"].as_array().expect("rows");
    let sum: u64 = rows.iter().filter_map(|row| row["tokens"].as_u64()).sum();
    assert_eq!(json!(sum), after["maxTokens"], "all rows together are the window: {after}");
    host.prompt("/clear");
    host.result();
    let cleared = host.asks("get_context_usage", json!({}))["response"].clone();
    assert_eq!(cleared["totalTokens"], before["totalTokens"], "{cleared}");
}

// rule: H7
#[test]
fn thinking_is_switched_off_and_on() {
    let turn = |text: &str| Turn { text: Some(text.to_owned()), ..Turn::default() };
    let server = Server::start(vec![turn("One."), turn("Two."), turn("Three.")]);
    let env = place(BECKET, &json!({}), &json!([]));
    let variables = [("ANTHROPIC_API_KEY", "key"), ("ANTHROPIC_BASE_URL", &server.url())];
    let mut host = Host::with_env(&env, &["--model", "claude-sonnet-4-5"], &variables);
    for (tokens, prompt) in [(None, "one"), (Some(json!(0)), "two"), (Some(Value::Null), "three")] {
        if let Some(tokens) = tokens {
            let answer = host.asks("set_max_thinking_tokens", json!({"max_thinking_tokens": tokens}));
            assert_eq!(answer["subtype"], "success", "{answer}");
        }
        host.prompt(prompt);
        assert_eq!(host.result()["is_error"], false, "{:#?}", host.seen);
    }
    let asked: Vec<Value> =
        server.requests().iter().map(|request| request["thinking"]["type"].clone()).collect();
    assert_eq!(asked, [Value::Null, json!("disabled"), Value::Null]);
    let answer = host.asks("set_max_thinking_tokens", json!({"max_thinking_tokens": "many"}));
    assert!(error(&answer).contains("whole number"), "{answer}");
}
