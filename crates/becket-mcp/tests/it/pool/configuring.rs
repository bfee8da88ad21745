//! A configuration that changes while servers are in use.

use becket_testkit::wait::until;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use becket_mcp::config::{ConfiguredServer, DisabledReason, Status};
use becket_mcp::{CallError, CancellationToken, ConnectError, Fault, ServerState};
use futures_util::future::join_all;
use serde_json::json;

use crate::common::{LONG, Place, SHORT, call, nothing, ours, state};
use crate::pool::scripted::{ScriptedServer, Then, in_process, options, pool};

fn generation(state: &ServerState) -> u64 {
    let ServerState::Connected { generation, .. } = state else { panic!("{state:?}") };
    *generation
}

/// Returns the same server in another configuration.
fn changed(name: &str, seconds: u64) -> ConfiguredServer {
    let mut configured = in_process(name);
    configured.config.as_mut().unwrap().timeout = Some(Duration::from_secs(seconds));
    configured
}

// rule: X2
#[tokio::test]
async fn what_has_not_changed_keeps_its_connection() {
    let (same, other) = (ScriptedServer::new(|_| Then::Usual), ScriptedServer::new(|_| Then::Usual));
    let pool = pool(&[("same", &same), ("other", &other)], options(), Arc::new(()));
    pool.start(&CancellationToken::new()).await;
    let before = generation(&state(&pool, "same"));
    // The position of an entry is not part of its content.
    let mut moved = in_process("same");
    moved.warnings.clear();
    moved.scope = becket_mcp::config::Scope::User;
    pool.configure(vec![changed("other", 60), moved]);
    assert_eq!(generation(&state(&pool, "same")), before);
    assert!(matches!(state(&pool, "other"), ServerState::Waiting));
    let names: Vec<String> = pool.servers().into_iter().map(|view| view.name).collect();
    assert_eq!(names, ["other", "same"]);
    assert_eq!(pool.servers()[1].configured.scope, becket_mcp::config::Scope::User);
    pool.start(&CancellationToken::new()).await;
    assert_eq!((same.connections(), other.connections()), (1, 2));
    pool.close().await;
}

// rule: X2
#[tokio::test]
async fn calls_under_way_are_drained_and_what_takes_too_long_fails_by_name() {
    let server =
        ScriptedServer::tool(|tool, seen| match (tool, &seen.message["params"]["arguments"]["sleeps"]) {
            ("other", _) => Then::Silence,
            (_, sleeps) => Then::Later(Duration::from_millis(sleeps.as_u64().unwrap_or(0))),
        });
    let mut options = options();
    options.drain_grace = Duration::from_secs(1);
    let pool = server.pool(options, Arc::new(()));
    let (slow, hanging) = (call(&pool, "echo", json!({"sleeps": 300})), call(&pool, "other", nothing()));
    let changing = async {
        until("both are called", || server.count("tools/call") >= 2).await;
        pool.configure(vec![changed("it", 60)]);
        // It is reconnected once the old one is gone.
        call(&pool, "echo", nothing()).await.unwrap();
        assert_eq!(server.connections(), 2);
    };
    let (slow, hanging, ()) = tokio::join!(slow, hanging, changing);
    assert_eq!(slow.unwrap().text(), r#"{"sleeps":300}"#);
    let hanging = hanging.unwrap_err();
    assert!(matches!(hanging, CallError::Died { fault: Fault::Closed, .. }), "{hanging}");
    pool.close().await;
}

// rule: X2
#[tokio::test]
async fn a_server_that_is_removed_is_ended_and_unknown() {
    let mut place = Place::new();
    place.options.drain_grace = SHORT;
    let pool = place.pool(vec![ours("it", &["--child"]), ours("stays", &[])]);
    pool.start(&CancellationToken::new()).await;
    place.alive(3).await;
    let mut changes = pool.changes();
    pool.configure(vec![ours("stays", &[])]);
    let error = call(&pool, "echo", nothing()).await.unwrap_err().to_string();
    assert_eq!(error, "there is no MCP server `it`: configured: `stays`");
    place.alive(1).await;
    while let Some((name, state)) = changes.next().await {
        if name == "it" {
            assert!(matches!(state, ServerState::Closed), "{state:?}");
            break;
        }
    }
    pool.configure(Vec::new());
    pool.close().await;
    place.alive(0).await;
}

// rule: X2
#[tokio::test]
async fn a_server_that_connects_while_it_is_replaced_is_ended_and_who_waits_gets_the_new_one() {
    let place = Place::new();
    let pool = place.pool(vec![ours("it", &["--hang-initialize", "--child", "--ignore-term"])]);
    let waiting = call(&pool, "text", nothing());
    let replacing = async {
        place.wait_for("initialize").await;
        pool.configure(vec![ours("it", &[])]);
    };
    let (text, ()) = tokio::join!(waiting, replacing);
    assert_eq!(text.unwrap().text(), "one\ntwo");
    assert_eq!(place.marker.alive().len(), 1);
    pool.close().await;
}

// rule: X2
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn under_load_every_call_ends_and_one_process_is_left() {
    let mut place = Place::new();
    place.options.drain_grace = LONG;
    let pool = place.pool(vec![ours("it", &[])]);
    let done = Arc::new(AtomicUsize::new(0));
    let calls = (0..10).map(|caller| {
        let (pool, done) = (pool.clone(), Arc::clone(&done));
        tokio::spawn(async move {
            for number in 0..20 {
                call(&pool, "echo", json!({"caller": caller, "number": number})).await.unwrap();
                done.fetch_add(1, Ordering::SeqCst);
            }
        })
    });
    let changing = async {
        for turn in 0..5 {
            until("some calls are done", || done.load(Ordering::SeqCst) >= 30 * (turn + 1)).await;
            let configured = if turn % 2 == 0 { ours("it", &["--other"]) } else { ours("it", &[]) };
            pool.configure(vec![configured]);
        }
    };
    let (ended, ()) = tokio::join!(join_all(calls), changing);
    // The grace is long enough for each: no call is lost.
    assert!(ended.iter().all(Result::is_ok), "{ended:?}");
    place.alive(1).await;
    pool.close().await;
    place.alive(0).await;
}

#[tokio::test]
async fn a_server_that_must_not_be_used_is_not() {
    let place = Place::new();
    let mut shadowed = ours("it", &[]);
    let by = becket_mcp::config::Scope::User;
    shadowed.status = Status::Disabled(DisabledReason::Shadowed { by, place: None });
    let mut refused = ours("refused", &[]);
    refused.status = Status::Disabled(DisabledReason::NotTrusted);
    let pool = place.pool(vec![shadowed, refused, ours("it", &[])]);
    pool.start(&CancellationToken::new()).await;
    let states: Vec<ServerState> = pool.servers().into_iter().map(|view| view.state).collect();
    assert!(
        matches!(states[0], ServerState::Disabled { why: DisabledReason::Shadowed { .. } }),
        "{states:?}"
    );
    assert!(matches!(states[1], ServerState::Disabled { why: DisabledReason::NotTrusted }), "{states:?}");
    assert!(matches!(states[2], ServerState::Connected { .. }), "{states:?}");
    let refused = becket_mcp::ToolCall { server: "refused", ..crate::common::of_it("echo", nothing(), LONG) };
    let error = pool.call(refused, &CancellationToken::new()).await.unwrap_err().to_string();
    let expected = "the MCP server `refused` is disabled: the workspace is not trusted: trust it to use the servers that \
                    belong to it";
    assert_eq!(error, expected);
    call(&pool, "text", nothing()).await.unwrap();
    assert_eq!(place.marker.alive().len(), 1);
    // It may be used from now on, or no longer.
    pool.configure(vec![ours("refused", &[])]);
    pool.start(&CancellationToken::new()).await;
    assert!(matches!(state(&pool, "refused"), ServerState::Connected { .. }));
    pool.close().await;
}

// rule: X2
#[tokio::test]
async fn what_is_wrong_with_an_entry_is_its_state() {
    let text = r#"{"mcpServers": {"it": {"command": "${NO_SUCH_VARIABLE}"}}}"#;
    let configured = becket_mcp::config::read(text, ".mcp.json".as_ref(), &[]).unwrap();
    let pool = becket_mcp::Pool::new(options(), Arc::new(()));
    pool.configure(configured);
    let ServerState::Failed { why } = state(&pool, "it") else { panic!("{:?}", pool.servers()) };
    assert!(matches!(*why, ConnectError::Config(_)), "{why}");
    let error = call(&pool, "echo", nothing()).await.unwrap_err().to_string();
    assert!(error.starts_with("the MCP server `it` is not connected: .mcp.json:1:"), "{error}");
    pool.close().await;
}
