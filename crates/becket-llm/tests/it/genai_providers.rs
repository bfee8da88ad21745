//! Other providers, using the example of a server that implements OpenAI's chat completions.

#![expect(clippy::expect_used, clippy::panic, reason = "tests fail by panicking")]

use crate::support::{
    KEY, PATIENCE, Server, Step, cases, chunked, fixture, http, served, status, stream_head, variant, written,
};
use becket_llm::{
    Block, Credential, Endpoint, Genai, Message, Model, ModelError, Output, Request, Response, Role, Secret,
    Thinking, ToolSpec, judge,
};
use serde_json::{Value, json};
use std::time::Duration;

fn endpoint(url: &str) -> Endpoint {
    Endpoint::at(url).credential(Credential::ApiKey(Secret::new(KEY)))
}

fn model(server: &Server) -> Genai {
    Genai::new(http(), "openai", "small", &endpoint(&format!("{}/v1", server.url()))).expect("a model")
}

async fn ask(model: &Genai, request: &Request) -> Result<Response, ModelError> {
    tokio::time::timeout(PATIENCE, model.respond(request)).await.expect("an answer in time")
}

fn check(case: &Value, answer: &Result<Response, ModelError>) {
    let name = &case["name"];
    match (answer, case["error"].as_str()) {
        (Err(error), Some(expected)) => assert_eq!(variant(error), expected, "{name}: {error}"),
        (Ok(response), None) => {
            let content: Vec<Value> = response.content.iter().map(written).collect();
            assert_eq!(Value::from(content), case["content"], "{name}");
            assert_eq!(format!("{:?}", response.stop), case["stop"].as_str().expect("a stop"), "{name}");
            let usage = response.usage;
            let usage = json!([usage.input_tokens, usage.output_tokens, usage.cache_read, usage.cache_write]);
            assert_eq!(usage, case["usage"], "{name}");
        }
        (answer, expected) => panic!("{name}: expected {expected:?}, got {answer:?}"),
    }
}

// rules: H7, H8, O10
#[tokio::test]
async fn every_recorded_answer_is_read_whole_and_byte_by_byte() {
    for case in cases("chat_completions.json") {
        let path = format!("openai/{}", case["fixture"].as_str().expect("a fixture"));
        let bytes = fixture(&path);
        let single: Vec<&[u8]> = bytes.chunks(1).collect();
        let server = Server::start(vec![served(&path), chunked("text/event-stream", &single)]).await;
        let model = model(&server);
        for _ in 0..2 {
            check(&case, &ask(&model, &Request::user("?")).await);
        }
    }
}

// rule: H7
#[tokio::test]
async fn a_judgement_carries_its_schema_in_order() {
    let server = Server::start(vec![served("openai/structured.sse")]).await;
    let schema = judge::verdict_schema(true);
    let request = Request {
        system: Some("Judge.".into()),
        output: Output::Json { name: "verdict".into(), schema: schema.clone() },
        thinking: Thinking::Off,
        temperature: Some(0.2),
        stop: vec!["END".into()],
        max_tokens: 77,
        ..Request::user("May it run?")
    };
    let answer = ask(&model(&server), &request).await.expect("an answer");
    assert_eq!(judge::read_verdict(&answer.text()).map(|verdict| verdict.ok), Ok(true));
    let body = server.body(0);
    assert_eq!(body["response_format"]["json_schema"]["schema"], schema);
    assert_eq!(body["messages"][0], json!({"role": "system", "content": "Judge."}));
    assert_eq!((&body["temperature"], &body["max_tokens"]), (&json!(0.2), &json!(77)));
    assert_eq!((&body["stop"], &body["reasoning_effort"]), (&json!(["END"]), &Value::Null));
    let sent = &server.requests()[0];
    assert!(sent.find("\"reason\":") < sent.find("\"ok\":"), "{sent}");
    assert!(sent.starts_with("POST /v1/chat/completions HTTP/1.1"), "{sent}");
    assert!(sent.contains(&format!("Bearer {KEY}")), "{sent}");
    assert!(!sent.to_ascii_lowercase().contains("accept-encoding"), "{sent}");
}

// rule: H8
#[tokio::test]
async fn tools_and_their_results_go_back() {
    let server = Server::start(vec![served("openai/text.sse")]).await;
    let input = json!({"command": "ls"}).as_object().cloned().expect("an object");
    let result = Block::ToolResult {
        tool_use_id: "call_a".into(),
        content: vec![Block::Text("denied".into())],
        is_error: true,
    };
    let request = Request {
        messages: vec![
            Message::user("Go"),
            Message {
                role: Role::Assistant,
                content: vec![Block::ToolUse { id: "call_a".into(), name: "Bash".into(), input }],
            },
            Message { role: Role::User, content: vec![result] },
        ],
        tools: vec![ToolSpec {
            name: "Bash".into(),
            description: "Runs".into(),
            input_schema: json!({"type": "object", "properties": {}}),
        }],
        ..Request::default()
    };
    ask(&model(&server), &request).await.expect("an answer");
    let body = server.body(0);
    assert_eq!(body["messages"][1]["tool_calls"][0]["id"], "call_a");
    assert_eq!(body["messages"][1]["tool_calls"][0]["function"]["arguments"], r#"{"command":"ls"}"#);
    assert_eq!(
        body["messages"][2],
        json!({"role": "tool", "content": "Error: denied", "tool_call_id": "call_a"})
    );
    assert_eq!(body["tools"][0]["function"]["name"], "Bash");
}

// rule: O10
#[tokio::test]
async fn each_status_has_its_cause() {
    for (code, headers, body, expected) in [
        ("401 No", "", r#"{"error":{"message":"bad key","type":"invalid_request_error"}}"#, "Unauthorized"),
        ("404 No", "", r#"{"error":{"message":"no model","type":"x"}}"#, "NotFound"),
        ("429 No", "retry-after: 9\r\n", r#"{"error":{"message":"slow","type":"x"}}"#, "RateLimited"),
        ("503 No", "retry-after: 9\r\n", "", "Overloaded"),
        (
            "400 No",
            "",
            r#"[{"error":{"message":"no such field","status":"INVALID_ARGUMENT"}}]"#,
            "BadRequest",
        ),
        ("500 No", "", "<html>", "Provider"),
        ("302 No", "location: http://127.0.0.1:1/\r\n", "", "BadAnswer"),
    ] {
        let server = Server::start(vec![status(code, headers, body)]).await;
        let error = ask(&model(&server), &Request::user("?")).await.expect_err("an error");
        assert_eq!(variant(&error), expected, "{error}");
        assert!(error.to_string().contains("127.0.0.1"), "{error}");
        assert_eq!(error.retry_after(), headers.starts_with("retry").then_some(Duration::from_secs(9)));
    }
}

// rule: O10
#[tokio::test]
async fn silence_and_broken_connections_are_told_as_such() {
    let idle = Duration::from_millis(150);
    let begun = Step::Send(fixture("openai/text.sse")[..200].to_vec());
    for steps in [vec![Step::Hang], vec![stream_head("text/event-stream"), begun.clone(), Step::Hang]] {
        let server = Server::start(vec![steps]).await;
        let error = ask(&model(&server).with_idle(idle), &Request::user("?")).await.expect_err("an error");
        assert_eq!(error, ModelError::Idle { from: server.address.to_string(), idle });
    }
    let pause = Step::Wait(Duration::from_millis(50));
    let in_the_middle = vec![stream_head("text/event-stream"), begun, pause, Step::Reset];
    for (steps, expected) in [(vec![Step::Reset], "Connection"), (in_the_middle, "Broken")] {
        let server = Server::start(vec![steps]).await;
        let error = ask(&model(&server), &Request::user("?")).await.expect_err("an error");
        assert_eq!(variant(&error), expected, "{error}");
    }
}

// rule: O10
#[tokio::test]
async fn an_endless_stream_of_events_is_cut_off() {
    let event = json!({"choices": [{"index": 0, "delta": {"content": "x".repeat(30_000)}}]});
    let forever = Step::Forever(format!("data: {event}\n\n").into_bytes());
    let server = Server::start(vec![vec![stream_head("text/event-stream"), forever]]).await;
    let error = ask(&model(&server), &Request::user("?")).await.expect_err("an error");
    assert_eq!(variant(&error), "TooLarge", "{error}");
}

#[tokio::test]
async fn dropping_the_future_closes_the_connection() {
    let server = Server::start(vec![vec![stream_head("text/event-stream"), Step::Hang]]).await;
    let model = model(&server);
    let request = Request::user("?");
    tokio::select! {
        answer = model.respond(&request) => panic!("it never ends: {answer:?}"),
        () = server.asked(1) => {}
    }
    tokio::time::timeout(PATIENCE, server.gone.notified()).await.expect("the connection is closed");
}

#[tokio::test]
async fn a_local_server_needs_no_key() {
    let server = Server::start(vec![served("openai/text.sse")]).await;
    let model = Genai::new(http(), "openai", "small", &Endpoint::at(server.url())).expect("a model");
    assert_eq!(ask(&model, &Request::user("?")).await.expect("an answer").text(), "Good day, wörld 👋");
    assert!(server.requests()[0].starts_with("POST /chat/completions "), "{}", server.requests()[0]);
}

#[test]
fn what_would_be_looked_up_in_the_environment_has_to_be_handed_in() {
    let key = Endpoint::with_key(Credential::ApiKey(Secret::new(KEY)));
    for provider in ["vertex", "omlx", "bedrock_api"] {
        let error = Genai::new(http(), provider, "m", &key).expect_err("no address");
        assert_eq!(variant(&error), "Setup", "{error}");
    }
    assert!(Genai::new(http(), "gemini", "m", &key).is_ok());
    for provider in ["anthropic", "nobody", "genai_1"] {
        let error = Genai::new(http(), provider, "m", &key).expect_err("no provider");
        assert_eq!(variant(&error), "UnknownModel", "{error}");
    }
}
