//! Servers that disappear in the middle of a call: work that they may have done is not repeated.

use becket_mcp::{CallError, Fault, ServerState};
use becket_testkit::mcp_http::{Plan, Reply, Step};
use serde_json::{Value, json};

use crate::common::{LONG, Place, ours};
use crate::end_to_end::scene::{Scene, eventually, http};

type Answer = fn() -> Reply;

/// Returns interrupted answers. In none of these cases is it known whether the server has executed the request.
fn ends() -> Vec<(&'static str, Answer)> {
    vec![
        ("no byte", || Reply::Close),
        ("half a head", || Reply::Raw(b"HTTP/1.1 200 O".to_vec())),
        ("half a body", || {
            Reply::Raw(
                b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 99\r\n\r\n{\"json"
                    .to_vec(),
            )
        }),
        ("half a stream", || Reply::stream(vec![Step::Text(": hello\n\n".into()), Step::CutOff])),
        ("half an event", || Reply::stream(vec![Step::Text("data: {\"jsonrpc\":".into()), Step::CutOff])),
        ("a stream without an answer", || Reply::stream(vec![])),
        ("500", || Reply::text(500, "text/plain", "out of order")),
        ("502", || Reply::text(502, "text/html", "<h1>Bad Gateway</h1>")),
        ("no JSON", || Reply::text(200, "application/json", "{")),
        ("an empty body", || Reply::status(200)),
    ]
}

// rules: X4, H6
#[tokio::test]
async fn a_call_that_may_have_been_done_is_not_made_again() {
    for (name, reply) in ends() {
        let rule =
            move |seen: &becket_testkit::mcp_http::ReceivedRequest| (seen.tool() == "destroy").then(reply);
        let bad = Plan::new().rule(rule).start();
        let scene = Scene::with(vec![http("bad", &bad)]).await;
        // The connection to the server is already in use, as with a server that was called before.
        scene.bad("echo", json!({"text": "before"})).await.unwrap();
        let error = scene.bad("destroy", json!({})).await.unwrap_err();
        assert!(matches!(error, CallError::Died { .. }), "{name}: {error}");
        let destroyed = bad.seen().iter().filter(|seen| seen.tool() == "destroy").count();
        assert_eq!(destroyed, 1, "{name}: {error}");
        assert_eq!(scene.bad("echo", json!({"text": "after"})).await.unwrap().text(), "after", "{name}");
        scene.end().await;
    }
}

// rules: X2, X4
#[tokio::test]
async fn a_server_that_is_gone_fails_the_call_that_was_under_way_and_those_that_follow() {
    let hangs =
        |seen: &becket_testkit::mcp_http::ReceivedRequest| (seen.tool() == "destroy").then_some(Reply::Hang);
    let bad = Plan::new().rule(hangs).start();
    let scene = Scene::with(vec![http("bad", &bad)]).await;
    let gone = async {
        eventually("the call is under way", || bad.count("tools/call") == 1).await;
        drop(bad);
    };
    let (error, ()) = tokio::join!(scene.bad("destroy", json!({})), gone);
    let error = error.unwrap_err();
    assert!(matches!(error, CallError::Died { fault: Fault::BrokenOff(_), .. }), "{error}");
    // Nothing listens there any more. This is detected in time, and reported; the first request may still have found a
    // connection that is just being closed.
    scene.bad_error("echo", LONG).await;
    let error = scene.bad_error("echo", LONG).await;
    assert!(error.contains("it can't be reached"), "{error}");
    assert!(matches!(scene.state(), ServerState::Failed { .. }), "{:?}", scene.state());
    scene.end().await;
}

// rules: X2, X4
#[tokio::test]
async fn a_server_whose_connections_are_cut_is_called_on() {
    let bad = Plan::new().start();
    let scene = Scene::with(vec![http("bad", &bad)]).await;
    for n in 0..20 {
        bad.cut();
        let text = n.to_string();
        // A request that is sent at that moment over a connection that is being closed may fail, and reports it.
        match scene.bad("echo", json!({"text": text})).await {
            Ok(answer) => assert_eq!(answer.text(), text),
            Err(CallError::Died { .. }) => {}
            Err(error) => panic!("{error}"),
        }
        let sent = bad.seen().iter().filter(|seen| seen.body["params"]["arguments"]["text"] == text).count();
        assert!(sent <= 1, "{text} was sent {sent} times");
    }
    let last = async || scene.bad("echo", json!({"text": "last"})).await.ok();
    assert_eq!(becket_testkit::wait::eventually("it is called on", last).await.text(), "last");
    scene.end().await;
}

// rules: X4, X7
#[tokio::test]
async fn a_process_that_dies_in_the_middle_of_a_call_is_started_again_for_the_next_one_alone() {
    let place = Place::new();
    let pool = place.start(vec![ours("bad", &[]), ours("it", &[])]).await;
    let cancel = becket_mcp::CancellationToken::new();
    let call = |tool| pool.call(crate::end_to_end::scene::of("bad", tool, json!({}), LONG), &cancel);
    let error = call("die").await.unwrap_err().to_string();
    assert_eq!(error, "the MCP server `bad` is gone: it exited with 3; its stderr ends with: dying as told");
    assert_eq!(call("text").await.unwrap().text(), "one\ntwo");
    let got = place.got();
    let named = |name: &str| got.iter().filter(|message| message["params"]["name"] == name).count();
    assert_eq!((named("die"), named("text")), (1, 1));
    let begun = got.iter().filter(|message: &&Value| message["method"] == "initialize").count();
    assert_eq!(begun, 3, "`it`, and `bad` twice");
    pool.close().await;
}
