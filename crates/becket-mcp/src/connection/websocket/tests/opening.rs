//! Opening of a WebSocket, and every way in which it fails.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use becket_testkit::mcp_http::tls::Pems;
use reqwest::header::AUTHORIZATION;
use tokio::time::timeout;
use url::Url;

use super::server::{Hello, Manner, SWITCH, Server};
use super::{CAP, link, start, target};
use crate::auth::{HeaderAttempt, HeaderSource, Headers, NoHeaders};
use crate::config::Ide;
use crate::connection::link::Link;
use crate::connection::target::Target;
use crate::connection::trial::{Security, Trial, answer, eventually};
use crate::connection::websocket::WebSocketLink;
use crate::fault::Fault;
use crate::host::BoxFuture;
use becket_base::secret::Secret;

async fn refusal(hello: Hello) -> String {
    let server = Server::start(hello, Manner::Well, &Security::None).await;
    let refusal = Trial::connect(link(&server)).await.err().unwrap();
    assert!(!refusal.contains("hunter2"), "{refusal}");
    refusal.replace(&server.address, "HERE")
}

// rule: X1
#[tokio::test]
async fn a_server_is_asked_for_the_subprotocol_and_told_the_headers() {
    let server = start(Manner::Well).await;
    let target = target(&server.address, &Security::None);
    let shown = format!("{target:?}");
    assert!(!shown.contains("hunter2") && !shown.contains("a=b"), "{shown}");
    assert!(Trial::connect(WebSocketLink::new(target)).await.unwrap().works().await);
    let heads = server.heads();
    assert_eq!((heads.len(), heads[0].line.as_str()), (1, "GET /mcp?a=b"));
    for (name, value) in [
        ("host", server.address.as_str()),
        ("upgrade", "websocket"),
        ("connection", "Upgrade"),
        ("sec-websocket-version", "13"),
        ("sec-websocket-protocol", "mcp"),
        ("x-who", "hunter2"),
    ] {
        let values: Vec<&str> = heads[0]
            .headers
            .iter()
            .filter(|(known, _)| known == name)
            .map(|(_, value)| value.as_str())
            .collect();
        assert_eq!(values, [value], "{name}");
    }
}

// rule: X1
#[tokio::test]
async fn a_server_without_a_subprotocol_is_taken_and_one_of_another_is_not() {
    let says = |protocol: &str| -> &'static str {
        Box::leak(format!("{SWITCH}Sec-WebSocket-Protocol: {protocol}\r\n").into_boxed_str())
    };
    let server = Server::start(Hello::Switch(says("mcp")), Manner::Well, &Security::None).await;
    assert!(Trial::connect(link(&server)).await.unwrap().works().await);
    let error = refusal(Hello::Switch(says("chat"))).await;
    assert_eq!(error, "its response is not MCP: it speaks the subprotocol `chat` instead of `mcp`");
}

// rule: X1
#[tokio::test]
async fn each_way_of_not_being_a_server_has_its_own_words() {
    let no_mcp = "its response is not MCP: ";
    let raw = |status: &str, headers: &str, body: &str| Hello::Raw(answer(status, headers, body));
    let huge = format!("HTTP/1.1 101 Switching\r\nX-Long: {}", "y".repeat(100_000));
    for (hello, begins) in [
        (raw("500 Oh", "", "out of\n order"), "it answers with HTTP 500: out of order".to_owned()),
        (raw("404 No", "", ""), "it answers with HTTP 404".into()),
        (raw("401 Who", "", "you"), "it needs authentication".into()),
        (
            raw("403 No", "WWW-Authenticate: Bearer error=\"insufficient_scope\"\r\n", ""),
            "it needs auth".into(),
        ),
        (raw("403 No", "", "never"), "it answers with HTTP 403: never".into()),
        (
            raw("307 There", "Location: //elsewhere/?key=7\r\n", ""),
            "it answers with HTTP 307: it sends us on to `ws://elsewhere/?…`: configure that one".into(),
        ),
        (
            raw("200 OK", "Content-Type: text/html\r\n", "<html>Welcome"),
            format!("{no_mcp}it answers with HTTP 200 instead of a WebSocket: <html>Welcome"),
        ),
        (Hello::Last("SSH-2.0-OpenSSH_9.2\r\n".into()), format!("{no_mcp}it gave no HTTP answer: ")),
        (Hello::Last(String::new()), format!("{no_mcp}it gave no HTTP answer: ")),
        (Hello::Raw(huge), format!("{no_mcp}it gave no HTTP answer: there is no end to its headers")),
        (
            Hello::Switch("Upgrade: h2c\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: KEY\r\n"),
            format!("{no_mcp}it switches to something other than WebSocket"),
        ),
        (
            Hello::Switch("Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: KEY0\r\n"),
            format!("{no_mcp}its answer belongs to another WebSocket handshake"),
        ),
        (
            Hello::Switch(
                "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: KEY\r\n\
                 Sec-WebSocket-Extensions: permessage-deflate\r\n",
            ),
            format!("{no_mcp}it wants a WebSocket extension that was not offered"),
        ),
    ] {
        let error = refusal(hello.clone()).await;
        assert!(error.starts_with(&begins), "{hello:?}: {error}");
    }
    let address = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().to_string();
    let error = Trial::connect(WebSocketLink::new(target(&address, &Security::None))).await.err().unwrap();
    let expected = format!(
        "it can't be reached: nothing listens at {address} (connection refused): is the server running?"
    );
    assert_eq!(error, expected);
}

/// A source with another token after each 401.
#[derive(Debug, Default)]
struct Fresh(AtomicBool);

impl HeaderSource for Fresh {
    fn headers(&self, attempt: HeaderAttempt) -> BoxFuture<'_, Result<Headers, NoHeaders>> {
        let token = match attempt {
            HeaderAttempt::First => "old",
            HeaderAttempt::After401(_) if self.0.swap(true, Ordering::SeqCst) => panic!("asked twice"),
            HeaderAttempt::After401(_) => "new",
        };
        Box::pin(std::future::ready(Ok(vec![(AUTHORIZATION, Secret::new(token))])))
    }
}

// rules: X1, X3
#[tokio::test]
async fn a_refused_token_is_replaced_once() {
    for (token, works) in [("new", true), ("none", false)] {
        let hello = Hello::Switch(SWITCH);
        let server = Server::with_token(hello, Manner::Well, &Security::None, Some(token)).await;
        let target =
            Target { headers: Arc::new(Fresh::default()), ..target(&server.address, &Security::None) };
        let connected = Trial::connect(WebSocketLink::new(target)).await;
        assert_eq!((connected.is_ok(), server.heads().len()), (works, 2));
        assert!(works || connected.err().unwrap() == "it needs authentication");
    }
}

// rule: X1
#[tokio::test]
async fn an_editor_gets_its_token_on_this_machine_only() {
    let server = start(Manner::Well).await;
    let ide = |host: &str| Ide {
        url: Url::parse(&format!("ws://{host}")).unwrap(),
        ide_name: None,
        auth_token: Some(Secret::new("open sesame")),
    };
    let tls = Security::None.client(None);
    let port = server.address.rsplit(':').next().unwrap();
    for host in [format!("127.0.0.1:{port}"), format!("localhost:{port}")] {
        let target = Target::ide(&ide(&host), Arc::clone(&tls), CAP).unwrap();
        assert!(Trial::connect(WebSocketLink::new(target)).await.unwrap().works().await);
    }
    let token = |head: &crate::connection::trial::Head| {
        head.header("x-claude-code-ide-authorization") == Some("open sesame")
    };
    assert_eq!(server.heads().iter().filter(|head| token(head)).count(), 2);
    assert!(
        matches!(Target::ide(&ide("10.0.0.1"), tls, CAP), Err(Fault::NotLocal(host)) if host == "10.0.0.1")
    );
}

/// Returns the error of connecting to a server with certificates, for a client that presents those of `own`.
async fn secured(security: &Security, own: Option<&Pems>) -> String {
    let server = Server::start(Hello::Switch(SWITCH), Manner::Well, security).await;
    let target = Target { tls: security.client(own), ..target(&server.address, security) };
    match Trial::connect(WebSocketLink::new(target)).await {
        Ok(trial) if trial.works().await => "it works".into(),
        Ok(_) => "it is connected and does not work".into(),
        Err(error) => error.replace(&server.address, "HERE"),
    }
}

// rule: X1
#[tokio::test]
async fn certificates_are_shown_and_asked_for() {
    assert_eq!(secured(&Security::Tls(Pems::new()), None).await, "it works");
    let security = Security::Mutual(Pems::new());
    let Security::Mutual(pems) = &security else { unreachable!() };
    assert_eq!(secured(&security, Some(pems)).await, "it works");
    let error = secured(&security, None).await;
    let names = "HERE wants a client certificate: name one in `tls.cert` and its key in `tls.key`";
    assert!(error.contains(names), "{error}");
    let error = secured(&security, Some(&Pems::new())).await;
    let names = "HERE does not accept the client certificate in `tls.cert`: name one that it trusts";
    assert!(error.contains(names), "{error}");

    let server = Server::start(Hello::Switch(SWITCH), Manner::Well, &security).await;
    let stranger = Security::Tls(Pems::new()).client(None);
    let target = Target { tls: stranger, ..target(&server.address, &security) };
    let error = Trial::connect(WebSocketLink::new(target)).await.err().unwrap();
    assert!(error.contains("can't be trusted") && error.contains("`tls.ca`"), "{error}");
    let server = start(Manner::Well).await;
    let link = WebSocketLink::new(super::target(&server.address, &Security::Tls(Pems::new())));
    let error = Trial::connect(link).await.err().unwrap();
    assert!(
        error.contains("does not speak TLS: leave the `s`") || error.contains("broke off the connection"),
        "{error}"
    );
}

// rule: X1
#[tokio::test]
async fn a_server_that_never_answers_is_left_without_a_trace() {
    let left = || tokio::runtime::Handle::current().metrics().num_alive_tasks();
    let before = left();
    for hello in [Hello::Never, Hello::Raw("HTTP/1.1 101 Switching\r\n".into()), Hello::Switch(SWITCH)] {
        let manner = if matches!(hello, Hello::Switch(_)) { Manner::Stubborn } else { Manner::Well };
        let is_open = manner == Manner::Stubborn;
        let server = Server::start(hello, manner, &Security::None).await;
        let link = link(&server);
        assert_eq!(timeout(Duration::from_millis(200), link.wire()).await.is_ok(), is_open);
        link.end(Duration::ZERO).await;
        eventually("no connection is left", || server.open() == 0).await;
        drop(server);
        eventually("no task is left", || left() == before).await;
    }
}
