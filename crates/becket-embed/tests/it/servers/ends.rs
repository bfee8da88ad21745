//! Checks that no server remains, however a session ends.

use crate::servers::place::{Place, call, denies, ours};
use becket_engine::CancellationToken;
use becket_testkit::proc::{PATIENCE, wait_until};
use serde_json::{Value, json};
use tokio::time::timeout;

/// Returns a server that never answers, with a child in a separate session.
fn mute() -> Value {
    json!({"mcp_servers": {"ours": ours(&["--hang-initialize", "--leaver"])}})
}

// rules: H6, X7
#[tokio::test(flavor = "multi_thread")]
async fn a_session_that_is_closed_leaves_nothing_whatever_its_servers_withstand() {
    for flags in [&[][..], &["--child", "--leaver"], &["--ignore-eof", "--ignore-term", "--child"]] {
        let place = Place::new();
        let session =
            place.opened(&[denies("ours")], json!({"mcp_servers": {"ours": ours(flags)}})).expect("it opens");
        assert_eq!(place.fired(&session).await["result"], "blocked");
        assert!(place.servers() > 0);
        session.close().await;
        assert!(place.is_left_alone(), "{flags:?}: {:?}", place.marker.alive());
        session.close().await;
    }
}

// rules: H6, X7
#[tokio::test(flavor = "multi_thread")]
async fn a_session_that_is_dropped_leaves_nothing() {
    let place = Place::new();
    let session = place
        .opened(&[denies("ours")], json!({"mcp_servers": {"ours": ours(&["--leaver"])}}))
        .expect("it opens");
    assert_eq!(place.fired(&session).await["result"], "blocked");
    drop(session);
    assert!(place.will_be_left_alone());
}

// rules: H6, X7
#[tokio::test(flavor = "multi_thread")]
async fn so_does_one_whose_host_cancels_it() {
    let (place, cancel) = (Place::new(), CancellationToken::new());
    let named = json!({"mcp_servers": {"ours": ours(&[])}});
    let session = place.opened_until(&[denies("ours")], named, cancel.clone()).expect("it opens");
    assert_eq!(place.fired(&session).await["result"], "blocked");
    cancel.cancel();
    assert!(place.will_be_left_alone());
}

// rule: H6
#[tokio::test(flavor = "multi_thread")]
async fn nobody_begins_them_after_the_end() {
    let place = Place::new();
    let session =
        place.opened(&[denies("ours")], json!({"mcp_servers": {"ours": ours(&[])}})).expect("it opens");
    session.close().await;
    let outcome = place.fired_until(&session, &CancellationToken::new()).await;
    let failure = outcome["hooks"][0]["failure"].as_str().unwrap_or_default();
    assert!(failure.contains("the session has ended"), "{outcome:#}");
    assert!(place.is_left_alone());
}

// rules: H6, X7
#[tokio::test(flavor = "multi_thread")]
async fn servers_that_are_being_connected_end_with_their_session_too() {
    for is_closed in [true, false] {
        // This is longer than any test waits.
        let place = Place::new().with_var("MCP_TIMEOUT", "3600000");
        let session = place.opened(&[denies("ours")], mute()).expect("it opens");
        let cancel = CancellationToken::new();
        let event = session.ready(call(&session));
        let started = async {
            becket_testkit::wait::until("a server starts", || place.servers() > 0).await;
            // The call that connects the servers is cancelled; the servers are not.
            cancel.cancel();
        };
        let (fired, ()) = tokio::join!(session.fire(event, &cancel), started);
        assert!(fired.is_err());
        assert_eq!(place.servers(), 1);
        if is_closed {
            timeout(PATIENCE, session.close()).await.expect("it ends");
            assert!(place.is_left_alone(), "{:?}", place.marker.alive());
        } else {
            drop(session);
            assert!(place.will_be_left_alone());
        }
    }
}

// rule: H6
#[tokio::test(flavor = "multi_thread")]
async fn many_calls_at_once_connect_a_server_once() {
    let place = Place::new();
    let session =
        place.opened(&[denies("ours")], json!({"mcp_servers": {"ours": ours(&[])}})).expect("it opens");
    let fired = futures_util::future::join_all((0..16).map(|_| place.fired(&session))).await;
    assert!(fired.iter().all(|outcome| outcome["result"] == "blocked"));
    assert_eq!(place.servers(), 1);
    session.close().await;
    assert!(place.is_left_alone());
}

// rule: X7
#[test]
fn a_runtime_that_ends_takes_them_along() {
    let place = Place::new();
    let runtime = tokio::runtime::Runtime::new().expect("there are threads");
    let session = place
        .opened(&[denies("ours")], json!({"mcp_servers": {"ours": ours(&["--ignore-eof"])}}))
        .expect("it opens");
    assert_eq!(runtime.block_on(place.fired(&session))["result"], "blocked");
    assert!(wait_until(|| place.servers() == 1));
    drop(runtime);
    assert!(place.will_be_left_alone());
    drop(session);
}

// rules: H6, O10
#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_has_ended_is_a_failure_by_name() {
    let place = Place::new();
    let mut dies = denies("ours");
    dies["tool"] = "die".into();
    let session =
        place.opened(&[dies, denies("ours")], json!({"mcp_servers": {"ours": ours(&[])}})).expect("it opens");
    place.fired(&session).await;
    assert!(place.will_be_left_alone());
    let outcome = place.fired(&session).await;
    let failed = |hook: &Value| {
        hook["failure"]
            .as_str()
            .is_some_and(|why| why.contains("the MCP server `ours` is gone: it exited with 3"))
    };
    assert!(
        outcome["hooks"].as_array().is_some_and(|hooks| hooks.len() == 2 && hooks.iter().all(failed)),
        "{outcome:#}"
    );
    session.close().await;
    assert!(place.is_left_alone());
}
