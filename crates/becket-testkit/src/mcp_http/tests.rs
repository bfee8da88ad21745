use super::*;
use crate::proc::wait_until;
use serde_json::{Value, json};
use std::io::{Read, Write};
use std::net::TcpStream;

/// Sends a request on a separate connection, and reads until the server is silent for a moment or closes.
fn post(server: &Server, session: &str, body: &Value) -> String {
    let address = server.url().replace("http://", "").replace("/mcp", "");
    let mut tcp = TcpStream::connect(address).unwrap();
    let body = body.to_string();
    let length = body.len();
    write!(tcp, "POST /mcp HTTP/1.1\r\nMcp-Session-Id: {session}\r\nContent-Length: {length}\r\n\r\n{body}")
        .unwrap();
    tcp.set_read_timeout(Some(std::time::Duration::from_millis(500))).unwrap();
    let mut answer = Vec::new();
    // A timeout ends the read here.
    let _ = tcp.read_to_end(&mut answer);
    String::from_utf8(answer).unwrap()
}

fn call(tool: &str) -> Value {
    json!({"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {"name": tool, "arguments": {"text": "hi"}}})
}

#[test]
fn a_session_is_needed_given_and_forgotten() {
    let server = Plan::new().start();
    assert!(post(&server, "", &call("echo")).contains("not initialized"));
    let initialize = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {}});
    assert!(post(&server, "", &initialize).contains("Mcp-Session-Id: session-1"));
    assert!(post(&server, "session-1", &call("echo")).contains(r#""text":"hi""#));
    server.forget();
    let expired = post(&server, "session-1", &call("echo"));
    assert!(expired.starts_with("HTTP/1.1 404") && expired.contains("-32001"), "{expired}");
    assert_eq!((server.count("tools/call"), server.count("initialize"), server.connections()), (3, 1, 4));
    assert!(wait_until(|| server.open() == 0));
}

#[test]
fn rules_come_first_and_count() {
    let server = Plan::new()
        .without_sessions()
        .rule(|seen| (seen.tool() == "echo" && seen.nth == 2).then_some(Reply::Close))
        .always("ping", |seen| {
            Reply::stream(vec![
                Step::Text(": wait\n\n".into()),
                Step::text_result(seen, "pong"),
                Step::CutOff,
            ])
        })
        .start();
    assert!(post(&server, "", &call("echo")).contains("hi"));
    assert_eq!(post(&server, "", &call("echo")), "");
    let streamed = post(&server, "", &json!({"jsonrpc": "2.0", "id": 1, "method": "ping"}));
    assert!(streamed.contains(": wait") && streamed.contains("pong") && !streamed.ends_with("0\r\n\r\n"));
}
