//! A key is sent in one header and never shown, even if a server repeats it.

use crate::support::{KEY, PATIENCE, Server, Step, chunked, http, status};
use becket_llm::{
    Anthropic, Credential, Endpoint, Genai, HttpOptions, Model, ModelError, Models, Providers, Request,
    Secret, http_client,
};
use serde_json::json;

fn credential() -> Credential {
    Credential::ApiKey(Secret::new(KEY))
}

/// Checks that neither an error nor its causes show the key.
fn clean(error: &ModelError) {
    let mut shown = format!("{error} {error:?} {error:#?}");
    let mut cause = std::error::Error::source(error);
    while let Some(error) = cause {
        shown = format!("{shown} {error} {error:?}");
        cause = error.source();
    }
    assert!(!shown.contains(KEY), "{shown}");
    assert!(!shown.contains("very-secret"), "{shown}");
}

// rule: S3
#[tokio::test]
async fn a_token_in_a_header_or_an_address_is_a_secret_too() {
    let body = json!({"error": {"message": format!("header {KEY}, password p4ssw0rd-of-proxy")}}).to_string();
    let server = Server::start(vec![status("403 No", "", &body)]).await;
    let url = format!("http://me:p4ssw0rd-of-proxy@{}", server.address);
    let model = Anthropic::new(http(), "m", &Credential::None).expect("a model");
    let model =
        model.with_base_url(&url).expect("a URL").with_header("x-gateway-token", KEY).expect("a header");
    let endpoint = Endpoint::at(url).credential(credential());
    let other = Genai::new(http(), "openai", "m", &endpoint).expect("a model");
    let models: [&dyn Model; 2] = [&model, &other];
    for asked in models {
        let error = asked.respond(&Request::user("?")).await.expect_err("an error");
        clean(&error);
        assert!(
            !format!("{error:?} {model:?} {other:?}").contains("p4ssw0rd"),
            "{error:?} {model:?} {other:?}"
        );
    }
}

/// Returns answers of servers that repeat the key wherever they can.
fn echoes() -> Vec<Vec<Step>> {
    let said = format!("the key {KEY} (\"Bearer {KEY}\") is wrong");
    let error = json!({"error": {"type": format!("bad {KEY}"), "message": said, "code": KEY, "status": KEY}});
    let mut answers = Vec::new();
    for code in
        ["400 Bad", "401 No", "403 No", "404 No", "429 No", "500 No", "503 No", "529 No", "418 No", "302 No"]
    {
        let headers =
            format!("x-echo: {KEY}\r\nlocation: http://127.0.0.1:1/{KEY}\r\nretry-after: {KEY}\r\n");
        answers.push(status(code, &headers, &error.to_string()));
        answers.push(status(code, &headers, &said));
        answers.push(status(code, &headers, &format!("{}{said}", "x".repeat(390))));
    }
    let event = json!({"type": "error", "error": error["error"]});
    answers.push(chunked("text/event-stream", &[format!("data: {event}\n\n").as_bytes()]));
    answers.push(chunked("text/event-stream", &[format!("data: {error}\n\n").as_bytes()]));
    answers.push(chunked("text/event-stream", &[format!("data: {KEY}\n\n").as_bytes()]));
    answers.push(chunked("application/json", &[error.to_string().as_bytes()]));
    answers.push(chunked("application/json", &[KEY.as_bytes()]));
    answers.push(status("200 OK", &format!("content-encoding: {KEY}\r\n"), ""));
    answers.push(vec![Step::Send(format!("{KEY} is not HTTP\r\n\r\n").into_bytes())]);
    let tool = json!({"type": "tool_use", "id": "t", "name": KEY, "input": {}});
    let events = [
        json!({"type": "content_block_start", "index": 0, "content_block": tool}),
        json!({"type": "content_block_delta", "index": 0, "delta": {"type": "input_json_delta", "partial_json": KEY}}),
        json!({"type": "message_stop"}),
    ];
    let events: String = events.iter().map(|event| format!("data: {event}\n\n")).collect();
    answers.push(chunked("text/event-stream", &[events.as_bytes()]));
    answers
}

// rule: S3
#[tokio::test]
async fn no_error_repeats_a_key_that_a_server_echoes() {
    for steps in echoes() {
        let server = Server::start(vec![steps]).await;
        let native = Anthropic::new(http(), "m", &credential()).expect("a model");
        let native = native.with_base_url(&server.url()).expect("a URL");
        let endpoint = Endpoint::at(server.url()).credential(credential());
        let other = Genai::new(http(), "openai", "m", &endpoint).expect("a model");
        let models: [&dyn Model; 2] = [&native, &other];
        for model in models {
            let request = Request::user("?");
            let answer = tokio::time::timeout(PATIENCE, model.respond(&request)).await.expect("in time");
            clean(&answer.expect_err("an error"));
        }
        let sent = server.requests().iter().filter(|request| request.matches(KEY).count() == 1).count();
        assert_eq!(sent, server.requests().len());
    }
}

// rule: S3
#[tokio::test]
async fn nothing_that_is_shown_shows_a_key() {
    let url = format!("https://user:{KEY}@host.example/{KEY}?key={KEY}");
    let native = Anthropic::new(http(), "m", &credential()).expect("a model");
    let native = native.with_base_url(&url).expect("a URL").with_header("x-more", KEY).expect("a header");
    let endpoint = Endpoint::at("http://127.0.0.1:1").credential(Credential::Bearer(Secret::new(KEY)));
    let other = Genai::new(http(), "openai", "m", &endpoint).expect("a model");
    let providers = Providers::new(HttpOptions::default())
        .with_endpoint("anthropic", Endpoint::with_key(credential()))
        .with_endpoint("openai", endpoint.clone())
        .with_endpoint("gemini", Endpoint::at(url).credential(credential()));
    let model = Models::model(&providers, Some("haiku")).expect("a model");
    let shown = format!("{native:?} {other:?} {endpoint:?} {providers:?} {:#?} {model:?}", credential());
    assert!(!shown.contains("very-secret"), "{shown}");
    clean(&other.respond(&Request::user("?")).await.expect_err("nobody listens"));

    let mut proxied = HttpOptions::default();
    proxied.proxy = Some(format!("http://user:{KEY}@"));
    let error = http_client(&proxied).expect_err("no proxy");
    let shown = format!("{error} {error:?} {proxied:?}");
    assert!(!shown.contains("very-secret"), "{shown}");
}
