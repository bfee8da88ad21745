//! A server behind a WebSocket that requires a certificate.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use becket_mcp::config::{ConfiguredServer, Remote, Tls, Transport};
use becket_mcp::{CallError, Secret, ServerState};
use becket_testkit::mcp_http::tls::Pems;
use becket_testkit::mcp_http::{Plan, Reply};
use futures_util::{SinkExt, StreamExt};
use serde_json::{Value, json};
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::TlsAcceptor;
use tokio_tungstenite::tungstenite::Message;

use crate::end_to_end::scene::{Scene, eventually, over};

/// The counters of a WebSocket server.
#[derive(Default)]
struct Counts {
    open: AtomicUsize,
    greeted: AtomicUsize,
    called: AtomicUsize,
}

/// A server that only accepts certificates of the authority.
async fn start(pems: &Pems) -> (SocketAddr, Arc<Counts>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let (address, counts) = (listener.local_addr().unwrap(), Arc::new(Counts::default()));
    let (acceptor, shared) = (TlsAcceptor::from(pems.server(true)), Arc::clone(&counts));
    tokio::spawn(async move {
        while let Ok((tcp, _)) = listener.accept().await {
            let (acceptor, counts) = (acceptor.clone(), Arc::clone(&shared));
            tokio::spawn(async move {
                counts.open.fetch_add(1, Ordering::SeqCst);
                serve(&acceptor, tcp, &counts).await;
                counts.open.fetch_sub(1, Ordering::SeqCst);
            });
        }
    });
    (address, counts)
}

async fn serve(acceptor: &TlsAcceptor, tcp: TcpStream, counts: &Counts) {
    let Ok(tls) = acceptor.accept(tcp).await else { return };
    let Ok(mut socket) = tokio_tungstenite::accept_hdr_async(tls, subprotocol).await else { return };
    while let Some(Ok(message)) = socket.next().await {
        let Ok(text) = message.to_text() else { continue };
        let Ok(asked) = serde_json::from_str::<Value>(text) else { continue };
        let Some(result) = answer(&asked, counts) else {
            if asked["params"]["name"] == "vanish" {
                return;
            }
            continue;
        };
        let answer = json!({"jsonrpc": "2.0", "id": asked["id"], "result": result});
        if socket.send(Message::text(answer.to_string())).await.is_err() {
            return;
        }
    }
}

type Upgrade = tokio_tungstenite::tungstenite::handshake::server::Request;
type UpgradeResponse = tokio_tungstenite::tungstenite::handshake::server::Response;
type UpgradeRefusal = tokio_tungstenite::tungstenite::handshake::server::ErrorResponse;

#[expect(clippy::result_large_err, clippy::unnecessary_wraps, reason = "what the library wants")]
fn subprotocol(request: &Upgrade, mut response: UpgradeResponse) -> Result<UpgradeResponse, UpgradeRefusal> {
    if let Some(asked) = request.headers().get("sec-websocket-protocol") {
        response.headers_mut().insert("sec-websocket-protocol", asked.clone());
    }
    Ok(response)
}

fn answer(asked: &Value, counts: &Counts) -> Option<Value> {
    match asked["method"].as_str()? {
        "initialize" => {
            counts.greeted.fetch_add(1, Ordering::SeqCst);
            let version = &asked["params"]["protocolVersion"];
            let info = json!({"name": "ws", "version": "1"});
            Some(json!({"protocolVersion": version, "capabilities": {"tools": {}}, "serverInfo": info}))
        }
        "tools/list" => {
            let tool = |name: &str| json!({"name": name, "inputSchema": {"type": "object"}});
            Some(json!({"tools": [tool("echo"), tool("vanish")]}))
        }
        "tools/call" => {
            counts.called.fetch_add(1, Ordering::SeqCst);
            let text = asked["params"]["arguments"]["text"].as_str()?;
            Some(json!({"content": [{"type": "text", "text": text}]}))
        }
        _ => None,
    }
}

fn remote(address: SocketAddr, tls: Tls) -> ConfiguredServer {
    let mut remote = Remote::new(format!("wss://{address}/mcp").parse().unwrap());
    remote.headers.push(("X-Api-Key".into(), Secret::new("hunter2-of-bad")));
    remote.tls = Some(tls);
    over("bad", Transport::WebSocket(remote))
}

fn pem(pems: &Pems, name: &str) -> Option<PathBuf> {
    Some(pems.path(name))
}

fn whole(pems: &Pems) -> Tls {
    Tls { ca: pem(pems, "ca.pem"), cert: pem(pems, "client.pem"), key: pem(pems, "client.key") }
}

// rule: X1
#[tokio::test]
async fn a_server_that_wants_a_certificate_is_called_and_left() {
    let pems = Pems::new();
    let (address, counts) = start(&pems).await;
    let scene = Scene::with(vec![remote(address, whole(&pems))]).await;
    assert!(matches!(scene.state(), ServerState::Connected { tools: 2, .. }), "{:?}", scene.state());
    assert_eq!(scene.bad("echo", json!({"text": "hello"})).await.unwrap().text(), "hello");
    scene.end().await;
    eventually("no connection is left", || counts.open.load(Ordering::SeqCst) == 0).await;
    assert_eq!(counts.greeted.load(Ordering::SeqCst), 1);
}

// rules: X1, X2
#[tokio::test]
async fn who_has_no_certificate_or_trusts_nobody_is_told_what_to_write() {
    let (pems, others) = (Pems::new(), Pems::new());
    let (address, counts) = start(&pems).await;
    let stranger = Tls { cert: pem(&others, "client.pem"), key: pem(&others, "client.key"), ..whole(&pems) };
    for (tls, words) in [
        (Tls { ca: pem(&pems, "ca.pem"), ..Tls::default() }, "tls.cert"),
        (stranger, "it can't be reached"),
        (Tls { ca: pem(&others, "ca.pem"), ..whole(&pems) }, "tls.ca"),
    ] {
        let scene = Scene::with(vec![remote(address, tls)]).await;
        assert!(scene.why().contains(words), "{words}: {}", scene.why());
        scene.end().await;
    }
    eventually("no connection is left", || counts.open.load(Ordering::SeqCst) == 0).await;
    assert_eq!(counts.greeted.load(Ordering::SeqCst), 0);
}

// rules: X1, X4
#[tokio::test]
async fn a_call_during_which_the_socket_closes_is_not_made_again() {
    let pems = Pems::new();
    let (address, counts) = start(&pems).await;
    let scene = Scene::with(vec![remote(address, whole(&pems))]).await;
    let error = scene.bad("vanish", json!({})).await.unwrap_err();
    assert!(matches!(error, CallError::Died { .. }), "{error}");
    assert_eq!(counts.called.load(Ordering::SeqCst), 1);
    assert_eq!(scene.bad("echo", json!({"text": "after"})).await.unwrap().text(), "after");
    assert_eq!((counts.called.load(Ordering::SeqCst), counts.greeted.load(Ordering::SeqCst)), (2, 2));
    scene.end().await;
    eventually("no connection is left", || counts.open.load(Ordering::SeqCst) == 0).await;
}

// rule: X1
#[tokio::test]
async fn nothing_follows_an_upgrade_that_is_answered_with_another_address() {
    let other = Plan::new().start();
    let to = other.url();
    let bad = Plan::new().rule(move |_| Some(Reply::redirect(307, &to))).start();
    let mut remote = Remote::new(bad.url().replace("http://", "ws://").parse().unwrap());
    remote.headers.push(("X-Api-Key".into(), Secret::new("hunter2-of-bad")));
    let scene = Scene::with(vec![over("bad", Transport::WebSocket(remote))]).await;
    assert!(matches!(scene.state(), ServerState::Failed { .. }), "{:?}", scene.state());
    assert_eq!(other.connections(), 0);
    scene.end().await;
}
