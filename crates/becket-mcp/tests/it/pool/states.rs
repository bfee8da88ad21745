//! The states of servers, reported as they change.

use becket_testkit::wait;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use becket_mcp::{CallError, CancellationToken, Changes, ConnectError, ServerState};
use serde_json::json;

use crate::common::{LONG, Place, call, call_connected, nothing, state};
use crate::pool::scripted::{ScriptedServer, Then, options, pool, send};

fn word(state: &ServerState) -> &'static str {
    match state {
        ServerState::Disabled { .. } => "disabled",
        ServerState::Waiting => "waiting",
        ServerState::Connecting => "connecting",
        ServerState::Connected { .. } => "connected",
        ServerState::NeedsAuth { .. } => "needs auth",
        ServerState::Failed { .. } => "failed",
        ServerState::Closed => "closed",
    }
}

async fn next(changes: &mut Changes) -> (String, &'static str) {
    let (name, state) = tokio::time::timeout(LONG, changes.next()).await.unwrap().unwrap();
    let word = word(&state);
    (name, word)
}

async fn until(changes: &mut Changes, expected: &str) {
    while next(changes).await.1 != expected {}
}

#[tokio::test]
async fn each_step_is_told_and_the_end_is_the_end() {
    let server = ScriptedServer::new(|seen| match seen.message["params"]["name"].as_str() {
        Some("other") => Then::Break,
        Some(_) => Then::Usual,
        None => Then::Later(Duration::from_millis(50)),
    });
    let pool = server.pool(options(), Arc::new(()));
    let mut changes = pool.changes();
    let steps = Mutex::new(Vec::new());
    let watching = async {
        while let Some((name, state)) = changes.next().await {
            assert_eq!(name, "it");
            steps.lock().unwrap().push(word(&state));
        }
    };
    // Each state is seen before the next one can come.
    let so_far = &steps;
    let seen = |word| wait::until(word, move || so_far.lock().unwrap().last() == Some(&word));
    let acting = async {
        seen("waiting").await;
        call(&pool, "echo", nothing()).await.unwrap();
        seen("connected").await;
        call(&pool, "other", nothing()).await.unwrap_err();
        seen("failed").await;
        pool.close().await;
    };
    tokio::join!(watching, acting);
    assert_eq!(*steps.lock().unwrap(), ["waiting", "connecting", "connected", "failed", "closed"]);
    assert_eq!(pool.changes().next().await.map(|(_, state)| word(&state)), Some("closed"));
}

#[tokio::test]
async fn a_slow_reader_misses_what_was_in_between_and_never_the_last() {
    let (one, two) = (ScriptedServer::new(|_| Then::Usual), ScriptedServer::new(|_| Then::Break));
    let pool = pool(&[("one", &one), ("two", &two)], options(), Arc::new(()));
    let mut slow = pool.changes();
    pool.start(&CancellationToken::new()).await;
    let mut told = [next(&mut slow).await, next(&mut slow).await];
    told.sort();
    assert_eq!(told, [("one".into(), "connected"), ("two".into(), "failed")]);
    pool.close().await;
    let mut told = [next(&mut slow).await, next(&mut slow).await];
    told.sort();
    assert_eq!(told, [("one".into(), "closed"), ("two".into(), "closed")]);
    assert!(slow.next().await.is_none());
}

// rule: X7
#[tokio::test]
async fn a_server_that_dies_unasked_is_noticed_and_connected_again_by_who_needs_it() {
    let place = Place::new();
    let pool = place.connect(&[]).await;
    let mut changes = pool.changes();
    until(&mut changes, "connected").await;
    let error = call(&pool, "die", nothing()).await.unwrap_err();
    assert!(matches!(error, CallError::Died { .. }), "{error}");
    until(&mut changes, "failed").await;
    let ServerState::Failed { why } = state(&pool, "it") else { panic!("it has died") };
    assert!(matches!(*why, ConnectError::Lost { .. }));
    assert_eq!(why.to_string(), "it exited with 3; its stderr ends with: dying as told");
    let error = call_connected(&pool, "text", nothing()).await.unwrap_err().to_string();
    assert_eq!(error, "the MCP server `it` is gone: it exited with 3; its stderr ends with: dying as told");
    assert_eq!(call(&pool, "text", nothing()).await.unwrap().text(), "one\ntwo");
    until(&mut changes, "connected").await;
    let died = place.got().into_iter().filter(|message| message["params"]["name"] == "die").count();
    assert_eq!(died, 1, "a call that may have been done is not done again");
    pool.close().await;
}

#[tokio::test]
async fn the_generation_rises_when_something_changes() {
    let server = ScriptedServer::new(|seen| {
        if seen.message["params"]["name"] == "other" {
            send(&seen.sender, json!({"jsonrpc": "2.0", "method": "notifications/tools/list_changed"}));
        }
        Then::Usual
    });
    let pool = server.pool(options(), Arc::new(()));
    let mut changes = pool.changes();
    let mut generations = Vec::new();
    call(&pool, "other", nothing()).await.unwrap();
    pool.reconnect("it", &CancellationToken::new()).await.unwrap();
    call(&pool, "other", nothing()).await.unwrap();
    while generations.last() != Some(&3) && generations.last() != Some(&4) {
        let (_, state) = tokio::time::timeout(LONG, changes.next()).await.unwrap().unwrap();
        if let ServerState::Connected { generation, tools, info } = state {
            assert_eq!(
                (tools, info.name.as_deref(), info.protocol.as_str()),
                (2, Some("scripted"), "2025-11-25")
            );
            generations.push(generation);
        }
    }
    assert!(generations.is_sorted() && !generations.is_empty(), "{generations:?}");
    pool.close().await;
}
