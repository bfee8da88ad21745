//! Opening of a stream, and every way in which it fails.

use std::time::Duration;

use tokio::time::timeout;

use super::server::{Script, ScriptedAnswer};
use super::{CAP, connected, link, refusal, start, target};
use crate::connection::link::Link;
use crate::connection::sse::SseLink;
use crate::connection::target::{Reach, Target};
use crate::connection::trial::{Security, Trial, answer, eventually};

// rule: X1
#[tokio::test]
async fn messages_go_where_the_server_wants_them() {
    for endpoint in ["/messages?session=1", "messages?session=1", " ./messages?session=1#part"] {
        let (server, trial) = connected(Script { endpoint: endpoint.into(), ..Script::default() }).await;
        assert!(trial.works().await, "{endpoint}");
        assert!(server.heads().iter().skip(1).all(|head| head.line == "POST /messages?session=1"));
        assert_eq!(server.heads()[0].header("accept"), Some("text/event-stream"));
        assert_eq!(server.heads()[1].header("content-type"), Some("application/json"));
    }
    let server = start(Script::default()).await;
    let absolute = format!("http://{}/messages?session=1", server.address);
    server.script().endpoint = absolute;
    assert!(Trial::connect(link(&server)).await.unwrap().works().await);
}

// rule: X1
#[tokio::test]
async fn a_server_is_followed_to_itself_and_not_away() {
    let server = start(Script::default()).await;
    let trial = Trial::connect(SseLink::new(target(&server.address, "/old", &Security::None))).await.unwrap();
    assert!(trial.works().await);
    let lines: Vec<String> = server.heads().into_iter().map(|head| head.line).take(2).collect();
    assert_eq!(lines, ["GET /old", "GET /sse"]);

    let other = start(Script::default()).await;
    let to = |place: &str| answer("302 Found", &format!("Location: {place}\r\n"), "");
    let get = ScriptedAnswer::Raw(to(&format!("http://{}/sse", other.address)));
    let expected = format!(
        "it sends us from `http://HERE` to `http://{}`, where nothing of ours is sent: configure that one",
        other.address
    );
    assert_eq!(refusal(Script { get, ..Script::default() }).await, expected);
    assert!(other.heads().is_empty());
    let server = start(Script { get: ScriptedAnswer::Raw(to("/sse")), ..Script::default() }).await;
    let round = Trial::connect(link(&server)).await.err().unwrap();
    assert_eq!(round, "its response is not MCP: it has sent us on more than 5 times");
    assert_eq!(server.heads().len(), 6);
}

// rule: X1
#[tokio::test]
async fn messages_go_to_the_origin_of_the_stream_only() {
    let other = start(Script::default()).await;
    let elsewhere = format!("http://{}/messages?session=1", other.address);
    for (endpoint, origin) in [
        (elsewhere.as_str(), format!("http://{}", other.address)),
        ("//evil.example/messages", "http://evil.example".into()),
        ("https://127.0.0.1/messages", "https://127.0.0.1".into()),
        ("http://localhost/messages", "http://localhost".into()),
        ("file:///etc/passwd", "null".into()),
    ] {
        let error = refusal(Script { endpoint: endpoint.into(), ..Script::default() }).await;
        let expected = format!(
            "it sends us from `http://HERE` to `{origin}`, where nothing of ours is sent: configure that one"
        );
        assert_eq!(error, expected, "{endpoint}");
    }
    assert!(other.heads().is_empty());
    let error = refusal(Script { endpoint: "http://[".into(), ..Script::default() }).await;
    assert!(error.starts_with("its response is not MCP: the address for its messages"), "{error}");
}

// rule: X1
#[tokio::test]
async fn each_way_of_not_being_a_server_has_its_own_words() {
    let no_mcp = "its response is not MCP: ";
    let stream = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n";
    for (get, begins) in [
        (
            ScriptedAnswer::Raw(answer("500 Oh", "", "out of\n order")),
            "it answers with HTTP 500: out of order".to_owned(),
        ),
        (ScriptedAnswer::Raw(answer("405 No", "", "")), "it answers with HTTP 405".into()),
        (ScriptedAnswer::Raw(answer("401 Who", "", "you")), "it needs authentication".into()),
        (
            ScriptedAnswer::Raw(answer(
                "403 No",
                "WWW-Authenticate: Bearer error=\"insufficient_scope\"\r\n",
                "",
            )),
            "it needs authentication".into(),
        ),
        (ScriptedAnswer::Raw(answer("403 No", "", "never")), "it answers with HTTP 403: never".into()),
        (
            ScriptedAnswer::Raw(answer("200 OK", "Content-Type: text/html\r\n", "<html>Welcome")),
            format!("{no_mcp}it sends `text/html` instead of `text/event-stream`: <html>Welcome"),
        ),
        (
            ScriptedAnswer::Raw(answer("200 OK", "", "hi")),
            format!("{no_mcp}it sends `no type` instead of `text/event-stream`: hi"),
        ),
        (ScriptedAnswer::Last("SSH-2.0-OpenSSH_9.2\r\n".into()), format!("{no_mcp}it gave no HTTP answer: ")),
        (ScriptedAnswer::Last(String::new()), format!("{no_mcp}it gave no HTTP answer: ")),
        (
            ScriptedAnswer::Last(format!("{stream}data: x\n")),
            "its answer broke off: the server has closed the stream".into(),
        ),
        (
            ScriptedAnswer::Raw(format!("{stream}data: {}", "x".repeat(CAP))),
            format!("it answered with more than {CAP} bytes, the most that a message may have"),
        ),
    ] {
        let error = refusal(Script { get: get.clone(), ..Script::default() }).await;
        assert!(error.starts_with(&begins), "{get:?}: {error}");
    }
    let address = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().to_string();
    let link = SseLink::new(target(&address, "/sse", &Security::None));
    let error = Trial::connect(link).await.err().unwrap();
    let expected = format!(
        "it can't be reached: nothing listens at {address} (connection refused): is the server running?"
    );
    assert_eq!(error, expected);
}

// rule: X1
#[tokio::test]
async fn a_server_that_never_answers_is_left_without_a_trace() {
    let hangs = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n: wait for it\n\n";
    let left = || tokio::runtime::Handle::current().metrics().num_alive_tasks();
    let before = left();
    for get in [ScriptedAnswer::Never, ScriptedAnswer::Raw(hangs.into())] {
        let server = start(Script { get, ..Script::default() }).await;
        let link = link(&server);
        assert!(timeout(Duration::from_millis(200), link.wire()).await.is_err());
        link.end(Duration::ZERO).await;
        eventually("no connection is left", || server.open() == 0).await;
        drop(server);
        eventually("no task is left", || left() == before).await;
    }
}

// rule: X1
#[tokio::test]
async fn a_proxy_is_used_but_for_this_machine() {
    let get = ScriptedAnswer::Raw(answer("502 No", "", "the proxy says no"));
    let proxy = start(Script { get, ..Script::default() }).await;
    let url = format!("http://{}", proxy.address).parse().unwrap();
    let far = target("mcp.example:81", "/sse", &Security::None);
    let error = Trial::connect(SseLink::new(far).through(Some(&url))).await.err().unwrap();
    assert_eq!(error, "it answers with HTTP 502: the proxy says no");
    assert_eq!(proxy.heads()[0].line, "GET http://mcp.example:81/sse");

    let server = start(Script::default()).await;
    let near = Target { reach: Reach::ThisMachine, ..target(&server.address, "/sse", &Security::None) };
    assert!(Trial::connect(SseLink::new(near).through(Some(&url))).await.unwrap().works().await);
}
