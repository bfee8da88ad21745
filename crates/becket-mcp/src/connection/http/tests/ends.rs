//! The end of a link, whatever is in progress: nothing of it remains.

use std::time::Duration;

use becket_testkit::mcp_http::{Eras, Plan, Reply};
use serde_json::json;
use tokio::time::{Instant, timeout};

use super::meet::{ConnectedClient, PATIENCE, link, nothing_left, until};
use crate::connection::link::Link;
use crate::connection::no_answer::Trouble;
use crate::connection::state::State;
use crate::fault::Fault;

/// A delay that is distinguishable from a hang, but short.
const SHORT: Duration = Duration::from_millis(200);

// rule: X1
#[tokio::test]
async fn a_call_that_is_given_up_is_cancelled_at_the_server() {
    for reply in [|| Reply::Hang, || Reply::stream(vec![becket_testkit::mcp_http::Step::Hang])] {
        let server = Plan::new().rule(move |seen| (seen.tool() == "destroy").then(reply)).start();
        let met = ConnectedClient::with(&server).await;
        let call = timeout(SHORT, met.call("destroy", json!({}))).await;
        assert!(call.is_err(), "the caller's deadline ends the wait");
        until("the server hears of it", || server.count("notifications/cancelled") == 1).await;
        let seen = server.seen();
        let id = |method: &str| seen.iter().find(|seen| seen.rpc() == method).unwrap().body.clone();
        assert_eq!(id("notifications/cancelled")["params"]["requestId"], id("tools/call")["id"]);
        assert_eq!(met.echo("still there").await.as_deref(), Ok("still there"));
        drop(met.end(Duration::from_secs(5)).await);
        nothing_left(&server).await;
    }
}

// rule: X1
#[tokio::test]
async fn an_end_in_the_middle_of_a_call_leaves_nothing() {
    let server = Plan::new().rule(|seen| (seen.tool() == "destroy").then_some(Reply::Hang)).start();
    let met = ConnectedClient::with(&server).await;
    let call = met.call("destroy", json!({}));
    assert!(timeout(SHORT, call).await.is_err());
    drop(met.end(Duration::from_secs(5)).await);
    assert!(server.sessions().is_empty(), "the session was ended");
    nothing_left(&server).await;
}

// rule: X1
#[tokio::test]
async fn a_link_that_is_dropped_leaves_nothing() {
    let server = Plan::new().rule(|seen| (seen.tool() == "destroy").then_some(Reply::Hang)).start();
    let met = ConnectedClient::with(&server).await;
    assert!(timeout(SHORT, met.call("destroy", json!({}))).await.is_err());
    drop(met);
    nothing_left(&server).await;
    assert_eq!(server.count("DELETE"), 0, "nobody waits for a farewell");
}

// rule: X1
#[tokio::test]
async fn a_link_that_is_dropped_ends_what_is_spoken_over_it() {
    let server = Plan::new().rule(|seen| (seen.tool() == "destroy").then_some(Reply::Hang)).start();
    let ConnectedClient { link, service } = ConnectedClient::with(&server).await;
    let peer = service.peer().clone();
    let call = peer.call_tool_once(rmcp::model::CallToolRequestParams::new("destroy"));
    let cut = async {
        until("the call is under way", || server.count("tools/call") == 1).await;
        drop(link);
    };
    let (called, ()) = timeout(PATIENCE, async { tokio::join!(call, cut) }).await.unwrap();
    // It was sent, so no error may claim that the server has not seen it.
    let trouble = Trouble::from_service(called.unwrap_err(), None, &State::default());
    assert!(matches!(trouble, Trouble::Gone | Trouble::Failed(Fault::Closed)), "{trouble:?}");
    until("a connection is left", || server.open() == 0).await;
}

// rules: X1, X2
#[tokio::test]
async fn a_greeting_that_hangs_leaves_nothing() {
    let server = Plan::new().rule(|_| Some(Reply::Hang)).start();
    let greeting = timeout(Duration::from_millis(1500), ConnectedClient::over(link(&server))).await;
    assert!(greeting.is_err(), "nothing was answered");
    assert_eq!((server.count("server/discover"), server.count("initialize")), (1, 1));
    nothing_left(&server).await;
}

// rule: X1
#[tokio::test]
async fn a_server_that_hangs_at_the_farewell_is_left_after_the_grace() {
    let server = Plan::new().rule(|seen| (seen.verb == "DELETE").then_some(Reply::Hang)).start();
    let met = ConnectedClient::with(&server).await;
    let start = Instant::now();
    let link = met.end(SHORT).await;
    assert!(start.elapsed() >= SHORT && start.elapsed() < PATIENCE / 3);
    assert_eq!(server.count("DELETE"), 1);
    nothing_left(&server).await;
    drop(link);
}

// rule: X1
#[tokio::test]
async fn an_ended_link_sends_nothing() {
    let server = Plan::new().eras(Eras::Discover).start();
    let link = link(&server);
    link.end(SHORT).await;
    let error = ConnectedClient::over(link).await.map(drop).unwrap_err();
    assert_eq!(error, "the connection was closed");
    assert_eq!(server.connections(), 0);
}

// rule: X1
#[tokio::test]
async fn a_server_that_vanishes_ends_the_calls_that_wait() {
    let server = Plan::new().rule(|seen| (seen.tool() == "destroy").then_some(Reply::Hang)).start();
    let met = ConnectedClient::with(&server).await;
    let call = met.call("destroy", json!({}));
    let cut = async {
        until("the call is under way", || server.count("tools/call") == 1).await;
        server.cut();
    };
    let (called, ()) = tokio::join!(call, cut);
    let error = called.unwrap_err();
    assert!(error.starts_with("its answer broke off: "), "{error}");
    assert_eq!(server.count("tools/call"), 1);
}
