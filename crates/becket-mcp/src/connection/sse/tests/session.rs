//! What happens on a stream that is open.

use std::time::Duration;

use serde_json::json;
use tokio::runtime::Handle;

use super::server::{Script, Way};
use super::{CAP, connected};
use crate::connection::trial::{answer, calls_are_answered, eventually, what_breaks_a_call_breaks_no_other};

// rule: X1
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_over_events_is_called() {
    let (server, trial) = connected(Script::default()).await;
    calls_are_answered(&trial, server.brain()).await;
    what_breaks_a_call_breaks_no_other(&trial).await;
    // Each message went once.
    let posts = server.heads().iter().filter(|head| head.line.starts_with("POST ")).count();
    assert_eq!(posts, server.brain().heard().len());
    assert_eq!(server.heads().iter().filter(|head| head.line.starts_with("GET ")).count(), 1);
}

// rule: X1
#[tokio::test]
async fn a_stream_that_ends_ends_the_calls_on_it() {
    let (server, trial) = connected(Script::default()).await;
    let (hangs, vanishes) = tokio::join!(trial.call("hang", json!({})), trial.call("vanish", json!({})));
    let expected = Err("its answer broke off: the server has closed the stream".to_owned());
    assert_eq!([&hangs, &vanishes], [&expected, &expected]);
    assert_eq!(trial.call("echo", json!({"text": "a"})).await, expected);
    // The session is gone with its stream, so nothing is sent there any longer.
    assert_eq!(server.brain().count("tools/call"), 2);
}

// rule: X1
#[tokio::test]
async fn a_refused_message_is_the_trouble_of_one_call() {
    let (server, trial) = connected(Script::default()).await;
    let expired = r#"{"jsonrpc": "2.0", "error": {"code": -32001, "message": "Session not found"}}"#;
    for (post, expected) in [
        (Way::Raw(answer("500 Oh", "", "out of order")), "it answers with HTTP 500: out of order"),
        (Way::Raw(answer("404 No", "", expired)), "it has forgotten the session"),
        (Way::Raw(answer("404 No", "", "no such page")), "it answers with HTTP 404: no such page"),
        (Way::Raw(answer("401 Who", "", "")), "it needs authentication"),
        (Way::Raw(answer("302 Found", "Location: http://evil.example/\r\n", "")), "it answers with HTTP 302"),
        (
            Way::Raw(answer("307 Found", "Location: http://evil.example/\r\n", "")),
            "it sends us from `http://HERE` to `http://evil.example`",
        ),
        (Way::Last("hello\r\n\r\n".into()), "its answer broke off: "),
    ] {
        server.script().post = post;
        let error = trial.call("echo", json!({"text": "a"})).await.unwrap_err();
        let error = error.replace(&server.address, "HERE");
        assert!(error.starts_with(expected), "{error}");
        server.script().post = Way::Well;
        assert!(trial.works().await, "{expected}");
    }
    // An error without an id has only this one to belong to: those that were refused wait no longer.
    assert_eq!(trial.call("nameless", json!({})).await, Err("which request was that?".into()));
}

// rule: X1
#[tokio::test]
async fn a_message_that_the_server_does_not_take_is_given_up_with_its_call() {
    let (server, trial) = connected(Script::default()).await;
    assert!(trial.works().await);
    let handle = |text: &'static str| trial.ask("echo", json!({"text": text}));
    server.script().post = Way::Never;
    let waiting = handle("a").await;
    let asked =
        || server.heads().iter().filter(|head| head.body.windows(4).any(|part| part == b"echo")).count();
    eventually("the request is on its way", || asked() == 2).await;
    server.script().post = Way::Well;
    waiting.cancel(Some("enough".into())).await.unwrap();
    eventually("the server hears of it", || server.brain().count("notifications/cancelled") == 1).await;
    eventually("the request that hung is gone", || server.open() <= 2).await;
    assert!(trial.works().await);
}

// rule: X1
#[tokio::test]
async fn a_message_over_the_cap_breaks_the_connection() {
    let (server, trial) = connected(Script::default()).await;
    assert_eq!(trial.call("large", json!({"bytes": CAP - 1000})).await.unwrap().len(), CAP - 1000);
    let error = trial.call("large", json!({"bytes": CAP})).await.unwrap_err();
    assert_eq!(error, format!("it answered with more than {CAP} bytes, the most that a message may have"));
    eventually("the stream is let go", || server.open() <= 1).await;
}

// rule: X1
#[tokio::test]
async fn what_is_no_message_on_the_stream_is_passed_over() {
    let (server, trial) = connected(Script::default()).await;
    server.push("event: weather\ndata: {\"jsonrpc\": \"2.0\", \"id\": 0, \"result\": {}}\n\n");
    server.push("event: endpoint\ndata: http://evil.example/\n\n");
    server.push(": ping\n\nid: 7\nretry: 1\n\ndata: 1979\n\n");
    assert!(trial.works().await);
}

// rule: X1
#[tokio::test]
async fn nothing_is_left_of_a_link_that_ended_or_was_dropped() {
    let left = || Handle::current().metrics().num_alive_tasks();
    for ends in [true, false] {
        let before = left();
        let (server, trial) = connected(Script::default()).await;
        assert!(trial.works().await);
        let hanging = trial.ask("hang", json!({})).await;
        if ends {
            // The link itself is still there.
            let link = trial.end(Duration::from_secs(1)).await;
            eventually("no connection is left", || server.open() == 0).await;
            drop(link);
        } else {
            drop(trial);
            eventually("no connection is left", || server.open() == 0).await;
        }
        drop((hanging, server));
        eventually("no task is left", || left() == before).await;
    }
}
