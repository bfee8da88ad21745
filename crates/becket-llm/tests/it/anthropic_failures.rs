//! Failures between a host and the Messages API: each cause has its own error, and nothing hangs or grows.

#![expect(clippy::expect_used, reason = "tests fail by panicking")]

use crate::support::{
    KEY, PATIENCE, Server, Step, cases, chunked, fixture, http, served, status, stream_head, variant,
};
use becket_llm::{Anthropic, Credential, Delta, Model, ModelError, Request, Response, Secret};
use futures_util::StreamExt;
use std::time::Duration;

fn model(server: &Server) -> Anthropic {
    let credential = Credential::ApiKey(Secret::new(KEY));
    let model = Anthropic::new(http(), "claude-haiku-5-5", &credential).expect("a model");
    model.with_base_url(&server.url()).expect("a URL")
}

async fn ask(model: &Anthropic) -> Result<Response, ModelError> {
    let request = Request::user("?");
    tokio::time::timeout(PATIENCE, model.respond(&request)).await.expect("an answer in time")
}

/// Returns the error for a server that answers like this.
async fn failure(steps: Vec<Step>) -> ModelError {
    let server = Server::start(vec![steps]).await;
    let error = ask(&model(&server)).await.expect_err("an error");
    assert!(error.to_string().contains("127.0.0.1"), "{error} does not say where");
    error
}

// rule: O10
#[tokio::test]
async fn each_status_has_its_cause() {
    for case in cases("statuses.json") {
        let text = |key: &str| case[key].as_str().unwrap_or_default();
        let error = failure(status(text("status"), text("headers"), text("body"))).await;
        let shown = error.to_string();
        assert_eq!(variant(&error), text("error"), "{shown}");
        assert_eq!(error.is_transient(), case["transient"] == true, "{shown}");
        let wait = error.retry_after().map(|wait| wait.as_secs());
        assert_eq!(wait, case["retry_after_s"].as_u64(), "{shown}");
        assert!(shown.contains(text("says")), "{shown} does not say {}", text("says"));
        assert!(!shown.contains(['\n', '\u{1b}']), "{shown}");
    }
}

#[tokio::test]
async fn the_limit_on_requests_is_told_before_an_answer_and_before_a_refusal() {
    let headers = |state: &str| {
        format!(
            "anthropic-ratelimit-unified-status: {state}\r\nanthropic-ratelimit-unified-reset: 1764554400\r\n"
        )
    };
    let answer = r#"{"id":"m","model":"m","content":[{"type":"text","text":"Hi."}],"stop_reason":"end_turn","usage":{}}"#;
    let refusal = r#"{"error":{"type":"rate_limit_error","message":"slow down"}}"#;
    let steps = vec![
        status("200 OK", &headers("allowed_warning"), answer),
        status("429 Too Many Requests", &headers("rejected"), refusal),
        status("200 OK", "", answer),
    ];
    let server = Server::start(steps).await;
    let model = model(&server);
    let request = Request::user("?");
    let mut told = Vec::new();
    for _ in 0..3 {
        let deltas: Vec<Result<Delta, ModelError>> = model.stream(&request).collect().await;
        let limit = match deltas.first() {
            Some(Ok(Delta::RateLimit(limit))) => Some((limit.status.clone(), limit.resets_at)),
            Some(_) | None => None,
        };
        told.push((limit, deltas.last().is_some_and(Result::is_ok)));
    }
    let limit = |state: &str| Some((state.to_owned(), Some(1_764_554_400)));
    assert_eq!(told, [(limit("allowed_warning"), true), (limit("rejected"), false), (None, true)]);
}

// rule: O10
#[tokio::test]
async fn silence_ends_by_the_bound() {
    let idle = Duration::from_millis(150);
    let head = stream_head("text/event-stream");
    let begun = Step::Send(fixture("anthropic/text.sse")[..300].to_vec());
    for steps in [vec![Step::Hang], vec![head.clone(), Step::Hang], vec![head, begun, Step::Hang]] {
        let server = Server::start(vec![steps]).await;
        let error = ask(&model(&server).with_idle(idle)).await.expect_err("an error");
        assert_eq!(error, ModelError::Idle { from: server.address.to_string(), idle });
    }
}

#[tokio::test]
async fn slowness_within_the_bound_is_no_silence() {
    let mut steps = vec![Step::Wait(Duration::from_millis(300)), stream_head("text/event-stream")];
    for piece in fixture("anthropic/text.sse").chunks(100) {
        steps.extend([Step::Wait(Duration::from_millis(50)), Step::Send(piece.to_vec())]);
    }
    steps.push(Step::Hang);
    let server = Server::start(vec![steps]).await;
    let answer = ask(&model(&server).with_idle(Duration::from_secs(30))).await.expect("an answer");
    assert_eq!(answer.text(), "Good day, wörld 👋");
}

// rule: O10
#[tokio::test]
async fn a_broken_connection_is_told_as_such() {
    let head = stream_head("text/event-stream");
    let begun = Step::Send(fixture("anthropic/text.sse")[..300].to_vec());
    let in_the_middle = vec![head, begun, Step::Wait(Duration::from_millis(50)), Step::Reset];
    for (steps, expected) in [(vec![Step::Reset], "Connection"), (in_the_middle, "Broken")] {
        let error = failure(steps).await;
        assert_eq!(variant(&error), expected, "{error}");
        assert!(error.is_transient());
    }
    let closed = Server::start(vec![vec![]]).await;
    let nobody = model(&closed).with_base_url("http://127.0.0.1:1").expect("a URL");
    let error = ask(&nobody).await.expect_err("an error");
    assert_eq!(variant(&error), "NothingListens", "{error}");
}

/// An event that the client ignores.
const PING: &[u8] = b"event: ping\ndata: {\"type\": \"ping\"}\n\n";

// rule: O10
#[tokio::test]
async fn an_endless_answer_is_cut_off_and_memory_stays_bounded() {
    let head = stream_head("text/event-stream");
    let line = b"data: ".iter().chain(&[b'x'; 60_000]).copied().collect::<Vec<u8>>();
    for forever in [PING.repeat(1000), vec![b'x'; 64 * 1024], line] {
        let server = Server::start(vec![vec![head.clone(), Step::Forever(forever)]]).await;
        let before = resident();
        let error = ask(&model(&server)).await.expect_err("an error");
        assert_eq!(variant(&error), "TooLarge", "{error}");
        let grown = resident().saturating_sub(before);
        assert!(grown < 200 * 1024 * 1024, "grew by {grown} bytes");
    }
}

// rule: O10
#[tokio::test]
async fn an_endless_error_is_told_without_its_end() {
    let head =
        Step::Send(b"HTTP/1.1 500 Oops\r\ncontent-type: text/plain\r\nconnection: close\r\n\r\n".to_vec());
    let error = failure(vec![head, Step::Forever(b"it broke ".repeat(1000))]).await;
    assert_eq!(variant(&error), "Provider", "{error}");
    assert!(error.to_string().len() < 1000, "{error}");
}

#[tokio::test]
async fn the_bound_on_an_answer_is_the_hosts() {
    let server = Server::start(vec![served("anthropic/text.sse"), served("anthropic/whole.json")]).await;
    let small = model(&server).with_answer_limit(100);
    for _ in 0..2 {
        let error = ask(&small).await.expect_err("an error");
        assert_eq!(error, ModelError::TooLarge { from: server.address.to_string(), limit: 100 });
    }
}

/// A complete answer whose call says no and then yes.
const TWINS: &str = r#"{"id": "m", "type": "message", "role": "assistant", "model": "c", "stop_reason": "tool_use",
    "content": [{"type": "tool_use", "id": "t", "name": "StructuredOutput", "input": {"ok": false, "ok": true}}],
    "usage": {"input_tokens": 1, "output_tokens": 1}}"#;

// rule: O10
#[tokio::test]
async fn a_document_that_is_none_is_told_as_such() {
    for (body, expected) in [
        ("{\"content\": [", "Truncated"),
        ("", "Truncated"),
        ("<html>", "BadAnswer"),
        ("[]", "BadAnswer"),
        ("{\"content\": \"text\"}", "BadAnswer"),
        (TWINS, "BadAnswer"),
        (
            "{\"type\":\"error\",\"error\":{\"type\":\"rate_limit_error\",\"message\":\"slow\"}}",
            "RateLimited",
        ),
    ] {
        let error = failure(chunked("application/json", &[body.as_bytes()])).await;
        assert_eq!(variant(&error), expected, "{body}: {error}");
    }
    let error = failure(chunked("text/html", &[b"<html>hello</html>"])).await;
    assert_eq!(variant(&error), "Truncated", "{error}");
}

// rule: S3
#[tokio::test]
async fn a_redirect_is_not_followed() {
    let other = Server::start(vec![served("anthropic/text.sse")]).await;
    let headers = format!("location: {}/v1/messages\r\n", other.url());
    for code in ["301 Moved", "302 Found", "307 Temporary", "308 Permanent"] {
        let error = failure(status(code, &headers, "")).await;
        assert_eq!(variant(&error), "BadAnswer", "{error}");
    }
    assert_eq!(other.requests().len(), 0);
}

#[tokio::test]
async fn compression_is_neither_asked_for_nor_taken() {
    let headers = "content-encoding: gzip\r\n";
    let server = Server::start(vec![status("200 OK", headers, "whatever")]).await;
    let error = ask(&model(&server)).await.expect_err("an error");
    assert_eq!(variant(&error), "BadAnswer", "{error}");
    assert!(
        !server.requests()[0].to_ascii_lowercase().contains("accept-encoding"),
        "{}",
        server.requests()[0]
    );
}

#[tokio::test]
async fn dropping_a_stream_closes_its_connection() {
    let head = stream_head("text/event-stream");
    let begun = Step::Send(fixture("anthropic/text.sse")[..500].to_vec());
    let server = Server::start(vec![vec![head, begun, Step::Hang]]).await;
    let model = model(&server);
    let request = Request::user("?");
    let mut stream = model.stream(&request);
    let first = stream.next().await.expect("a delta").expect("no error");
    assert!(matches!(first, Delta::Start { .. }));
    drop(stream);
    tokio::time::timeout(PATIENCE, server.gone.notified()).await.expect("the connection is closed");

    tokio::select! {
        answer = model.respond(&request) => panic!("it never ends: {answer:?}"),
        () = server.asked(2) => {}
    }
    tokio::time::timeout(PATIENCE, server.gone.notified()).await.expect("the connection is closed");
}

#[tokio::test]
async fn nothing_comes_after_an_error() {
    let server = Server::start(vec![served("anthropic/error_mid_stream.sse")]).await;
    let model = model(&server);
    let request = Request::user("?");
    let deltas: Vec<_> = model.stream(&request).collect().await;
    let errors = deltas.iter().filter(|delta| delta.is_err()).count();
    assert_eq!((errors, deltas.last().is_some_and(Result::is_err)), (1, true));
    assert!(deltas.iter().any(|delta| matches!(delta, Ok(Delta::Text { text, .. }) if text == "Well")));
}

/// Returns the resident memory of this process in bytes; 0 if it is unknown.
fn resident() -> usize {
    let statm = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    statm.split(' ').nth(1).and_then(|pages| pages.parse::<usize>().ok()).unwrap_or_default() * 4096
}
