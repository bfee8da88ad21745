//! Servers that forget their sessions.

use std::collections::HashMap;

use becket_mcp::{CancellationToken, Connect, ServerState};
use becket_testkit::mcp_http::{Plan, Reply, Server};
use futures_util::future::join_all;
use serde_json::{Value, json};

use crate::common::LONG;
use crate::end_to_end::scene::{Scene, http, of};

/// Returns how often each text was sent to `echo` in a known session.
fn done(server: &Server, session: &str) -> HashMap<String, usize> {
    let mut done = HashMap::new();
    for seen in server.seen().iter().filter(|seen| seen.rpc() == "tools/call") {
        if seen.session() == Some(session) {
            let text = seen.body["params"]["arguments"]["text"].as_str().unwrap_or_default();
            *done.entry(text.to_owned()).or_default() += 1;
        }
    }
    done
}

// rules: X2, X4
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn fifty_calls_whose_session_is_gone_share_one_new_session_and_are_each_done_once() {
    let bad = Plan::new().start();
    let scene = Scene::with(vec![http("bad", &bad)]).await;
    bad.forget();
    let texts: Vec<String> = (0..50).map(|n| format!("call {n}")).collect();
    let calls = texts.iter().map(|text| scene.bad("echo", json!({"text": text})));
    for (text, answer) in texts.iter().zip(join_all(calls).await) {
        assert_eq!(answer.unwrap().text(), *text);
    }
    assert_eq!((bad.count("initialize"), bad.count("tools/list")), (2, 2));
    let done = done(&bad, "session-2");
    assert_eq!(done.len(), 50);
    assert!(done.values().all(|times| *times == 1), "{done:?}");
    assert!(bad.count("tools/call") <= 100, "{}", bad.count("tools/call"));
    scene.end().await;
    assert_eq!(bad.sessions(), Vec::<String>::new());
}

/// Returns the answer to a request with this id.
type Says = fn(&Value) -> Reply;

/// Returns the answers by which servers report an unknown session.
fn ways() -> Vec<(&'static str, Says)> {
    vec![
        ("404, no id", |_| Reply::expired()),
        ("404, the id", |id| Reply::error(404, id, -32001, "Session not found")),
        ("404, a text", |_| Reply::text(404, "text/plain", "-32001 session not found")),
        ("404, nothing", |_| Reply::status(404)),
        ("400, no id", |_| {
            Reply::error(400, &Value::Null, -32000, "Bad Request: No valid session ID provided")
        }),
    ]
}

// rule: X4
#[tokio::test]
async fn a_session_is_begun_anew_once_however_its_end_is_told() {
    for (name, says) in ways() {
        let rule = move |seen: &becket_testkit::mcp_http::ReceivedRequest| {
            (seen.rpc() == "tools/call" && seen.session() == Some("session-1")).then(|| says(seen.id()))
        };
        let bad = Plan::new().rule(rule).start();
        let scene = Scene::with(vec![http("bad", &bad)]).await;
        // A hook never connects; a session that has expired is replaced anyway.
        let mut call = of("bad", "echo", json!({"text": "again"}), LONG);
        call.connect = Connect::Never;
        let answer = scene.pool.call(call, &CancellationToken::new()).await;
        assert_eq!(answer.unwrap_or_else(|error| panic!("{name}: {error}")).text(), "again", "{name}");
        assert_eq!((bad.count("initialize"), bad.count("tools/call")), (2, 2), "{name}");
        scene.end().await;
    }
}

// rule: X4
#[tokio::test]
async fn a_server_that_forgets_every_session_is_asked_twice_and_no_more() {
    for (name, says) in ways() {
        let bad = Plan::new().always("tools/call", move |seen| says(seen.id())).start();
        let scene = Scene::with(vec![http("bad", &bad)]).await;
        let error = scene.bad_error("echo", LONG).await;
        assert_eq!(error, "the MCP server `bad` is gone: it has forgotten the session", "{name}");
        assert_eq!((bad.count("initialize"), bad.count("tools/call")), (2, 2), "{name}");
        // The next call may retry, and is equally limited.
        scene.bad_error("echo", LONG).await;
        assert!(bad.count("initialize") <= 3 && bad.count("tools/call") == 4, "{name}");
        scene.end().await;
    }
}

// rule: X4
#[tokio::test]
async fn an_error_without_an_id_ends_its_call_at_once_and_is_no_lost_session() {
    let refuses = |seen: &becket_testkit::mcp_http::ReceivedRequest| {
        (seen.tool() == "destroy").then(|| Reply::error(400, &Value::Null, -32602, "I do not like that"))
    };
    let bad = Plan::new().rule(refuses).start();
    let scene = Scene::with(vec![http("bad", &bad)]).await;
    let (refused, answered) =
        tokio::join!(scene.bad_error("destroy", LONG), scene.bad("echo", json!({"text": "other"})));
    assert_eq!(refused, "the MCP server `bad` refuses the tool `destroy`: I do not like that (-32602)");
    assert_eq!(answered.unwrap().text(), "other");
    assert_eq!((bad.count("initialize"), bad.count("tools/call")), (1, 2));
    assert!(matches!(scene.state(), ServerState::Connected { .. }));
    scene.end().await;
}
