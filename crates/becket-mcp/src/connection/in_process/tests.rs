//! Servers within the process of the tests.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests fail by panicking")]

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use serde_json::{Value, json};
use tokio::runtime::Handle;

use super::InProcessLink;
use crate::connection::link::Link;
use crate::connection::trial::{Act, Brain, Trial, calls_are_answered, eventually};
use crate::in_process_server::{InProcessServer, ServerEnd};

const CAP: usize = 1 << 20;

/// The behaviour of a server.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Manner {
    Well,
    Panics,
    Refuses,
    /// Receives nothing.
    Deaf,
    /// Continues after its client has disconnected.
    Stubborn,
}

struct Server {
    manner: Manner,
    brain: Arc<Brain>,
    connections: AtomicUsize,
    /// The connections that it currently serves.
    serving: Arc<AtomicUsize>,
}

impl Server {
    fn new(manner: Manner) -> Arc<Self> {
        let (brain, serving) = (Arc::default(), Arc::default());
        Arc::new(Self { manner, brain, connections: AtomicUsize::new(0), serving })
    }

    fn serving(&self) -> usize {
        self.serving.load(Ordering::SeqCst)
    }
}

impl InProcessServer for Server {
    fn connect(&self, end: ServerEnd) {
        self.connections.fetch_add(1, Ordering::SeqCst);
        let (brain, serving, manner) = (Arc::clone(&self.brain), Arc::clone(&self.serving), self.manner);
        match manner {
            Manner::Panics => panic!("as the test wants it"),
            Manner::Refuses => return,
            Manner::Well | Manner::Deaf | Manner::Stubborn => {}
        }
        serving.fetch_add(1, Ordering::SeqCst);
        tokio::spawn(async move {
            match manner {
                Manner::Deaf => end.sender().closed().await,
                Manner::Well | Manner::Panics | Manner::Refuses => serve(end, &brain).await,
                Manner::Stubborn => {
                    let sender = end.sender().clone();
                    serve(end, &brain).await;
                    sender.closed().await;
                }
            }
            serving.fetch_sub(1, Ordering::SeqCst);
        });
    }
}

async fn serve(mut end: ServerEnd, brain: &Brain) {
    while let Some(message) = end.receive().await {
        for act in brain.hear(message) {
            let message = match act {
                Act::Say(message) => message,
                // Malformed JSON can't be sent here: the text alone is not a message either.
                Act::Text(text) => serde_json::from_str(&text).unwrap_or(Value::String(text)),
                Act::Vanish => return,
            };
            if end.sender().send(message).await.is_err() {
                return;
            }
        }
    }
}

fn link(server: &Arc<Server>) -> InProcessLink {
    InProcessLink::new(Arc::clone(server) as Arc<dyn InProcessServer>, CAP)
}

async fn connected(manner: Manner) -> (Arc<Server>, Trial<InProcessLink>) {
    let server = Server::new(manner);
    let trial = Trial::connect(link(&server)).await.unwrap();
    (server, trial)
}

// rule: X1
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_in_this_process_is_called() {
    let (server, trial) = connected(Manner::Well).await;
    calls_are_answered(&trial, &server.brain).await;
    assert_eq!(trial.call("unreadable", json!({})).await.unwrap_err()[..17], *"it can't be read:");
    assert_eq!(trial.call("nameless", json!({})).await, Err("which request was that?".into()));
    assert_eq!(server.connections.load(Ordering::SeqCst), 1);
}

// rule: X1
#[tokio::test]
async fn a_value_that_is_no_message_is_shown() {
    let (_server, trial) = connected(Manner::Well).await;
    assert_eq!(trial.call("noise", json!({})).await, Ok("done".into()));
    assert_eq!(trial.link.state().output().no_message.as_deref(), Some("\"listening on port 8\""));
}

// rule: X1
#[tokio::test]
async fn a_server_that_lets_go_ends_its_calls() {
    let (server, trial) = connected(Manner::Well).await;
    let error = trial.call("vanish", json!({})).await.unwrap_err();
    assert_eq!(error, "its answer broke off: the server in this process has let go of its end");
    assert_eq!(trial.call("echo", json!({"text": "a"})).await, Err(error));
    assert_eq!((server.brain.count("tools/call"), server.serving()), (1, 0));
}

// rule: X1
#[tokio::test]
async fn a_server_that_panics_or_refuses_is_no_server() {
    for (manner, expected) in [
        (Manner::Panics, "it can't be reached: the server in this process panicked"),
        (Manner::Refuses, "its answer broke off: the server in this process has let go of its end"),
    ] {
        let error = Trial::connect(link(&Server::new(manner))).await.err().unwrap();
        assert_eq!(error, expected);
    }
}

// rule: X1
#[tokio::test]
async fn a_message_over_the_cap_breaks_the_connection() {
    let (server, trial) = connected(Manner::Well).await;
    assert_eq!(trial.call("large", json!({"bytes": CAP - 1000})).await.unwrap().len(), CAP - 1000);
    let error = trial.call("large", json!({"bytes": CAP})).await.unwrap_err();
    assert_eq!(error, format!("it answered with more than {CAP} bytes, the most that a message may have"));
    drop(trial);
    eventually("the server hears of it", || server.serving() == 0).await;
}

// rule: X1
#[tokio::test]
async fn nothing_is_left_of_a_link_that_ended_or_was_dropped() {
    let left = || Handle::current().metrics().num_alive_tasks();
    for manner in [Manner::Well, Manner::Stubborn] {
        for ends in [true, false] {
            let before = left();
            let (server, trial) = connected(manner).await;
            assert!(trial.works().await);
            let hanging = trial.ask("hang", json!({})).await;
            if ends {
                let link = trial.end(Duration::from_millis(100)).await;
                eventually("the server hears of it", || server.serving() == 0).await;
                drop(link);
            } else {
                drop(trial);
                eventually("the server hears of it", || server.serving() == 0).await;
            }
            drop((hanging, server));
            eventually("no task is left", || left() == before).await;
        }
    }
}

// rule: X1
#[tokio::test]
async fn a_server_that_is_ended_is_waited_for() {
    let (server, trial) = connected(Manner::Well).await;
    drop(trial.end(Duration::from_secs(30)).await);
    assert_eq!(server.serving(), 0);
}

// rule: X1
#[tokio::test]
async fn a_server_that_does_not_listen_holds_nothing_up() {
    let server = Server::new(Manner::Deaf);
    let link = link(&server);
    let mut wire = link.wire().await.unwrap();
    let request = json!({"jsonrpc": "2.0", "id": 1, "method": "ping"});
    let mut waiting = Vec::new();
    for _ in 0..1000 {
        let message = serde_json::from_value(request.clone()).unwrap();
        waiting.push(tokio::spawn(rmcp::transport::Transport::send(&mut wire, message)));
    }
    eventually("the queue is full", || waiting.iter().filter(|send| send.is_finished()).count() == 64).await;
    link.end(Duration::from_millis(50)).await;
    for send in waiting {
        // Queued messages are lost; the other senders get an error.
        let _ = send.await.unwrap();
    }
    eventually("the server hears of it", || server.serving() == 0).await;
}
