//! In-process servers of a host.
//!
//! A single test, since descriptors and threads belong to the whole process.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests fail by panicking")]

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::common::{Place, call, call_connected, nothing, why};
use becket_mcp::config::{ConfiguredServer, ServerConfig, Transport};
use becket_mcp::{InProcessServer, ServerEnd};
use becket_testkit::proc::{open_descriptors, threads, wait_until};
use serde_json::{Value, json};
use tokio::runtime::Runtime;

/// Echoes its input; `gone` ends the connection.
#[derive(Default)]
struct Echo {
    connections: AtomicUsize,
    calls: Arc<AtomicUsize>,
}

impl InProcessServer for Echo {
    fn connect(&self, mut end: ServerEnd) {
        self.connections.fetch_add(1, Ordering::SeqCst);
        let calls = Arc::clone(&self.calls);
        tokio::spawn(async move {
            while let Some(message) = end.receive().await {
                let Some(result) = result(&message, &calls) else { return };
                let Some(id) = message.get("id") else { continue };
                let answer = json!({"jsonrpc": "2.0", "id": id, "result": result});
                if end.sender().send(answer).await.is_err() {
                    return;
                }
            }
        });
    }
}

fn result(message: &Value, calls: &AtomicUsize) -> Option<Value> {
    let tool = |name| json!({"name": name, "inputSchema": {"type": "object"}});
    match message["method"].as_str() {
        Some("initialize") => Some(json!({
            "protocolVersion": "2025-11-25",
            "capabilities": {"tools": {}},
            "serverInfo": {"name": "echo", "version": "1"},
        })),
        Some("tools/list") => Some(json!({"tools": [tool("echo"), tool("gone")]})),
        Some("tools/call") => {
            calls.fetch_add(1, Ordering::SeqCst);
            let text = &message["params"]["arguments"]["text"];
            (message["params"]["name"] == "echo")
                .then(|| json!({"content": [{"type": "text", "text": text}]}))
        }
        _ => Some(json!({})),
    }
}

fn lent(place: &mut Place) -> Arc<Echo> {
    let server = Arc::new(Echo::default());
    place.options.in_process = vec![("it".into(), Arc::clone(&server) as Arc<dyn InProcessServer>)];
    server
}

fn sdk(name: &str) -> ConfiguredServer {
    ConfiguredServer::of_host(name, ServerConfig { transport: Transport::InProcess, timeout: None })
}

// rules: X1, X2
#[test]
fn a_server_that_the_host_lends_is_called_and_leaves_nothing() {
    runtime().block_on(it_is_called_and_connected_again_when_it_has_let_go());
    it_leaves_nothing();
}

fn runtime() -> Runtime {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap()
}

async fn it_is_called_and_connected_again_when_it_has_let_go() {
    let mut place = Place::new();
    let server = lent(&mut place);
    let pool = place.start(vec![sdk("it"), sdk("other")]).await;
    assert_eq!(call(&pool, "echo", json!({"text": "a"})).await.unwrap().text(), "a");
    assert_eq!(why(&pool, "other").to_string(), "the host has no server of this name in its process");

    let error = call(&pool, "gone", nothing()).await.unwrap_err().to_string();
    assert!(error.contains("the server in this process has let go of its end"), "{error}");
    assert_eq!(call(&pool, "echo", json!({"text": "b"})).await.unwrap().text(), "b");
    let counts = (server.connections.load(Ordering::SeqCst), server.calls.load(Ordering::SeqCst));
    assert_eq!(counts, (2, 3));
    pool.close().await;
    assert!(call_connected(&pool, "echo", json!({"text": "c"})).await.is_err());
}

fn it_leaves_nothing() {
    let run = |is_closed| {
        let runtime = runtime();
        runtime.block_on(async {
            let mut place = Place::new();
            let server = lent(&mut place);
            let pool = place.start(vec![sdk("it")]).await;
            assert_eq!(call(&pool, "echo", json!({"text": "a"})).await.unwrap().text(), "a");
            if is_closed {
                pool.close().await;
            }
            drop((pool, place));
            // The server's own task sees it, and drops the server.
            let tasks = || tokio::runtime::Handle::current().metrics().num_alive_tasks();
            becket_testkit::wait::until("no task is left", || tasks() == 0).await;
            assert_eq!(Arc::strong_count(&server.calls), 1);
        });
        assert_eq!(runtime.metrics().num_alive_tasks(), 0, "closed: {is_closed}");
    };
    run(true);
    let before = (open_descriptors(), threads());
    for is_closed in [true, false] {
        (0..20).for_each(|_| run(is_closed));
    }
    assert!(wait_until(|| (open_descriptors(), threads()) == before), "{before:?} before");
}
