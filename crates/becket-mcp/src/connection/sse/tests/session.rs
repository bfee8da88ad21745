//! Events on an open stream.

use std::time::Duration;

use serde_json::json;
use tokio::runtime::Handle;

use super::server::{Script, ScriptedAnswer};
use super::{CAP, connected, link, start};
use crate::connection::link::Link;
use crate::connection::trial::{answer, calls_are_answered, eventually, what_breaks_a_call_breaks_no_other};

// rule: X1
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_over_events_is_called() {
    let (server, trial) = connected(Script::default()).await;
    calls_are_answered(&trial, server.brain()).await;
    what_breaks_a_call_breaks_no_other(&trial).await;
    // Each message was sent once.
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
    // The session ended with its stream, so nothing more is sent.
    assert_eq!(server.brain().count("tools/call"), 2);
}

// rule: X1
#[tokio::test]
async fn a_refused_message_is_the_trouble_of_one_call() {
    let (server, trial) = connected(Script::default()).await;
    let expired = r#"{"jsonrpc": "2.0", "error": {"code": -32001, "message": "Session not found"}}"#;
    for (post, expected) in [
        (ScriptedAnswer::Raw(answer("500 Oh", "", "out of order")), "it answers with HTTP 500: out of order"),
        (ScriptedAnswer::Raw(answer("404 No", "", expired)), "it has forgotten the session"),
        (ScriptedAnswer::Raw(answer("404 No", "", "no such page")), "it answers with HTTP 404: no such page"),
        (ScriptedAnswer::Raw(answer("401 Who", "", "")), "it needs authentication"),
        (
            ScriptedAnswer::Raw(answer("302 Found", "Location: http://evil.example/\r\n", "")),
            "it answers with HTTP 302",
        ),
        (
            ScriptedAnswer::Raw(answer("307 Found", "Location: http://evil.example/\r\n", "")),
            "it sends us from `http://HERE` to `http://evil.example`",
        ),
        (ScriptedAnswer::Last("hello\r\n\r\n".into()), "its answer broke off: "),
    ] {
        server.script().post = post;
        let error = trial.call("echo", json!({"text": "a"})).await.unwrap_err();
        let error = error.replace(&server.address, "HERE");
        assert!(error.starts_with(expected), "{error}");
        server.script().post = ScriptedAnswer::Well;
        assert!(trial.works().await, "{expected}");
    }
    // The only request that the error without an id can belong to: those that were refused no longer wait.
    assert_eq!(trial.call("nameless", json!({})).await, Err("which request was that?".into()));
}

// rule: X1
#[tokio::test]
async fn a_message_that_the_server_does_not_take_is_given_up_with_its_call() {
    let (server, trial) = connected(Script::default()).await;
    assert!(trial.works().await);
    server.script().post = ScriptedAnswer::Never;
    let waiting = trial.ask("hang", json!({})).await;
    let asked = || server.heads().iter().any(|head| head.has("\"hang\""));
    eventually("the request is on its way", asked).await;
    server.script().post = ScriptedAnswer::Well;
    waiting.cancel(Some("enough".into())).await.unwrap();
    eventually("the server hears of it", || server.brain().count("notifications/cancelled") == 1).await;
    eventually("the stream alone is left", || server.open() == 1).await;
    assert!(trial.works().await);
}

// rule: X1
#[tokio::test]
async fn a_cancellation_does_not_overtake_its_request() {
    let (server, trial) = connected(Script::default()).await;
    server.script().post = ScriptedAnswer::Late;
    let waiting = trial.ask("hang", json!({})).await;
    waiting.cancel(Some("enough".into())).await.unwrap();
    eventually("the server hears of it", || server.brain().count("notifications/cancelled") == 1).await;
    let heard = server.brain().heard();
    let methods: Vec<&str> = heard.iter().filter_map(|message| message["method"].as_str()).collect();
    assert_eq!(methods[methods.len() - 2..], ["tools/call", "notifications/cancelled"]);
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
    let mut waiting = trial.ask("hang", json!({})).await;
    let answer = |text: &str| {
        let content = json!({"content": [{"type": "text", "text": text}]});
        json!({"jsonrpc": "2.0", "id": waiting.id, "result": content}).to_string()
    };
    server.push(&format!("event: weather\ndata: {}\n\n", answer("rain")));
    server.push("event: endpoint\ndata: http://evil.example/\n\n");
    server.push(&format!(": ping\n\nid: 7\nretry: 1\n\ndata: 1979\n\ndata: {}\n\n", answer("sun")));
    let answered = (&mut waiting.rx).await.unwrap().unwrap();
    assert!(format!("{answered:?}").contains("sun"), "{answered:?}");
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
            // The link itself still exists.
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

// rule: X1
#[tokio::test]
async fn a_link_that_ended_holds_nothing_though_somebody_holds_its_wire() {
    let server = start(Script::default()).await;
    let link = link(&server);
    let wire = link.wire().await.unwrap();
    link.end(Duration::from_millis(50)).await;
    eventually("no connection is left", || server.open() == 0).await;
    drop(wire);
}
