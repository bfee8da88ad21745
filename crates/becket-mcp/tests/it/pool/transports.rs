//! Each transport is used as configured, and its failure is reported.

use std::sync::Arc;

use becket_mcp::config::{ConfiguredServer, Ide, Proxy, Remote, ServerConfig, Tls, Transport};
use becket_mcp::{Pool, ServerState};
use becket_testkit::mcp_http::Plan;
use serde_json::json;

use crate::common::{call, nothing, remote, state, why};
use crate::pool::scripted::{ScriptedServer, Then, in_process, options};

/// Returns a loopback port without a listener.
fn nobody() -> u16 {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    listener.local_addr().unwrap().port()
}

fn pool_of(transport: Transport) -> Pool {
    let pool = Pool::new(options(), Arc::new(()));
    pool.configure(vec![ConfiguredServer::of_host("it", ServerConfig { transport, timeout: None })]);
    pool
}

// rule: X1
#[tokio::test]
async fn who_is_not_there_is_told_whichever_the_way() {
    let port = nobody();
    let url = |scheme: &str| format!("{scheme}://127.0.0.1:{port}/mcp").parse().unwrap();
    let ide = |scheme: &str| Ide { url: url(scheme), ide_name: None, auth_token: None };
    let transports = [
        Transport::Http(Remote::new(url("http"))),
        Transport::Sse(Remote::new(url("http"))),
        Transport::WebSocket(Remote::new(url("ws"))),
        Transport::SseIde(ide("http")),
        Transport::WsIde(ide("ws")),
        Transport::Proxy(Proxy { url: url("http"), id: "x".into(), needs_host: false }),
    ];
    let tried = transports.map(async |transport| {
        let kind = transport.kind();
        let pool = pool_of(transport);
        let error = call(&pool, "echo", nothing()).await.unwrap_err().to_string();
        let expected = format!(
            "the MCP server `it` is not connected: it can't be reached: nothing listens at 127.0.0.1:{port} (connection \
             refused): is the server running?"
        );
        assert_eq!(error, expected, "{kind}");
        pool.close().await;
    });
    futures_util::future::join_all(tried).await;
}

// rule: X1
#[tokio::test]
async fn what_is_for_this_machine_stays_here() {
    for (scheme, make) in [
        ("http", Transport::SseIde as fn(Ide) -> Transport),
        ("ws", Transport::WsIde as fn(Ide) -> Transport),
    ] {
        let url = format!("{scheme}://example.org/x").parse().unwrap();
        let pool = pool_of(make(Ide { url, ide_name: None, auth_token: Some("t0ken".into()) }));
        call(&pool, "echo", nothing()).await.unwrap_err();
        let why = why(&pool, "it").to_string();
        assert!(why.starts_with("`example.org` is not this machine"), "{why}");
        assert!(!why.contains("t0ken"));
        pool.close().await;
    }
}

// rule: X1
#[tokio::test]
async fn files_that_are_not_there_are_named() {
    let mut remote = Remote::new("https://127.0.0.1:9/mcp".parse().unwrap());
    remote.tls = Some(Tls { ca: Some("no-such.pem".into()), ..Tls::default() });
    let pool = pool_of(Transport::Http(remote));
    call(&pool, "echo", nothing()).await.unwrap_err();
    let why = why(&pool, "it").to_string();
    assert!(why.contains("the file of root certificates `/no-such.pem` can't be read"), "{why}");
    pool.close().await;
}

// rule: X1
#[tokio::test]
async fn servers_of_this_process_and_elsewhere_are_connected_alike() {
    let (near, far) = (ScriptedServer::new(|_| Then::Usual), Plan::new().start());
    let pool = near.pool(options(), Arc::new(()));
    pool.configure(vec![in_process("it"), remote("far", &far.url())]);
    pool.start(&becket_mcp::CancellationToken::new()).await;
    for name in ["it", "far"] {
        assert!(matches!(state(&pool, name), ServerState::Connected { .. }), "{:?}", state(&pool, name));
    }
    assert_eq!(call(&pool, "echo", json!({"text": 1})).await.unwrap().text(), r#"{"text":1}"#);
    pool.close().await;
    assert_eq!((far.sessions(), far.count("DELETE")), (Vec::new(), 1));
    becket_testkit::wait::until("no connection is left", || far.open() == 0).await;
}
