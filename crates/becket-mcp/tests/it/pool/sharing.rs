//! One connection to a server, for any number of callers.

use becket_testkit::wait::{holds_for, until};
use std::sync::Arc;
use std::time::{Duration, Instant};

use becket_mcp::{CallError, CancellationToken, ConnectError, Pool, ServerState};
use becket_testkit::mcp_http::{Plan, Reply};
use futures_util::future::join_all;
use serde_json::json;

use crate::common::{LONG, Place, SHORT, call, call_connected, nothing, of_it, ours, remote, state};
use crate::pool::scripted::{ScriptedServer, Then, options};

fn initialized(place: &Place) -> usize {
    place.got().iter().filter(|message| message["method"] == "initialize").count()
}

// rule: X2
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_hundred_who_ask_at_once_share_one_connection() {
    let place = Place::new();
    let pool = place.pool(vec![ours("it", &[])]);
    let ask = |number: u32| {
        let pool = pool.clone();
        tokio::spawn(async move { call(&pool, "echo", json!({"number": number})).await.unwrap().text() })
    };
    for (number, text) in join_all((0..100).map(ask)).await.into_iter().enumerate() {
        assert_eq!(text.unwrap(), format!("{{\"number\": {number}}}"));
    }
    assert_eq!((initialized(&place), place.marker.alive().len()), (1, 1));
    pool.close().await;
    place.alive(0).await;
}

// rule: X2
#[tokio::test]
async fn who_asks_first_may_go_away() {
    let server = ScriptedServer::new(|seen| {
        if seen.message["method"] == "initialize" { Then::Later(SHORT) } else { Then::Usual }
    });
    let pool = server.pool(options(), Arc::new(()));
    let none = CancellationToken::new();
    let (first, second) = (pool.connect("it", &none), pool.connect("it", &none));
    // The first caller begins it and is dropped before it ends.
    assert!(tokio::time::timeout(Duration::from_millis(50), first).await.is_err());
    assert_eq!(second.await.unwrap().name.as_deref(), Some("scripted"));
    assert_eq!(server.connections(), 1);
    pool.close().await;
}

// rule: X2
#[tokio::test]
async fn a_connection_that_failed_is_tried_again_and_not_at_once() {
    // The first two connections break.
    let server = ScriptedServer::new(|seen| if seen.connection <= 2 { Then::Break } else { Then::Usual });
    let pool = server.pool(options(), Arc::new(()));
    let start = Instant::now();
    for _ in 0..2 {
        let error = call(&pool, "echo", nothing()).await.unwrap_err();
        assert!(matches!(error, CallError::NotConnected { .. }), "{error}");
        assert!(matches!(state(&pool, "it"), ServerState::Failed { .. }));
    }
    assert!(start.elapsed() >= Duration::from_millis(250), "{:?}", start.elapsed());
    assert_eq!(call(&pool, "echo", json!({"a": 1})).await.unwrap().text(), r#"{"a":1}"#);
    assert!(start.elapsed() >= Duration::from_millis(1250), "{:?}", start.elapsed());
    assert_eq!(server.connections(), 3);
    pool.close().await;
}

// rule: X2
#[tokio::test]
async fn those_who_ask_while_it_fails_hear_of_the_same_failure() {
    let server =
        ScriptedServer::new(
            |seen| {
                if seen.message["method"] == "initialize" { Then::Break } else { Then::Usual }
            },
        );
    let pool = server.pool(options(), Arc::new(()));
    let asked = join_all((0..20).map(|_| call(&pool, "echo", nothing()))).await;
    assert!(asked.iter().all(Result::is_err));
    assert_eq!(server.connections(), 1);
    pool.close().await;
}

// rule: X2
#[tokio::test]
async fn a_server_elsewhere_in_a_bad_moment_is_greeted_again_and_never_called_again() {
    let server = Plan::new()
        .rule(|seen| (seen.rpc() == "initialize" && seen.nth <= 2).then(|| Reply::status(503)))
        .always("tools/call", |_| Reply::status(503))
        .start();
    let pool = Pool::new(options(), Arc::new(()));
    pool.configure(vec![remote("it", &server.url())]);
    let error = call(&pool, "echo", nothing()).await.unwrap_err().to_string();
    assert_eq!(error, "the MCP server `it` is gone: it answers with HTTP 503");
    assert_eq!((server.count("initialize"), server.count("tools/call")), (3, 1));
    pool.close().await;
}

// rule: X2
#[tokio::test]
async fn few_servers_here_and_more_elsewhere_connect_at_once() {
    let servers: Vec<_> = (0..5)
        .map(|_| Plan::new().rule(|seen| (seen.verb == "POST").then_some(Reply::Hang)).start())
        .collect();
    let place = Place::new();
    let mut options = place.options.clone();
    options.remote_lanes = std::num::NonZeroUsize::new(3).unwrap();
    let pool = Pool::new(options, Arc::new(()));
    let mut configured: Vec<_> =
        servers.iter().enumerate().map(|(n, server)| remote(&format!("far{n}"), &server.url())).collect();
    configured.extend((0..4).map(|n| ours(&format!("near{n}"), &["--hang-initialize"])));
    pool.configure(configured);
    let cancel = CancellationToken::new();
    let met = || servers.iter().filter(|server| server.connections() > 0).count();
    let watching = async {
        until("the lanes are taken", || initialized(&place) >= 2 && met() >= 3).await;
        let counts = || (initialized(&place), place.marker.alive().len(), met());
        assert!(holds_for(SHORT, || counts() == (2, 2, 3)).await, "{:?}", counts());
        let states = pool.servers().into_iter().map(|view| matches!(view.state, ServerState::Connecting));
        assert_eq!(states.filter(|is_connecting| *is_connecting).count(), 5);
        cancel.cancel();
    };
    tokio::time::timeout(LONG, async { tokio::join!(pool.start(&cancel), watching) }).await.unwrap();
    pool.close().await;
    place.alive(0).await;
    // Those that had no lane were never contacted.
    assert_eq!((initialized(&place), met()), (2, 3));
}

// rule: X2
#[tokio::test]
async fn connecting_has_a_limit_and_who_asks_has_one_too() {
    let server = ScriptedServer::new(|_| Then::Silence);
    let mut options = options();
    options.connect_timeout = SHORT;
    let pool = server.pool(options, Arc::new(()));
    let error = call(&pool, "echo", nothing()).await.unwrap_err();
    let CallError::NotConnected { why, .. } = error else { panic!("{error}") };
    assert!(matches!(*why, ConnectError::TimedOut { limit: SHORT, .. }), "{why}");
    // The next attempt waits for its pause; the limit of the call is over before that.
    let brief = of_it("echo", nothing(), Duration::from_millis(100));
    let error = pool.call(brief, &CancellationToken::new()).await.unwrap_err();
    assert!(matches!(error, CallError::TimedOut { .. }), "{error}");
    pool.close().await;
}

// rule: X2
#[tokio::test]
async fn closing_ends_those_that_connect_and_connects_nobody_any_longer() {
    let place = Place::new();
    let pool =
        place.pool(vec![ours("it", &["--hang-initialize", "--child"]), ours("more", &["--hang-list"])]);
    let asking = call(&pool, "echo", nothing());
    let closing = async {
        let _ = tokio::time::timeout(SHORT, pool.connect("more", &CancellationToken::new())).await;
        place.alive(3).await;
        pool.close().await;
        assert_eq!(place.marker.alive(), Vec::<u32>::new());
    };
    let (asked, ()) = tokio::join!(asking, closing);
    assert_eq!(asked.unwrap_err().to_string(), "the MCP server `it` is gone: the connection was closed");
    let after = call(&pool, "echo", nothing()).await.unwrap_err().to_string();
    assert_eq!(after, "the MCP server `it` is gone: the connection was closed");
    pool.configure(vec![ours("it", &[])]);
    pool.start(&CancellationToken::new()).await;
    assert!(matches!(state(&pool, "it"), ServerState::Closed));
    assert_eq!(place.marker.alive(), Vec::<u32>::new());
    tokio::join!(pool.close(), pool.close());
}

// rules: H6, X2
#[tokio::test]
async fn a_call_that_must_not_connect_does_not() {
    let server = ScriptedServer::new(|_| Then::Usual);
    let pool = server.pool(options(), Arc::new(()));
    let error = call_connected(&pool, "echo", nothing()).await.unwrap_err().to_string();
    assert_eq!(error, "the MCP server `it` is not connected: it was not connected when it was called");
    assert_eq!(server.connections(), 0);
    pool.start(&CancellationToken::new()).await;
    call_connected(&pool, "echo", nothing()).await.unwrap();
    pool.close().await;
}

// rule: X2
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn dropping_the_last_pool_during_a_call_kills_its_servers() {
    let place = Place::new();
    let pool = place.pool(vec![ours("it", &["--child", "--ignore-term", "--ignore-eof"])]);
    let own = pool.clone();
    let calling = tokio::spawn(async move { call(&own, "hang", nothing()).await });
    place.wait_for("tools/call").await;
    drop(pool);
    assert_eq!(place.marker.alive().len(), 2);
    calling.abort();
    let _ = calling.await;
    place.alive(0).await;
}
