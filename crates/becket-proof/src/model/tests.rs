use super::{ModelServer, Protocol, Script, ToolCall, Turn};
use serde_json::{Value, json};
use std::io::{Read, Write};
use std::net::TcpStream;

/// Sends a request, and returns the body of the response.
fn post(server: &ModelServer, path: &str, body: &Value) -> String {
    let address = server.url().replace("http://", "");
    let mut stream = TcpStream::connect(&address).unwrap();
    let body = body.to_string();
    let head = format!(
        "POST {path} HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\ncontent-length: {}",
        body.len()
    );
    stream.write_all(format!("{head}\r\n\r\n{body}").as_bytes()).unwrap();
    let mut text = String::new();
    stream.read_to_string(&mut text).unwrap();
    text.split_once("\r\n\r\n").unwrap().1.to_owned()
}

fn server(main_tool: Option<&'static str>) -> ModelServer {
    let call = Turn::Call(ToolCall::object("sh", json!({"command": "ls"})));
    let turns = vec![call, Turn::Text("Done.".to_owned())];
    ModelServer::start(Script { turns, main_tool, ..Script::default() }).unwrap()
}

#[test]
fn every_protocol_gives_the_call_the_text_and_the_end() {
    let cases = [
        (Protocol::Anthropic, "/v1/messages", json!([{"name": "sh"}]), "messages"),
        (Protocol::Responses, "/v1/responses", json!([{"type": "function", "name": "sh"}]), "input"),
        (Protocol::Chat, "/v1/chat/completions", json!([{"function": {"name": "sh"}}]), "messages"),
        (
            Protocol::Gemini,
            "/v1beta/models/m:streamGenerateContent?alt=sse",
            json!([{"functionDeclarations": [{"name": "sh"}]}]),
            "contents",
        ),
    ];
    for (protocol, path, tools, key) in cases {
        let server = server(Some("s"));
        let body = json!({"tools": tools, key: ["hello"], "stream": true});
        let called = post(&server, path, &body);
        assert!(called.contains("data: ") && called.contains("ls"), "{protocol:?}: {called}");
        assert!(post(&server, path, &body).contains("Done."), "{protocol:?}");
        assert!(post(&server, path, &body).contains("END"), "{protocol:?}");
        let requests = server.requests();
        assert_eq!(requests.len(), 3);
        assert!(requests.iter().all(|request| request.is_main && request.protocol == protocol));
        assert_eq!((&requests[0].tools, &requests[0].messages), (&vec!["sh".to_owned()], &json!(["hello"])));
    }
}

#[test]
fn a_prompt_gets_one_turn_if_the_script_says_so() {
    let cases = [
        (Protocol::Anthropic, "/v1/messages", json!({"role": "user", "content": [{"type": "tool_result"}]})),
        (Protocol::Responses, "/v1/responses", json!({"type": "function_call_output", "output": "x"})),
        (Protocol::Chat, "/v1/chat/completions", json!({"role": "tool", "content": "x"})),
        (
            Protocol::Gemini,
            "/v1beta/models/m:generateContent",
            json!({"role": "user", "parts": [{"functionResponse": {}}]}),
        ),
    ];
    for (protocol, path, result) in cases {
        let call = || Turn::Call(ToolCall::object("sh", json!({"command": "ls"})));
        let script = Script { turns: vec![call(), call()], one_turn_per_prompt: true, ..Script::default() };
        let server = ModelServer::start(script).unwrap();
        let tools = json!([{"name": "sh", "functionDeclarations": [{"name": "sh"}]}]);
        let key = if protocol == Protocol::Responses { "input" } else { "messages" };
        let key = if protocol == Protocol::Gemini { "contents" } else { key };
        let prompt = json!({"role": "user"});
        let answers: Vec<String> =
            [json!([prompt]), json!([prompt, result]), json!([prompt, result, prompt])]
                .into_iter()
                .map(|messages| post(&server, path, &json!({"tools": tools, key: messages})))
                .collect();
        let calls: Vec<bool> = answers.iter().map(|answer| answer.contains("command")).collect();
        assert_eq!(calls, [true, false, true], "{protocol:?}: {answers:?}");
    }
}

#[test]
fn a_request_aside_takes_no_turn() {
    let server = server(Some("Bash"));
    let aside = json!({"messages": [], "tools": [{"name": "title"}]});
    assert!(post(&server, "/v1/messages", &aside).contains("ok"));
    assert_eq!(post(&server, "/v1/messages/count_tokens", &json!({})), r#"{"input_tokens":10}"#);
    assert_eq!(
        (server.requests()[0].is_main, server.others()),
        (false, vec!["POST /v1/messages/count_tokens".to_owned()])
    );
    let main = json!({"messages": [], "tools": [{"name": "Bash"}]});
    assert!(post(&server, "/v1/messages", &main).contains("tool_use"));
}

#[test]
fn a_dropped_server_closes_its_port() {
    let server = server(None);
    let address = server.url().replace("http://", "");
    let open = TcpStream::connect(&address).unwrap();
    drop(server);
    assert!(TcpStream::connect(&address).is_err());
    drop(open);
}
