//! Servers that demand authentication.

use std::path::Path;
use std::sync::Arc;

use becket_mcp::auth::{AUTH_NEEDED_TTL, AuthNeeded, FileStore, LoginOptions, Logins};
use becket_mcp::{CallError, CancellationToken, Options, ServerState};
use becket_testkit::mcp_auth::{AuthPlan, log_in};
use becket_testkit::mcp_http::{Plan, Reply};
use serde_json::json;

use crate::common::LONG;
use crate::end_to_end::scene::{Scene, http, of};

/// A host that has logins and records in this directory the servers that need one.
fn remembers(directory: &Path) -> impl FnOnce(&mut Options) {
    let needed = AuthNeeded::open(directory.join("needed.json"), AUTH_NEEDED_TTL).0;
    let mut logins = LoginOptions::new(Arc::new(FileStore::new(directory.join("tokens.json"))));
    (logins.needed, logins.limit) = (Some(needed.clone()), LONG);
    move |options| (options.auth_needed, options.logins) = (Some(needed), Some(Logins::new(logins)))
}

const CHALLENGE: &str = r#"Bearer realm="mcp", scope="read""#;

// rule: X3
#[tokio::test]
async fn a_server_that_wants_a_login_is_left_alone_also_by_the_next_process() {
    for challenge in [Some(CHALLENGE), None] {
        let bad = Plan::new().rule(move |_| Some(Reply::unauthorized(challenge))).start();
        let directory = tempfile::tempdir().unwrap();
        let scene = Scene::tuned(vec![http("bad", &bad)], remembers(directory.path())).await;
        let ServerState::NeedsAuth { challenge: heard } = scene.state() else {
            panic!("{:?}", scene.state())
        };
        assert_eq!(heard.header.as_deref(), challenge);
        let asked = bad.seen().len();
        assert!((1..=2).contains(&asked), "it was asked {asked} times");
        for _ in 0..3 {
            let error = scene.bad("echo", json!({})).await.unwrap_err();
            assert!(matches!(error, CallError::NeedsAuth { .. }), "{error}");
        }
        scene.end().await;

        let next = Scene::tuned(vec![http("bad", &bad)], remembers(directory.path())).await;
        assert!(matches!(next.state(), ServerState::NeedsAuth { .. }), "{:?}", next.state());
        let error = next.bad("echo", json!({})).await.unwrap_err();
        assert!(matches!(error, CallError::NeedsAuth { .. }), "{error}");
        assert_eq!(bad.seen().len(), asked, "it was asked by a process that could have known better");

        // A reconnect clears the record.
        next.pool.reconnect("bad", &CancellationToken::new()).await.unwrap_err();
        assert!(bad.seen().len() > asked);
        next.end().await;
    }
}

// rule: X3
#[tokio::test]
async fn a_server_that_wants_a_login_for_a_call_is_left_alone_from_then_on() {
    let bad = Plan::new().always("tools/call", |_| Reply::unauthorized(Some(CHALLENGE))).start();
    let directory = tempfile::tempdir().unwrap();
    let scene = Scene::tuned(vec![http("bad", &bad)], remembers(directory.path())).await;
    assert!(matches!(scene.state(), ServerState::Connected { .. }));
    for _ in 0..3 {
        let error = scene.bad("echo", json!({})).await.unwrap_err();
        assert!(matches!(error, CallError::NeedsAuth { .. }), "{error}");
    }
    assert!(matches!(scene.state(), ServerState::NeedsAuth { .. }));
    let asked = bad.count("tools/call");
    assert!(asked <= 2, "asked {asked} times");
    scene.end().await;
}

// rule: X3
#[tokio::test]
async fn a_login_clears_the_memory_of_every_process() {
    let bad = AuthPlan::new().start();
    let directory = tempfile::tempdir().unwrap();
    let scenes = [
        Scene::tuned(vec![http("bad", bad.http())], remembers(directory.path())).await,
        Scene::tuned(vec![http("bad", bad.http())], remembers(directory.path())).await,
    ];
    for scene in &scenes {
        assert!(matches!(scene.state(), ServerState::NeedsAuth { .. }), "{:?}", scene.state());
    }
    let login = scenes[0].pool.login("bad").await.unwrap();
    let url = login.url().to_string();
    let browser = tokio::task::spawn_blocking(move || log_in(&url));
    login.finish(&CancellationToken::new()).await.unwrap();
    assert_eq!(browser.await.unwrap().status, 200);

    let cancel = CancellationToken::new();
    for scene in scenes {
        let call = of("bad", "echo", json!({"text": "hello"}), LONG);
        assert_eq!(scene.pool.call(call, &cancel).await.unwrap().text(), "hello");
        scene.end().await;
    }
    // A host that starts later needs no login either.
    let later = Scene::tuned(vec![http("bad", bad.http())], remembers(directory.path())).await;
    assert!(matches!(later.state(), ServerState::Connected { .. }), "{:?}", later.state());
    later.end().await;
    assert_eq!(bad.count("/register"), 1);
}

// rules: X3, X4
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn fifty_calls_whose_token_has_expired_renew_it_once_and_are_each_done_once() {
    let bad = AuthPlan::new().start();
    let directory = tempfile::tempdir().unwrap();
    let scene = Scene::tuned(vec![http("bad", bad.http())], remembers(directory.path())).await;
    let login = scene.pool.login("bad").await.unwrap();
    let url = login.url().to_string();
    let browser = tokio::task::spawn_blocking(move || log_in(&url));
    login.finish(&CancellationToken::new()).await.unwrap();
    browser.await.unwrap();
    scene.pool.reconnect("bad", &CancellationToken::new()).await.unwrap();

    bad.expire();
    let texts: Vec<String> = (0..50).map(|n| format!("call {n}")).collect();
    let calls = texts.iter().map(|text| scene.bad("echo", json!({"text": text})));
    for (text, answer) in texts.iter().zip(futures_util::future::join_all(calls).await) {
        assert_eq!(answer.unwrap().text(), *text);
    }
    assert_eq!(bad.count("refresh_token"), 1);
    assert!(matches!(scene.state(), ServerState::Connected { .. }));
    scene.end().await;
}
