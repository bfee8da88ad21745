//! MCP servers in the host's own process.

use super::host::Host;
use super::place;
use becket_testkit::env::TestEnv;
use serde_json::{Value, json};

const BECKET: &str = env!("CARGO_BIN_EXE_becket");

fn calculating(expect: &str) -> TestEnv {
    let call = json!({"id": "t1", "name": "mcp__calc__add", "input": {"a": 2, "b": 3}});
    let turns = json!([{"tool_uses": [call]}, {"text": "Done.", "expect": [expect]}]);
    place(BECKET, &json!({"permissions": {"allow": ["mcp__calc__add"]}}), &turns)
}

/// Returns the answer of the host's server.
fn response(message: &Value) -> Value {
    let schema = json!({"type": "object", "properties": {"a": {"type": "number"}, "b": {"type": "number"}}});
    let result = match message["method"].as_str().expect("a method") {
        "initialize" => json!({"protocolVersion": message["params"]["protocolVersion"],
            "capabilities": {"tools": {"listChanged": true}}, "serverInfo": {"name": "calc", "version": "1"}}),
        "tools/list" => json!({"tools": [{"name": "add", "description": "adds", "inputSchema": schema}]}),
        "tools/call" => json!({"content": [{"type": "text", "text": "the sum is 5"}]}),
        _ => json!({}),
    };
    json!({"jsonrpc": "2.0", "id": message["id"], "result": result})
}

/// Answers messages until one calls a tool, or `is_it` is true of another line.
fn serves(host: &mut Host, is_it: impl Fn(&Value) -> bool) -> Value {
    loop {
        let line = host.until(|line| line["request"]["subtype"] == "mcp_message" || is_it(line));
        if is_it(&line) {
            return line;
        }
        let message = &line["request"]["message"];
        assert_eq!(line["request"]["server_name"], "calc");
        let answer = json!({"mcp_response": response(message)});
        host.answers(&line, answer);
    }
}

/// Starts a host with the server, which is named in the way of either SDK.
fn started(env: &TestEnv, by_argument: bool) -> Host {
    let config = json!({"mcpServers": {"calc": {"type": "sdk", "name": "calc"}}}).to_string();
    let (arguments, wants) = match by_argument {
        true => (vec!["--mcp-config", &config], json!({})),
        false => (
            vec![],
            json!({"sdkMcpServers": ["calc"],
                "sdkMcpServerConfigs": {"calc": {"timeout": 5000, "colour": 1}}}),
        ),
    };
    let mut host = Host::start(env, &arguments);
    let id = host.request("initialize", wants);
    let is_answer = |line: &Value| line["response"]["request_id"] == id.as_str();
    serves(&mut host, is_answer);
    host
}

// rules: X1, X5
#[test]
fn its_tools_are_called_through_the_host() {
    for by_argument in [true, false] {
        let env = calculating("the sum is 5");
        let mut host = started(&env, by_argument);
        let status = host.asks("mcp_status", json!({}));
        let server = &status["response"]["mcpServers"][0];
        assert_eq!((&server["name"], &server["status"]), (&json!("calc"), &json!("connected")), "{status}");
        assert_eq!(server["serverInfo"], json!({"name": "calc", "version": "1"}));
        assert_eq!(server["tools"][0]["name"], "add");
        host.prompt("add");
        let result = serves(&mut host, |line| line["type"] == "result");
        assert_eq!(result["result"], "Done.", "by argument: {by_argument}");
        let is_named =
            |line: &Value| line["content"].as_str().is_some_and(|said| said.contains("calc.colour"));
        assert_eq!(host.seen.iter().any(is_named), !by_argument, "what has no effect is named");
        let call = host.seen.iter().find(|line| line["request"]["message"]["method"] == "tools/call");
        assert_eq!(
            call.expect("it was called")["request"]["message"]["params"]["arguments"],
            json!({"a": 2, "b": 3})
        );
        assert_eq!(host.ends().0, Some(0));
    }
}

// rule: X1
#[test]
fn a_host_that_fails_a_call_fails_that_call_alone() {
    let env = calculating("the abacus fell over");
    let mut host = started(&env, false);
    host.prompt("add");
    let is_call = |line: &Value| line["request"]["message"]["method"] == "tools/call";
    let call = serves(&mut host, is_call);
    host.fails(&call, "the abacus fell over");
    let result = serves(&mut host, |line| line["type"] == "result");
    assert_eq!(result["result"], "Done.");
}

// rule: X1
#[test]
fn an_answer_of_another_shape_fails_the_call_at_once() {
    for (answer, said) in [
        (json!({"jsonrpc": "1.0"}), "neither a `result` nor an `error`"),
        (json!({"result": null}), "`result` of the host's `mcp_response` must be an object"),
        (json!({"error": "fell over"}), "unreadable `error`"),
        (json!({"error": {"code": -1, "message": "fell over"}}), "fell over"),
        (json!({"id": 999, "result": {"content": [{"type": "text", "text": "five"}]}}), "five"),
        (json!(7), "no `mcp_response`"),
    ] {
        let env = calculating(said);
        let mut host = started(&env, false);
        host.prompt("add");
        let call = serves(&mut host, |line| line["request"]["message"]["method"] == "tools/call");
        host.answers(&call, json!({"mcp_response": answer}));
        let result = serves(&mut host, |line| line["type"] == "result");
        assert_eq!(result["result"], "Done.", "{answer}");
    }
}

// rule: X5
#[test]
fn a_server_that_says_that_its_tools_have_changed_is_asked_again() {
    let env = calculating("the sum is 5");
    let mut host = started(&env, false);
    let message = json!({"jsonrpc": "2.0", "method": "notifications/tools/list_changed"});
    let id = host.request("mcp_message", json!({"server_name": "calc", "message": message}));
    let (mut answered, mut listed) = (false, false);
    while !(answered && listed) {
        let line = serves(&mut host, |line| {
            line["response"]["request_id"] == id.as_str()
                || line["request"]["message"]["method"] == "tools/list"
        });
        if line["type"] == "control_response" {
            assert_eq!(line["response"]["subtype"], "success");
            answered = true;
        } else {
            host.answers(&line, json!({"mcp_response": response(&line["request"]["message"])}));
            listed = true;
        }
    }
    let answer = host.asks("mcp_message", json!({"server_name": "abacus", "message": {}}));
    assert!(answer["error"].as_str().is_some_and(|error| error.contains("`abacus`")), "{answer}");
}

// rules: X1, G3
#[test]
fn no_file_of_a_project_names_a_server_of_the_host() {
    let env = calculating("no tool `mcp__calc__add`");
    env.write(
        "project/.mcp.json",
        json!({"mcpServers": {"calc": {"type": "sdk", "name": "calc"}}}).to_string(),
    );
    let settings = json!({"enableAllProjectMcpServers": true, "permissions": {"allow": ["mcp__calc__add"]}});
    env.write("home/.claude/settings.json", settings.to_string());
    let mut host = Host::initialized(&env, &[], json!({}));
    host.prompt("add");
    assert_eq!(host.result()["result"], "Done.");
    assert!(!host.seen.iter().any(|line| line["request"]["subtype"] == "mcp_message"), "{:#?}", host.seen);
}
