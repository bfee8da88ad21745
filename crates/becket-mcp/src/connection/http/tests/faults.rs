//! A failure of one request is immediate, described, and an error of that request only.

use becket_testkit::mcp_http::{Plan, ReceivedRequest, Reply, Step};
use serde_json::json;

use super::meet::{ConnectedClient, nothing_left};
use std::time::Duration;

type Answer = fn(&ReceivedRequest) -> Reply;

/// The answer to a call, and the caller's error.
const FAULTS: &[(&str, Answer, &str)] = &[
    (
        "400 without id",
        |_| Reply::error(400, &json!(null), -32000, "Bad Request"),
        "refused: Bad Request (-32000)",
    ),
    ("500 without id", |_| Reply::error(500, &json!(null), -32603, "oops"), "refused: oops (-32603)"),
    ("500", |_| Reply::text(500, "text/plain", "sorry"), "it answers with HTTP 500: sorry"),
    ("429", |_| Reply::status(429), "it answers with HTTP 429"),
    (
        "html",
        |_| Reply::text(200, "text/html", "<p>hi"),
        "its response is not MCP: it sends `text/html`: <p>hi",
    ),
    ("empty", |_| Reply::status(200), "its response is not MCP: its answer is empty"),
    ("401", |_| Reply::unauthorized(None), "it needs authentication"),
    ("401 Bearer", |_| Reply::unauthorized(Some("Bearer scope=\"a\"")), "it needs authentication"),
    ("403", |_| Reply::text(403, "text/plain", "no"), "it answers with HTTP 403: no"),
    (
        "403 scope",
        |_| Reply::status(403).with("WWW-Authenticate", "Bearer error=\"insufficient_scope\""),
        "it needs authentication",
    ),
    (
        "17 MiB",
        |_| Reply::Huge { bytes: 17 << 20, as_event: false },
        "it answered with more than 16777216 bytes, the most that a message may have",
    ),
    (
        "17 MiB as an event",
        |_| Reply::Huge { bytes: 17 << 20, as_event: true },
        "it answered with more than 16777216 bytes, the most that a message may have",
    ),
    (
        "100 MB",
        |_| Reply::Huge { bytes: 100_000_000, as_event: false },
        "it answered with more than 16777216 bytes, the most that a message may have",
    ),
    (
        "100 MB as an event",
        |_| Reply::Huge { bytes: 100_000_000, as_event: true },
        "it answered with more than 16777216 bytes, the most that a message may have",
    ),
    (
        "100 MB announced",
        |_| {
            let head =
                "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 100000000\r\n\r\n{";
            Reply::Raw(head.into())
        },
        "it answered with more than 16777216 bytes, the most that a message may have",
    ),
    ("closed", |_| Reply::Close, "its answer broke off: "),
    (
        "closed in the middle",
        |_| {
            Reply::Raw(
                b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 90\r\n\r\n{\"js"
                    .to_vec(),
            )
        },
        "its answer broke off: ",
    ),
    ("no HTTP", |_| Reply::Raw(b"SSH-2.0-OpenSSH_9.6\r\n".to_vec()), "its answer broke off: "),
    ("a stream that ends", |_| Reply::stream(vec![]), "its answer broke off: it ended without an answer"),
    ("a stream that is cut", |_| Reply::stream(vec![Step::CutOff]), "its answer broke off: "),
    (
        "a stream with an answer that can't be read",
        |seen| {
            Reply::stream(vec![
                Step::Message(json!({"jsonrpc": "2.0", "id": seen.id(), "error": "no"})),
                Step::Hang,
            ])
        },
        "unexpected: it can't be read: ",
    ),
    (
        "a stream with an error without an id",
        |_| {
            Reply::stream(vec![
                Step::Message(json!({"jsonrpc": "2.0", "error": {"code": -5, "message": "no"}})),
                Step::Hang,
            ])
        },
        "refused: no (-5)",
    ),
    (
        "somebody else's answer",
        |_| Reply::json(200, &json!({"jsonrpc": "2.0", "id": 99, "result": {}})),
        "its response is not MCP: it answers request 99 when it is asked",
    ),
    (
        "somebody else's answer over a stream",
        |_| Reply::stream(vec![Step::Message(json!({"jsonrpc": "2.0", "id": 99, "result": {}})), Step::Hang]),
        "its response is not MCP: it answers request 99 when it is asked",
    ),
    (
        "another origin",
        |_| Reply::redirect(307, "http://127.0.0.1:1/mcp"),
        "it sends us from `http://127.0.0.1:",
    ),
    (
        "another scheme",
        |_| Reply::redirect(301, "https://127.0.0.1/mcp"),
        "it sends us from `http://127.0.0.1:",
    ),
    (
        "moved",
        |_| Reply::redirect(302, "/new?key=s3cret"),
        "it answers with HTTP 302: it has moved to `/new`: write that into its URL",
    ),
];

/// Answers that mean a lost session, in a session.
const EXPIRED: &[(&str, Answer)] = &[
    ("404 -32001", |_| Reply::expired()),
    ("404", |_| Reply::text(404, "text/html", "<h1>Not Found")),
    ("restarted", |_| Reply::error(400, &json!(null), -32000, "Bad Request: No valid session ID provided")),
];

// rules: X1, X3
#[tokio::test]
async fn a_fault_is_the_error_of_its_request_alone() {
    for (name, answer, expected) in FAULTS {
        for has_session in [true, false] {
            let plan = if has_session { Plan::new() } else { Plan::new().without_sessions() };
            let answer = *answer;
            let server = plan.rule(move |seen| (seen.tool() == "destroy").then(|| answer(seen))).start();
            let met = ConnectedClient::with(&server).await;
            let error = met.call("destroy", json!({})).await.unwrap_err();
            assert!(error.starts_with(expected), "{name}: {error}");
            assert!(!error.contains("s3cret"), "{error}");
            assert_eq!(met.echo("still there").await.as_deref(), Ok("still there"), "{name}");
            assert_eq!(server.count("tools/call"), 2, "{name}: sent more than once");
            drop(met.end(Duration::from_secs(5)).await);
            nothing_left(&server).await;
        }
    }
}

// rule: X4
#[tokio::test]
async fn a_lost_session_is_said_and_not_begun_anew() {
    for (name, answer) in EXPIRED {
        let answer = *answer;
        let server = Plan::new().rule(move |seen| (seen.tool() == "destroy").then(|| answer(seen))).start();
        let met = ConnectedClient::with(&server).await;
        let error = met.call("destroy", json!({})).await.unwrap_err();
        assert_eq!(error, "it has forgotten the session", "{name}");
        assert_eq!((server.count("tools/call"), server.count("initialize")), (1, 1), "{name}");
    }
}

// rules: X1, X4
#[tokio::test]
async fn a_server_that_was_started_anew_has_forgotten_the_session() {
    let server = Plan::new().start();
    let met = ConnectedClient::with(&server).await;
    assert_eq!(met.echo("a").await.as_deref(), Ok("a"));
    server.forget();
    assert_eq!(met.echo("b").await.unwrap_err(), "it has forgotten the session");
    drop(met.end(Duration::from_secs(5)).await);
    // A lost session needs no farewell.
    assert_eq!(server.count("DELETE"), 0);
    nothing_left(&server).await;
}

// rule: X1
#[tokio::test]
async fn a_request_that_is_taken_without_an_answer_has_none_unless_the_other_stream_is_open() {
    let server = Plan::new().without_stream().always("tools/call", |_| Reply::status(202)).start();
    let met = ConnectedClient::with(&server).await;
    let error = met.echo("a").await.unwrap_err();
    assert!(error.ends_with("it takes a request without answering it (HTTP 202)"), "{error}");
}

// rule: X1
#[tokio::test]
async fn a_redirect_within_the_origin_is_followed() {
    let server = Plan::new()
        .rule(|seen| (seen.tool() == "echo" && seen.path == "/mcp").then(|| Reply::redirect(307, "/mcp/")))
        .start();
    let met = ConnectedClient::with(&server).await;
    assert_eq!(met.echo("there").await.as_deref(), Ok("there"));
    let endless = Plan::new().always("tools/call", |_| Reply::redirect(308, "/mcp")).start();
    let met = ConnectedClient::with(&endless).await;
    let error = met.echo("there").await.unwrap_err();
    assert!(error.ends_with("it has sent us on more than 3 times"), "{error}");
}

// rules: X1, X3
#[tokio::test]
async fn a_greeting_that_fails_says_why() {
    let faults: &[(Answer, &str)] = &[
        (|_| Reply::text(404, "text/html", "<h1>Not Found"), "it answers with HTTP 404: <h1>Not Found"),
        (|_| Reply::text(200, "text/html", "<p>hi"), "its response is not MCP: it sends `text/html`: <p>hi"),
        (|_| Reply::unauthorized(None), "it needs authentication"),
        (|_| Reply::status(202), "its response is not MCP: it takes a request without answering it"),
        (|_| Reply::stream(vec![]), "its answer broke off: it ended without an answer"),
        (|_| Reply::Close, "its answer broke off: "),
        (|_| Reply::redirect(307, "http://localhost:1/"), "it sends us from `http://127.0.0.1:"),
        (|_| Reply::error(400, &json!(null), -32000, "no"), "refused: no (-32000)"),
    ];
    for (answer, expected) in faults {
        let answer = *answer;
        let server = Plan::new().rule(move |seen| Some(answer(seen))).start();
        let error = ConnectedClient::over(super::meet::link(&server)).await.map(drop).unwrap_err();
        assert!(error.starts_with(expected), "{expected}: {error}");
        nothing_left(&server).await;
    }
}

// rule: X1
#[tokio::test]
async fn a_notice_that_ends_the_greeting_and_is_refused_says_why() {
    let server =
        Plan::new().always("notifications/initialized", |_| Reply::text(500, "text/plain", "sorry")).start();
    let error = match ConnectedClient::over(super::meet::link(&server)).await {
        Err(error) => error,
        Ok(met) => met.echo("a").await.unwrap_err(),
    };
    assert!(error.ends_with("it answers with HTTP 500: sorry"), "{error}");
}

// rule: X1
#[tokio::test]
async fn nobody_there_is_said() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    drop(listener);
    let target = super::meet::target(
        &format!("http://127.0.0.1:{port}/mcp?key=s3cret"),
        super::meet::headers(&[]),
        None,
    );
    let link = super::super::HttpLink::new(&target, &Default::default()).unwrap();
    let error = ConnectedClient::over(link).await.map(drop).unwrap_err();
    let expected = format!(
        "it can't be reached: nothing listens at 127.0.0.1:{port} (connection refused): is the server running?"
    );
    assert_eq!(error, expected);
}
