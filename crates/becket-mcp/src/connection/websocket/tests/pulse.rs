//! Responsive servers, and dead ones.

use std::time::Duration;

use serde_json::json;
use tokio_tungstenite::tungstenite::Message;

use super::server::{Hello, Manner, SWITCH, Server};
use super::{connected, link};
use crate::connection::link::Link;
use crate::connection::trial::{Security, Trial, eventually};
use crate::connection::websocket::beat::Rhythm;

// rule: X1
#[tokio::test]
async fn a_silent_server_is_pinged_and_kept() {
    let server = Server::start(Hello::Switch(SWITCH), Manner::Well, &Security::None).await;
    let rhythm = Rhythm { every: Duration::from_millis(20), within: Duration::from_secs(30) };
    let trial = Trial::connect(link(&server).with_rhythm(rhythm)).await.unwrap();
    let pings = || server.frames().iter().filter(|frame| matches!(frame, Message::Ping(_))).count();
    eventually("it is pinged again and again", || pings() >= 5).await;
    assert!(trial.works().await);
}

// rule: X1
#[tokio::test]
async fn a_server_that_answers_no_ping_is_given_up() {
    let server = Server::start(Hello::Switch(SWITCH), Manner::Deaf, &Security::None).await;
    let rhythm = Rhythm { every: Duration::from_millis(50), within: Duration::from_millis(100) };
    let link = link(&server).with_rhythm(rhythm);
    let error = Trial::connect(link).await.err().unwrap();
    assert_eq!(error, "its answer broke off: nothing was heard of it within 0.1 s of a ping");
}

// rule: X1
#[tokio::test]
async fn a_server_that_does_not_read_is_given_up_before_memory_is() {
    let server = Server::start(Hello::Switch(SWITCH), Manner::Deaf, &Security::None).await;
    let mut link = link(&server);
    let request = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call",
        "params": {"name": "echo", "arguments": {"text": "x".repeat(8 << 20)}}});
    let mut sends = Vec::new();
    let refused = loop {
        let mut wire = link.wire().await.unwrap();
        let message = serde_json::from_value(request.clone()).unwrap();
        let mut sending = Box::pin(rmcp::transport::Transport::send(&mut wire, message));
        match futures_util::FutureExt::now_or_never(sending.as_mut()) {
            None | Some(Ok(())) => sends.push(sending),
            Some(Err(error)) => break error,
        }
        assert!(sends.len() < 100, "it has no end");
    };
    assert!(sends.len() >= 8, "{refused}");
    let fault = link.state().settled_fault().await.to_string();
    assert_eq!(fault, "it does not read what is sent to it: 67108864 bytes wait");
    drop(sends);
    link.end(Duration::from_millis(100)).await;
    link = super::link(&server);
    drop(link);
}

// rule: X1
#[tokio::test]
async fn a_ping_of_the_server_is_answered() {
    let (server, trial) = connected(Manner::Well).await;
    server.push(Message::Ping(vec![7].into()));
    let pong = Message::Pong(vec![7].into());
    eventually("the server hears of it", || server.frames().contains(&pong)).await;
    assert!(trial.works().await);
}
