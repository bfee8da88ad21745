//! Retries within the limit of one call, and requests that are never repeated.

use becket_testkit::wait::{holds_for, until};
use std::sync::Arc;
use std::time::Duration;

use becket_mcp::{CallError, CancellationToken, Fault, Pool, ServerState, ToolCall};
use becket_testkit::mcp_http::{Plan, Reply, Server};
use futures_util::future::join_all;
use serde_json::{Value, json};

use crate::common::{
    LONG, Place, SHORT, call, call_connected, call_for, nothing, of_it, ours, remote, state,
};
use crate::pool::scripted::{ScriptedServer, Then, options};

/// Returns a pool that is connected to a server.
async fn connected(server: &Server) -> Pool {
    let pool = Pool::new(options(), Arc::new(()));
    pool.configure(vec![remote("it", &server.url())]);
    pool.start(&CancellationToken::new()).await;
    assert!(matches!(state(&pool, "it"), ServerState::Connected { .. }), "{:?}", pool.servers());
    pool
}

fn text(text: &str) -> Value {
    json!({"text": text})
}

// rule: X4
#[tokio::test]
async fn an_expired_session_is_begun_anew_once_and_the_call_is_made_once_more() {
    let server = Plan::new().start();
    let pool = connected(&server).await;
    server.forget();
    assert_eq!(call(&pool, "echo", text("again")).await.unwrap().text(), "again");
    assert_eq!((server.count("initialize"), server.count("tools/call")), (2, 2));
    // Hooks never connect, but an expired session is not a lost connection.
    server.forget();
    assert_eq!(call_connected(&pool, "echo", text("hook")).await.unwrap().text(), "hook");
    assert_eq!((server.count("initialize"), server.count("tools/call")), (3, 4));
    pool.close().await;
}

// rule: X4
#[tokio::test]
async fn a_session_that_expires_again_is_an_error() {
    let server = Plan::new().always("tools/call", |_| Reply::expired()).start();
    let pool = connected(&server).await;
    let error = call(&pool, "echo", text("no")).await.unwrap_err();
    assert!(matches!(error, CallError::Died { fault: Fault::SessionExpired, .. }), "{error}");
    assert_eq!((server.count("initialize"), server.count("tools/call")), (2, 2));
    pool.close().await;
}

// rule: X4
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_many_who_find_the_session_expired_one_begins_it_anew() {
    let server = Plan::new().start();
    let pool = connected(&server).await;
    server.forget();
    let calls = (0..20).map(|number| {
        let pool = pool.clone();
        tokio::spawn(async move { call(&pool, "echo", text(&number.to_string())).await.unwrap().text() })
    });
    for (number, said) in join_all(calls).await.into_iter().enumerate() {
        assert_eq!(said.unwrap(), number.to_string());
    }
    assert_eq!(server.count("initialize"), 2);
    assert!(server.count("tools/call") <= 40, "{}", server.count("tools/call"));
    pool.close().await;
}

// rule: X4
#[tokio::test]
async fn mending_happens_within_the_limit_of_the_call() {
    let server =
        Plan::new().rule(|seen| (seen.rpc() == "initialize" && seen.nth > 1).then_some(Reply::Hang)).start();
    let pool = connected(&server).await;
    server.forget();
    let error = call_for(&pool, "echo", text("late"), SHORT).await.unwrap_err();
    assert!(matches!(error, CallError::TimedOut { limit: SHORT, .. }), "{error}");
    pool.close().await;
}

type MakesReply = fn() -> Reply;

/// The outcome of a call that may have been executed.
const PERHAPS_DONE: [(&str, MakesReply); 6] = [
    ("500", || Reply::status(500)),
    ("503", || Reply::status(503)),
    ("broken off", || Reply::stream(vec![becket_testkit::mcp_http::Step::CutOff])),
    ("closed", || Reply::Close),
    ("html", || Reply::text(200, "text/html", "<p>")),
    ("404 without a word", || Reply::text(404, "text/plain", "")),
];

// rule: X4
#[tokio::test]
async fn a_call_that_may_have_been_done_is_not_done_again() {
    for (name, reply) in PERHAPS_DONE {
        let server = Plan::new().without_sessions().always("tools/call", move |_| reply()).start();
        let pool = connected(&server).await;
        call(&pool, "destroy", nothing()).await.unwrap_err();
        assert_eq!(server.count("tools/call"), 1, "{name}");
        pool.close().await;
    }
}

// rule: X4
#[tokio::test]
async fn a_401_is_mended_once_by_a_new_connection() {
    let server = Plan::new()
        .rule(|seen| (seen.rpc() == "tools/call" && seen.nth == 1).then(|| Reply::unauthorized(None)))
        .start();
    let pool = connected(&server).await;
    assert_eq!(call(&pool, "echo", text("who")).await.unwrap().text(), "who");
    assert_eq!((server.count("initialize"), server.count("tools/call")), (2, 2));
    pool.close().await;
}

// rules: X3, X4
#[tokio::test]
async fn a_server_that_wants_a_login_for_its_calls_is_left_alone_then() {
    let server =
        Plan::new().always("tools/call", |_| Reply::unauthorized(Some("Bearer scope=\"a\""))).start();
    let pool = connected(&server).await;
    let error = call(&pool, "echo", text("who")).await.unwrap_err();
    assert_eq!(error.to_string(), "the MCP server `it` needs authentication: log in to it");
    let CallError::NeedsAuth { challenge, .. } = error else { panic!("{error}") };
    assert_eq!(challenge.header.as_deref(), Some("Bearer scope=\"a\""));
    assert!(matches!(state(&pool, "it"), ServerState::NeedsAuth { .. }));
    let before = server.seen().len();
    for _ in 0..3 {
        call(&pool, "echo", nothing()).await.unwrap_err();
    }
    let asked = server.seen()[before..].iter().filter(|seen| seen.verb == "POST").count();
    assert_eq!((asked, server.count("initialize"), server.count("tools/call")), (0, 2, 2));
    pool.close().await;
}

// rule: X3
#[tokio::test]
async fn a_scope_that_is_missing_is_the_trouble_of_that_call() {
    let server = Plan::new()
        .rule(|seen| {
            let challenge = "Bearer error=\"insufficient_scope\", scope=\"admin\"";
            (seen.tool() == "destroy").then(|| Reply::status(403).with("WWW-Authenticate", challenge))
        })
        .start();
    let pool = connected(&server).await;
    let error = call(&pool, "destroy", nothing()).await.unwrap_err();
    assert!(matches!(error, CallError::NeedsAuth { .. }), "{error}");
    assert_eq!(call(&pool, "echo", text("fine")).await.unwrap().text(), "fine");
    assert_eq!((server.count("initialize"), server.count("tools/call")), (1, 2));
    pool.close().await;
}

// rules: X4, X7
#[tokio::test]
async fn what_never_left_is_sent_over_a_new_connection() {
    let mut place = Place::new();
    place.options.exit_grace = SHORT;
    let pool = place.connect(&[]).await;
    call(&pool, "close_stdin", nothing()).await.unwrap();
    // The first message finds the pipe closed; the second one does not leave.
    let _ = call_for(&pool, "text", nothing(), SHORT).await;
    assert_eq!(call(&pool, "text", nothing()).await.unwrap().text(), "one\ntwo");
    pool.close().await;
    place.alive(0).await;
}

// rule: X4
#[tokio::test]
async fn a_server_that_is_not_there_any_longer_is_looked_for_once_more() {
    let server = Plan::new().start();
    let pool = connected(&server).await;
    // The connection kept for the next request is closed first: a request that fails there may have been executed.
    let address = server.url().trim_start_matches("http://").trim_end_matches("/mcp").to_owned();
    server.cut();
    drop(server);
    let listens = || std::net::TcpStream::connect(&address).is_ok();
    until("nothing listens", || !listens()).await;
    assert!(holds_for(SHORT, || !listens()).await);
    let error = call(&pool, "echo", text("gone")).await.unwrap_err();
    let CallError::NotConnected { why, .. } = error else { panic!("{error}") };
    assert!(why.to_string().starts_with("it can't be reached: nothing listens at 127.0.0.1:"), "{why}");
    pool.close().await;
}

// rule: X4
#[tokio::test]
async fn cancelling_reaches_the_server_also_after_mending() {
    let server =
        Plan::new().rule(|seen| (seen.rpc() == "tools/call" && seen.nth > 1).then_some(Reply::Hang)).start();
    let pool = connected(&server).await;
    server.forget();
    let cancel = CancellationToken::new();
    let calling = pool.call(ToolCall { server: "it", ..of_it("echo", text("x"), LONG) }, &cancel);
    let cancelling = async {
        until("it is called again", || server.count("tools/call") >= 2).await;
        cancel.cancel();
    };
    let (called, ()) = tokio::join!(calling, cancelling);
    let error = called.unwrap_err();
    assert!(matches!(error, CallError::Cancelled { .. }), "{error}");
    assert_eq!(error.to_string(), "waiting for the tool `echo` of the MCP server `it` was cancelled");
    until("the server hears of it", || server.count("notifications/cancelled") > 0).await;
    pool.close().await;
    assert_eq!(server.sessions(), Vec::<String>::new());
}

// rule: X2
#[tokio::test]
async fn a_server_that_breaks_again_and_again_is_not_hammered() {
    let server = ScriptedServer::tool(|_, _| Then::Break);
    let pool = server.pool(options(), Arc::new(()));
    let hammering = async {
        loop {
            let _ = call(&pool, "echo", nothing()).await;
        }
    };
    let _ = tokio::time::timeout(Duration::from_millis(1100), hammering).await;
    // At once, after 250 ms, after 1 s more.
    assert!((2..=3).contains(&server.connections()), "{}", server.connections());
    pool.close().await;
}

#[tokio::test]
async fn a_server_that_is_told_to_be_connected_anew_is() {
    let place = Place::new();
    let pool = place.pool(vec![ours("it", &[])]);
    for _ in 0..3 {
        pool.reconnect("it", &CancellationToken::new()).await.unwrap();
        call(&pool, "text", nothing()).await.unwrap();
    }
    place.alive(1).await;
    let greeted = place.got().into_iter().filter(|message| message["method"] == "initialize").count();
    assert_eq!(greeted, 3);
    pool.close().await;
    place.alive(0).await;
}
