//! Addresses that lead to something other than the intended server.

use becket_mcp::config::{Remote, Transport};
use becket_mcp::{Secret, ServerState};
use becket_testkit::mcp_http::{Plan, ReceivedRequest, Reply, Server};
use serde_json::json;

use crate::common::LONG;
use crate::end_to_end::scene::{Scene, http, over};

const PAGE: &str = "<!doctype html><html><title>Sign in</title></html>";

/// The answer of the other server.
type Answer = fn() -> Reply;

// rules: X1, X2
#[tokio::test]
async fn what_is_no_mcp_server_fails_with_words_that_say_so() {
    let answers: [(Answer, &str); 6] = [
        (|| Reply::text(200, "text/html", PAGE), "its response is not MCP: it sends `text/html`"),
        (|| Reply::text(404, "text/html", PAGE), "it answers with HTTP 404"),
        (|| Reply::text(500, "text/html", PAGE), "it answers with HTTP 500: <!doctype html>"),
        (|| Reply::status(405), "it answers with HTTP 405"),
        (|| Reply::json(200, &json!({"hello": "world"})), "its response is not MCP"),
        (|| Reply::Raw(b"SSH-2.0-OpenSSH_9.9\r\n".to_vec()), "its answer broke off: invalid HTTP version"),
    ];
    for (answer, words) in answers {
        let bad = Plan::new().rule(move |_| Some(answer())).start();
        let scene = Scene::with(vec![http("bad", &bad)]).await;
        assert!(scene.why().starts_with(words), "{words}: {}", scene.why());
        scene.end().await;
    }
}

fn with_secret(url: &str) -> becket_mcp::config::ConfiguredServer {
    let mut remote = Remote::new(url.parse().unwrap());
    remote.headers.push(("X-Api-Key".into(), Secret::new("hunter2-of-bad")));
    over("bad", Transport::Http(remote))
}

/// Redirects requests to another server, all of them or only calls.
fn leads_to(other: &Server, status: u16, only_calls: bool) -> Server {
    let to = other.url();
    let rule = move |seen: &ReceivedRequest| {
        (!only_calls || seen.rpc() == "tools/call").then(|| Reply::redirect(status, &to))
    };
    Plan::new().rule(rule).start()
}

// rules: X1, X2
#[tokio::test]
async fn nothing_follows_a_redirect_to_another_origin() {
    let other = Plan::new().start();
    for status in [301, 302, 303, 307, 308] {
        for only_calls in [false, true] {
            let bad = leads_to(&other, status, only_calls);
            let scene = Scene::with(vec![with_secret(&bad.url())]).await;
            assert_eq!(matches!(scene.state(), ServerState::Connected { .. }), only_calls);
            let error = scene.bad_error("echo", LONG).await;
            assert!(error.contains("where nothing of ours is sent"), "{status} {only_calls}: {error}");
            assert_eq!(other.connections(), 0, "{status} {only_calls}");
            if only_calls {
                assert_eq!(bad.count("tools/call"), 1, "{status}");
            }
            scene.end().await;
        }
    }
}

// rule: X1
#[tokio::test]
async fn a_redirect_within_the_origin_is_followed_with_the_body_or_not_at_all() {
    for (status, is_followed) in [(307, true), (308, true), (301, false), (302, false), (303, false)] {
        let rule =
            move |seen: &ReceivedRequest| (seen.path == "/mcp").then(|| Reply::redirect(status, "/new"));
        let bad = Plan::new().rule(rule).start();
        let scene = Scene::with(vec![with_secret(&bad.url())]).await;
        assert_eq!(matches!(scene.state(), ServerState::Connected { .. }), is_followed, "{status}");
        if is_followed {
            assert_eq!(scene.bad("echo", json!({"text": "there"})).await.unwrap().text(), "there");
        } else {
            assert!(scene.why().contains("it has moved to `/new`"), "{}", scene.why());
        }
        scene.end().await;
    }
}

// rule: X1
#[tokio::test]
async fn a_redirect_in_a_circle_ends() {
    let bad = Plan::new().rule(|_| Some(Reply::redirect(307, "/mcp"))).start();
    let scene = Scene::with(vec![with_secret(&bad.url())]).await;
    assert!(scene.why().contains("sent us on more than 3 times"), "{}", scene.why());
    assert!(bad.seen().len() <= 16, "{}", bad.seen().len());
    scene.end().await;
}
