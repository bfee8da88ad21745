//! Checks that the checker finds its faults, and that the server answers as scripted.

use super::{Call, Server, Trouble, Turn, refusal, unreachable_url};
use serde_json::{Value, json};
use std::io::{Read, Write};
use std::net::TcpStream;

fn request(messages: Value) -> Value {
    json!({"model": "m", "max_tokens": 10, "messages": messages})
}

fn user(content: Value) -> Value {
    json!({"role": "user", "content": content})
}

fn assistant(content: Value) -> Value {
    json!({"role": "assistant", "content": content})
}

fn text(text: &str) -> Value {
    json!({"type": "text", "text": text})
}

fn call(id: &str) -> Value {
    json!({"type": "tool_use", "id": id, "name": "Bash", "input": {}})
}

fn result(id: &str) -> Value {
    json!({"type": "tool_result", "tool_use_id": id, "content": [text("ok")]})
}

// rule: L2
#[test]
fn a_conversation_that_is_whole_is_taken() {
    for messages in [
        json!([user(json!("hi"))]),
        json!([
            user(json!([text("hi")])),
            assistant(json!([text("yes "), call("a"), call("b")])),
            user(json!([result("b"), result("a"), text("and")]))
        ]),
        json!([
            user(json!("hi")),
            assistant(json!([{"type": "thinking", "thinking": "", "signature": "s"}, text("x")])),
            user(json!("y"))
        ]),
    ] {
        assert_eq!(refusal(&request(messages.clone())), None, "{messages}");
    }
}

// rule: L2
#[test]
fn each_break_of_the_rules_is_found() {
    let hi = || user(json!("hi"));
    let failed = |content: Value| json!({"type": "tool_result", "tool_use_id": "a", "is_error": true, "content": content});
    let image =
        json!({"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "AA=="}});
    for (messages, says) in [
        (json!([]), "at least one message"),
        (json!([assistant(json!("x"))]), "first message"),
        (json!([hi(), hi()]), "must alternate"),
        (json!([user(json!([]))]), "non-empty content"),
        (json!([user(json!(" \n"))]), "non-whitespace"),
        (json!([hi(), assistant(json!([call("a")]))]), "without `tool_result`"),
        (
            json!([hi(), assistant(json!([call("a")])), hi()]),
            "without `tool_result` blocks immediately after: a",
        ),
        (json!([hi(), assistant(json!([call("a"), call("b")])), user(json!([result("a")]))]), "after: b"),
        (
            json!([hi(), assistant(json!([call("a")])), user(json!([result("a"), result("a")]))]),
            "single result",
        ),
        (json!([user(json!([result("a")]))]), "unexpected `tool_use_id`"),
        (
            json!([hi(), assistant(json!([call("a")])), user(json!([text("no"), result("a")]))]),
            "must come first",
        ),
        (
            json!([hi(), assistant(json!([call("a"), call("a")])), user(json!([result("a")]))]),
            "must be unique",
        ),
        (json!([hi(), assistant(json!([call("a.b")])), user(json!([result("a.b")]))]), "should match"),
        (json!([hi(), assistant(json!([call("a")])), user(json!([failed(json!([]))]))]), "cannot be empty"),
        (json!([hi(), assistant(json!([call("a")])), user(json!([failed(json!([image]))]))]), "type `text`"),
        (json!([hi(), assistant(json!([text("x ")]))]), "trailing whitespace"),
        (
            json!([hi(), assistant(json!([{"type": "thinking", "thinking": "x"}, text("x")])), hi()]),
            "signature",
        ),
        (json!([{"role": "system", "content": "x"}]), "role"),
    ] {
        let found = refusal(&request(messages.clone())).unwrap_or_default();
        assert!(found.contains(says), "{messages}: `{found}` does not say `{says}`");
    }
}

#[test]
fn settings_and_tools_are_looked_at() {
    let with = |key: &str, value: Value| {
        let mut body = request(json!([user(json!("hi"))]));
        body[key] = value;
        refusal(&body).unwrap_or_default()
    };
    let tool = |name: &str| json!({"name": name, "description": "", "input_schema": {"type": "object"}});
    let mark = json!({"type": "text", "text": "x", "cache_control": {"type": "ephemeral"}});
    for (key, value, says) in [
        ("temprature", json!(1), "Extra inputs"),
        ("max_tokens", json!(0), "max_tokens"),
        ("model", json!(""), "model"),
        ("temperature", json!(1.5), "temperature"),
        ("stop_sequences", json!([" "]), "stop_sequences"),
        ("system", json!([text("")]), "system"),
        ("thinking", json!({"type": "enabled", "budget_tokens": 5}), "budget_tokens"),
        ("tools", json!([tool("a"), tool("a")]), "unique"),
        ("tools", json!([tool("a b")]), "should match"),
        ("tools", json!([{"name": "a", "input_schema": {}}]), "'object'"),
        ("tool_choice", json!({"type": "auto"}), "while providing tools"),
        ("system", json!([mark, mark, mark, mark, mark]), "maximum of 4"),
    ] {
        let found = with(key, value.clone());
        assert!(found.contains(says), "{key} {value}: `{found}` does not say `{says}`");
    }
    assert_eq!(with("tools", json!([tool("a"), tool("b")])), "");
}

/// Returns the server's response to a request over a separate connection.
fn response_to(server: &Server, body: &Value) -> String {
    let body = body.to_string();
    let mut tcp = TcpStream::connect(server.url().trim_start_matches("http://")).expect("it listens");
    let head = "POST /v1/messages HTTP/1.1\r\nx-api-key: k\r\nanthropic-version: v\r\ncontent-type: application/json";
    let request = format!("{head}\r\nconnection: close\r\ncontent-length: {}\r\n\r\n{body}", body.len());
    tcp.write_all(request.as_bytes()).expect("it reads");
    tcp.shutdown(std::net::Shutdown::Write).expect("it is open");
    let mut answer = String::new();
    tcp.read_to_string(&mut answer).expect("it is text");
    answer
}

fn streamed(text: &str) -> Value {
    let mut body = request(json!([user(json!(text))]));
    body["stream"] = true.into();
    body
}

#[test]
fn turns_go_to_the_requests_that_they_are_meant_for() {
    let calls = [Call { name: "Bash".into(), raw: Some("{\"a\": ".into()), ..Call::default() }];
    let turns = vec![Turn::text("first"), Turn::text("meant").when("special"), Turn::calls(calls)];
    let server = Server::start(turns);
    assert!(response_to(&server, &streamed("something special")).contains("\"text\":\"ant\""));
    assert!(response_to(&server, &streamed("plain")).contains("\"text\":\"rst\""));
    let broken = response_to(&server, &streamed("plain"));
    assert!(
        broken.contains("input_json_delta") && broken.contains("\"stop_reason\":\"tool_use\""),
        "{broken}"
    );
    assert_eq!((server.remaining_turns(), server.wrongs().len()), (0, 0));
    assert!(response_to(&server, &streamed("one more")).starts_with("HTTP/1.1 400"));
    assert!(server.wrongs()[0].contains("no turn"), "{:?}", server.wrongs());
    assert_eq!(server.requests().len(), 4);
}

#[test]
fn a_wrong_request_takes_no_turn_and_is_remembered() {
    let server = Server::start(vec![Turn::text("yes")]);
    let wrong = response_to(&server, &request(json!([assistant(json!("x"))])));
    assert!(wrong.starts_with("HTTP/1.1 400") && wrong.contains("invalid_request_error"), "{wrong}");
    assert_eq!((server.remaining_turns(), server.wrongs().len()), (1, 1));
    let whole = response_to(&server, &request(json!([user(json!("hi"))])));
    assert!(whole.contains("\"content\":[{\"type\":\"text\",\"text\":\"yes\"}]"), "{whole}");
}

#[test]
fn each_trouble_is_as_bad_as_it_says() {
    for (trouble, holds, lacks) in [
        (Trouble::Closed, "", "HTTP"),
        (Trouble::CutInBlock, "content_block_delta", "content_block_stop"),
        (Trouble::CutBeforeEnd, "content_block_stop", "message_delta"),
        (Trouble::Garbage, "<<<]", "message_stop"),
        (Trouble::ErrorEvent, "overloaded_error", "message_stop"),
        (Trouble::Page, "text/html", "message_start"),
    ] {
        let server = Server::start_with(move |_| Turn::text("Hello there").trouble(trouble));
        let answer = response_to(&server, &streamed("hi"));
        assert!(answer.contains(holds) && !answer.contains(lacks), "{trouble:?}: {answer}");
    }
    let refused = Turn::refused(429, "rate_limit_error", "slow down").header("retry-after", "3600");
    let answer = response_to(&Server::start(vec![refused]), &streamed("hi"));
    assert!(answer.starts_with("HTTP/1.1 429") && answer.contains("retry-after: 3600\r\n"), "{answer}");
    assert!(TcpStream::connect(unreachable_url().trim_start_matches("http://")).is_err());
}

#[test]
fn turns_are_read_from_json_and_an_unknown_key_is_told() {
    let turn: Turn = serde_json::from_value(json!({"text": "x", "trouble": "cut_in_block", "when": ["y"]}))
        .expect("a turn");
    assert_eq!((turn.text.as_deref(), turn.trouble), (Some("x"), Some(Trouble::CutInBlock)));
    assert!(serde_json::from_value::<Turn>(json!({"txt": "x"})).is_err());
}
