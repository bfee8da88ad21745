//! Recorded answers of the Messages API, however they are split into pieces.

#![expect(clippy::expect_used, clippy::panic, reason = "tests fail by panicking")]

use crate::support::{KEY, PATIENCE, Server, cases, chunked, fixture, http, served, variant, written};
use becket_llm::{Anthropic, Credential, Model, ModelError, Request, Response, Secret};
use serde_json::{Value, json};

fn model(url: &str) -> Anthropic {
    let credential = Credential::ApiKey(Secret::new(KEY));
    let model = Anthropic::new(http(), "claude-haiku-5-5", &credential).expect("a model");
    model.with_base_url(url).expect("a URL")
}

async fn ask(model: &dyn Model) -> Result<Response, ModelError> {
    let request = Request::user("?");
    tokio::time::timeout(PATIENCE, model.respond(&request)).await.expect("an answer in time")
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
async fn every_recorded_answer_is_read() {
    for case in cases("answers.json") {
        let path = format!("anthropic/{}", case["fixture"].as_str().expect("a fixture"));
        let server = Server::start(vec![served(&path)]).await;
        check(&case, &ask(&model(&server.url())).await);
    }
}

#[tokio::test]
async fn bytes_may_come_one_by_one() {
    for case in cases("answers.json") {
        let bytes = fixture(&format!("anthropic/{}", case["fixture"].as_str().expect("a fixture")));
        let chunks: Vec<&[u8]> = bytes.chunks(1).collect();
        let kind = if case["fixture"] == "whole.json" { "application/json" } else { "text/event-stream" };
        let server = Server::start(vec![chunked(kind, &chunks)]).await;
        check(&case, &ask(&model(&server.url())).await);
    }
}

#[tokio::test]
async fn the_stream_may_be_cut_at_every_byte() {
    let cases = cases("answers.json");
    for name in ["text.sse", "tool_use.sse", "interleaved_crlf.sse"] {
        let case = cases.iter().find(|case| case["fixture"] == name).expect("a case");
        let bytes = fixture(&format!("anthropic/{name}"));
        let answers = (1..bytes.len()).map(|at| chunked("text/event-stream", &[&bytes[..at], &bytes[at..]]));
        let server = Server::start(answers.collect()).await;
        let model = model(&server.url());
        for _ in 1..bytes.len() {
            check(case, &ask(&model).await);
        }
    }
}

#[tokio::test]
async fn the_end_is_the_end_whatever_follows() {
    let mut bytes = fixture("anthropic/text.sse");
    bytes.extend_from_slice(b"event: error\ndata: {\"type\":\"error\",\"error\":{}}\n\n");
    let server = Server::start(vec![chunked("text/event-stream", &[&bytes])]).await;
    assert_eq!(ask(&model(&server.url())).await.expect("an answer").text(), "Good day, wörld 👋");
}

#[tokio::test]
async fn text_that_is_no_utf8_is_read_with_replacements() {
    let mut bytes = fixture("anthropic/text.sse");
    let at = bytes.windows(4).position(|four| four == b"Good").expect("the text");
    bytes[at] = 0xff;
    let server = Server::start(vec![chunked("text/event-stream", &[&bytes])]).await;
    assert_eq!(ask(&model(&server.url())).await.expect("an answer").text(), "\u{fffd}ood day, wörld 👋");
}
