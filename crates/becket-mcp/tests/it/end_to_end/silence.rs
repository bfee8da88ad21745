//! Servers that send nothing, or too little to ever finish.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::time::{Duration, Instant};

use becket_mcp::{CallError, ServerState};
use becket_testkit::mcp_http::{Plan, Reply, Step};
use serde_json::json;

use crate::common::{LONG, SHORT, ours};
use crate::end_to_end::scene::{Scene, at, eventually, http};

/// A limit that is long enough to connect a good server on any machine.
const CONNECTING: Duration = Duration::from_secs(4);

// rules: X2, H6
#[tokio::test]
async fn a_server_that_never_gets_ready_fails_in_time_and_holds_nobody_up() {
    let hangs = |method| Plan::new().always(method, |_| Reply::Hang).start();
    for (method, server) in [("initialize", hangs("initialize")), ("tools/list", hangs("tools/list"))] {
        let began = Instant::now();
        let scene =
            Scene::tuned(vec![http("bad", &server)], |options| options.connect_timeout = CONNECTING).await;
        assert!(began.elapsed() < LONG);
        let words =
            format!("it did not answer `{method}` within 4 s: check that it speaks MCP over this transport");
        assert_eq!(scene.why(), words);
        // A caller with less time waits no longer than that.
        let error = scene.bad_for("echo", json!({}), SHORT).await.unwrap_err();
        assert!(matches!(error, CallError::TimedOut { .. }), "{error}");
        scene.end().await;
        eventually("the hanging connection is closed", || server.open() == 0).await;
    }
}

// rules: X2, H6
#[tokio::test]
async fn a_listener_that_is_no_http_server_and_one_that_trickles_fail_in_time() {
    for trickles in [false, true] {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/mcp", listener.local_addr().unwrap());
        std::thread::spawn(move || {
            for tcp in listener.incoming().flatten() {
                std::thread::spawn(move || trickle(tcp, trickles));
            }
        });
        let began = Instant::now();
        let scene = Scene::tuned(vec![at("bad", &url)], |options| options.connect_timeout = CONNECTING).await;
        assert!(began.elapsed() < LONG);
        assert!(scene.why().starts_with("it did not answer `initialize` within 4 s"), "{}", scene.why());
        scene.end().await;
    }
}

/// Reads, and sends nothing; or begins an answer that never ends.
fn trickle(mut tcp: std::net::TcpStream, trickles: bool) {
    let _ = tcp.read(&mut [0; 4096]);
    let head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n";
    if trickles && tcp.write_all(head.as_bytes()).is_ok() {
        while tcp.write_all(b": still here\n\n").is_ok() {
            std::thread::sleep(Duration::from_millis(50));
        }
    }
    // Continues until the client disconnects.
    let _ = tcp.read(&mut [0; 4096]);
}

type Answer = fn() -> Reply;

/// Returns never-ending answers to a call.
fn endless() -> Vec<(&'static str, Answer)> {
    vec![
        ("nothing", || Reply::Hang),
        ("an open stream", || Reply::stream(vec![Step::Hang])),
        ("comments", || Reply::stream((0..600).flat_map(|_| [comment(), pause()]).collect())),
        ("progress of somebody else", || {
            Reply::stream((0..600).flat_map(|_| [progress(), pause()]).collect())
        }),
    ]
}

fn comment() -> Step {
    Step::Text(": wait\n\n".into())
}

fn progress() -> Step {
    Step::notice("notifications/progress", &json!({"progressToken": 424_242, "progress": 1}))
}

fn pause() -> Step {
    Step::Wait(Duration::from_millis(50))
}

// rules: H6, X2
#[tokio::test]
async fn a_call_that_is_not_answered_ends_in_time_and_its_server_can_be_called_on() {
    for (name, reply) in endless() {
        let rule =
            move |seen: &becket_testkit::mcp_http::ReceivedRequest| (seen.tool() == "destroy").then(reply);
        let bad = Plan::new().rule(rule).start();
        let scene = Scene::with(vec![http("bad", &bad)]).await;
        let error = scene.bad_error("destroy", SHORT).await;
        assert_eq!(error, "the tool `destroy` of the MCP server `bad` did not answer within 0.3 s", "{name}");
        eventually("the server is told", || bad.count("notifications/cancelled") == 1).await;
        assert_eq!(scene.bad("echo", json!({"text": "after"})).await.unwrap().text(), "after", "{name}");
        assert_eq!((bad.count("initialize"), bad.count("tools/call")), (1, 2), "{name}");
        assert!(matches!(scene.state(), ServerState::Connected { .. }), "{name}");
        scene.end().await;
        eventually("nothing is left", || bad.open() == 0).await;
    }
}

// rules: X2, X7
#[tokio::test]
async fn a_process_that_never_gets_ready_fails_in_time_and_holds_nobody_up() {
    for (flag, method) in [("--hang-initialize", "initialize"), ("--hang-list", "tools/list")] {
        let tune = |options: &mut becket_mcp::Options| options.connect_timeout = CONNECTING;
        let scene = Scene::tuned(vec![ours("bad", &[flag])], tune).await;
        assert!(
            scene.why().starts_with(&format!("it did not answer `{method}` within 4 s")),
            "{}",
            scene.why()
        );
        scene.end().await;
    }
}
