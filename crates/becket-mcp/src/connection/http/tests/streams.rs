//! Streams: their messages, and recovery of broken ones.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use becket_testkit::mcp_http::{Plan, Reply, Step};
use becket_testkit::wait::holds_for;
use serde_json::{Value, json};

use super::meet::{ConnectedClient, nothing_left, until};

// rules: X1, X6
#[tokio::test]
async fn a_good_server_is_spoken_to_as_the_protocol_wants_it() {
    let server = Plan::new().start();
    let met = ConnectedClient::with(&server).await;
    assert_eq!(met.echo("hi").await.as_deref(), Ok("hi"));
    assert_eq!(met.call("count", json!({})).await.as_deref(), Ok("counted"));
    // No service answers it, so the refusal is sent in a separate POST.
    let asked = met.call("ask", json!({})).await.unwrap();
    assert!(asked.contains("-32601") || asked.contains("decline"), "{asked}");
    for seen in server.seen().iter().filter(|seen| seen.verb == "POST") {
        assert_eq!(seen.header("content-type"), Some("application/json"));
        assert_eq!(seen.header("accept"), Some("application/json, text/event-stream"));
        assert_eq!(seen.header("user-agent"), Some(concat!("becket/", env!("CARGO_PKG_VERSION"))));
        let is_greeting = matches!(seen.rpc(), "initialize" | "server/discover");
        assert_eq!(seen.session(), (!is_greeting).then_some("session-1"), "{}", seen.rpc());
        let version = match seen.rpc() {
            "initialize" => None,
            "server/discover" => Some("2026-07-28"),
            _ => Some("2025-11-25"),
        };
        assert_eq!(seen.header("mcp-protocol-version"), version, "{}", seen.rpc());
    }
    drop(met.end(Duration::from_secs(5)).await);
    let farewell = server.seen().into_iter().find(|seen| seen.verb == "DELETE").unwrap();
    assert_eq!(farewell.header("mcp-protocol-version"), Some("2025-11-25"));
    assert!(server.sessions().is_empty());
    nothing_left(&server).await;
}

// rule: X1
#[tokio::test]
async fn a_broken_answer_is_taken_up_again_where_the_server_offers_it() {
    let waits = Arc::new(Mutex::new(Value::Null));
    let asked = Arc::clone(&waits);
    let server = Plan::new()
        .rule(move |seen| {
            let cut = vec![Step::Text("id: 7\nretry: 60\ndata:\n\n".into()), Step::CutOff];
            (seen.tool() == "destroy").then(|| {
                *asked.lock().unwrap() = seen.id().clone();
                Reply::stream(cut)
            })
        })
        .rule(move |seen| match seen.header("last-event-id") {
            Some("7") => Some(Reply::stream(vec![Step::Text("id: 8\ndata:\n\n".into())])),
            Some("8") => {
                let result = json!({"content": [{"type": "text", "text": "done"}]});
                let answer = json!({"jsonrpc": "2.0", "id": *waits.lock().unwrap(), "result": result});
                Some(Reply::stream(vec![Step::Message(answer)]))
            }
            _ => None,
        })
        .start();
    let met = ConnectedClient::with(&server).await;
    assert_eq!(met.call("destroy", json!({})).await.as_deref(), Ok("done"));
    assert_eq!(server.count("tools/call"), 1);
    let resumed: Vec<_> =
        server.seen().into_iter().filter(|seen| seen.header("last-event-id").is_some()).collect();
    assert_eq!(resumed.len(), 2);
    assert!(resumed.iter().all(|seen| seen.session() == Some("session-1")));
    assert!(resumed.iter().all(|seen| seen.header("mcp-protocol-version") == Some("2025-11-25")));
}

// rule: X1
#[tokio::test]
async fn taking_an_answer_up_again_has_an_end() {
    let server = Plan::new()
        .rule(|seen| {
            let cut = vec![Step::Text("id: 7\nretry: 1\ndata:\n\n".into())];
            (seen.tool() == "destroy").then(|| Reply::stream(cut))
        })
        .rule(|seen| seen.header("last-event-id").map(|_| Reply::stream(vec![])))
        .start();
    let met = ConnectedClient::with(&server).await;
    let error = met.call("destroy", json!({})).await.unwrap_err();
    assert_eq!(error, "its answer broke off: it ended without an answer");
    let resumed = server.seen().iter().filter(|seen| seen.header("last-event-id").is_some()).count();
    assert_eq!((resumed, server.count("tools/call")), (5, 1));
}

// rule: X1
#[tokio::test]
async fn a_stream_that_never_says_anything_is_not_opened_for_ever() {
    let server = Plan::new()
        .rule(|seen| (seen.verb == "GET").then(|| Reply::stream(vec![Step::Text("retry: 0\n\n".into())])))
        .start();
    let met = ConnectedClient::with(&server).await;
    until("the stream is opened again", || server.count("GET") == 6).await;
    // The next attempt would come after 1.6 s.
    tokio::time::pause();
    tokio::time::advance(Duration::from_millis(3200)).await;
    tokio::time::resume();
    assert_eq!(met.echo("still there").await.as_deref(), Ok("still there"));
    assert!(
        holds_for(Duration::from_millis(100), || server.count("GET") == 6).await,
        "{}",
        server.count("GET")
    );
}

// rules: X1, X5
#[tokio::test]
async fn news_come_while_calls_are_under_way_and_a_storm_of_them_stops_nothing() {
    let server = Plan::new().start();
    let met = ConnectedClient::with(&server).await;
    let news = json!({"jsonrpc": "2.0", "method": "notifications/tools/list_changed"});
    until("the stream is open", || server.push(&news) == 1).await;
    for _ in 0..5000 {
        server.push(&news);
    }
    for n in 0..20 {
        assert_eq!(met.echo(&n.to_string()).await, Ok(n.to_string()));
    }
    drop(met.end(Duration::from_secs(5)).await);
    nothing_left(&server).await;
}

// rule: X1
#[tokio::test]
async fn a_server_without_that_stream_is_as_good() {
    let server = Plan::new().without_stream().start();
    let met = ConnectedClient::with(&server).await;
    assert_eq!(met.echo("hi").await.as_deref(), Ok("hi"));
    until("it was asked for", || server.count("GET") == 1).await;
    assert_eq!(met.echo("hi").await.as_deref(), Ok("hi"));
    assert_eq!(server.count("GET"), 1);
}

// rule: X1
#[tokio::test]
async fn many_calls_go_side_by_side() {
    let server = Plan::new().rule(|seen| (seen.tool() == "destroy").then_some(Reply::Hang)).start();
    let met = ConnectedClient::with(&server).await;
    let hanging: Vec<_> = (0..40).map(|_| Box::pin(met.call("destroy", json!({})))).collect();
    let mut hanging = Box::pin(futures_util::future::join_all(hanging));
    tokio::select! {
        _ = &mut hanging => panic!("they hang"),
        said = async {
            until("they are under way", || server.count("tools/call") == 40).await;
            met.echo("past them").await
        } => assert_eq!(said.as_deref(), Ok("past them")),
    }
}
