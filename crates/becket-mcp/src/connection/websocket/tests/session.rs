//! Events on an open WebSocket.

use std::time::{Duration, Instant};

use becket_testkit::proc::PATIENCE;
use serde_json::json;
use tokio::runtime::Handle;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::protocol::CloseFrame;
use tokio_tungstenite::tungstenite::protocol::frame::Frame;
use tokio_tungstenite::tungstenite::protocol::frame::coding::{CloseCode, Data, OpCode};

use super::server::Manner;
use super::{CAP, connected, link, start};
use crate::connection::link::Link;
use crate::connection::trial::{calls_are_answered, eventually, what_breaks_a_call_breaks_no_other};

// rule: X1
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_behind_a_websocket_is_called() {
    for manner in [Manner::Well, Manner::Binary] {
        let (server, trial) = connected(manner).await;
        calls_are_answered(&trial, server.brain()).await;
        what_breaks_a_call_breaks_no_other(&trial).await;
        assert_eq!(server.heads().len(), 1);
    }
}

// rule: X1
#[tokio::test]
async fn the_end_of_a_websocket_ends_the_calls_on_it_and_says_why() {
    let close = |code: u16, reason: &'static str| {
        Message::Close(Some(CloseFrame { code: code.into(), reason: reason.into() }))
    };
    for (last, words) in [
        (close(1011, "out of order"), "the server closed the connection with code 1011: out of order"),
        (close(1001, ""), "the server closed the connection with code 1001"),
        (Message::Close(None), "the server closed the connection"),
        (Message::binary(vec![0xFF, 0xFE]), "it sent a binary message that is not text"),
        (Message::text("x".repeat(CAP + 1)), "it answered with more than 1048576 bytes"),
    ] {
        let (server, trial) = connected(Manner::Well).await;
        let breaking = async {
            eventually("it is asked", || server.brain().count("tools/call") == 1).await;
            server.push(last);
        };
        let (error, ()) = tokio::join!(trial.call("hang", json!({})), breaking);
        let error = error.unwrap_err();
        assert!(error.contains(words), "{words}: {error}");
        assert_eq!(trial.call("echo", json!({"text": "a"})).await, Err(error));
        eventually("no connection is left", || server.open() == 0).await;
    }
    let (server, trial) = connected(Manner::Well).await;
    let error = trial.call("vanish", json!({})).await.unwrap_err();
    assert!(error.contains("the server closed the connection without a word"), "{error}");
    assert_eq!(server.brain().count("tools/call"), 1);
}

// rule: X1
#[tokio::test]
async fn a_message_at_the_cap_passes() {
    let (_server, trial) = connected(Manner::Well).await;
    let most = CAP - 1000;
    assert_eq!(trial.call("large", json!({"bytes": most})).await.unwrap().len(), most);
    let error = trial.call("large", json!({"bytes": CAP})).await.unwrap_err();
    assert_eq!(error, format!("it answered with more than {CAP} bytes, the most that a message may have"));
}

// rule: X1
#[tokio::test]
async fn a_message_in_pieces_counts_as_a_whole() {
    let (server, trial) = connected(Manner::Well).await;
    let piece =
        |kind, is_last| Message::Frame(Frame::message(vec![b' '; CAP / 2 + 1], OpCode::Data(kind), is_last));
    server.push(piece(Data::Text, false));
    server.push(piece(Data::Continue, true));
    let error = trial.call("hang", json!({})).await.unwrap_err();
    assert_eq!(error, format!("it answered with more than {CAP} bytes, the most that a message may have"));
}

// rule: X1
#[tokio::test]
async fn goodbye_is_said_and_waited_for() {
    let (server, trial) = connected(Manner::Well).await;
    drop(trial.end(Duration::from_secs(30)).await);
    let close = CloseFrame { code: CloseCode::Normal, reason: "".into() };
    eventually("the server hears it", || server.frames() == [Message::Close(Some(close.clone()))]).await;

    let (server, trial) = connected(Manner::Stubborn).await;
    let start = Instant::now();
    let link = trial.end(Duration::from_millis(300)).await;
    assert!((Duration::from_millis(300)..PATIENCE).contains(&start.elapsed()));
    eventually("it is left anyway", || server.open() == 0).await;
    drop(link);
}

// rule: X1
#[tokio::test]
async fn nothing_is_left_of_a_link_that_ended_or_was_dropped() {
    let left = || Handle::current().metrics().num_alive_tasks();
    for (ends, manner) in [(true, Manner::Well), (true, Manner::Stubborn), (false, Manner::Well)] {
        let before = left();
        let (server, trial) = connected(manner).await;
        assert!(trial.works().await);
        let hanging = trial.ask("hang", json!({})).await;
        if ends {
            let link = trial.end(Duration::from_millis(100)).await;
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
    let server = start(Manner::Stubborn).await;
    let link = link(&server);
    let wire = link.wire().await.unwrap();
    link.end(Duration::from_millis(50)).await;
    eventually("no connection is left", || server.open() == 0).await;
    drop(wire);
}
