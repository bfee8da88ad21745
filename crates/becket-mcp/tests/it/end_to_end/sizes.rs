//! Answers that are larger than a message may be.

use becket_mcp::{CallError, Fault, ServerState};
use becket_testkit::mcp_http::{Plan, Reply};
use serde_json::json;

use crate::common::ours;
use crate::end_to_end::scene::{Scene, eventually, http};

const SIZES: [usize; 2] = [17 << 20, 100_000_000];

// rules: X1, H6
#[tokio::test]
async fn an_answer_that_is_too_large_is_the_error_of_its_call_alone() {
    for bytes in SIZES {
        for as_event in [false, true] {
            let rule = move |seen: &becket_testkit::mcp_http::ReceivedRequest| {
                (seen.tool() == "destroy").then_some(Reply::Huge { bytes, as_event })
            };
            let bad = Plan::new().rule(rule).start();
            let scene = Scene::with(vec![http("bad", &bad)]).await;
            let error = scene.bad("destroy", json!({})).await.unwrap_err();
            let is_named = matches!(error, CallError::Died { fault: Fault::TooLarge(16_777_216), .. });
            assert!(is_named, "{bytes} {as_event}: {error}");
            assert_eq!(scene.bad("echo", json!({"text": "after"})).await.unwrap().text(), "after");
            assert_eq!((bad.count("initialize"), bad.count("tools/call")), (1, 2), "{bytes} {as_event}");
            assert!(matches!(scene.state(), ServerState::Connected { .. }));
            scene.end().await;
            eventually("nothing is left", || bad.open() == 0).await;
        }
    }
}

// rules: X1, X7, H6
#[tokio::test]
async fn a_line_that_is_too_long_ends_its_process_and_the_next_call_starts_another() {
    for bytes in SIZES {
        let scene = Scene::with(vec![ours("bad", &[])]).await;
        let error = scene.bad("line", json!({"size": bytes})).await.unwrap_err();
        assert!(matches!(error, CallError::Died { fault: Fault::LineTooLong(16_777_216), .. }), "{error}");
        assert_eq!(scene.bad("text", json!({})).await.unwrap().text(), "one\ntwo");
        scene.end().await;
    }
}

// rule: X2
#[tokio::test]
async fn a_list_that_is_too_large_leaves_its_server_unconnected() {
    let bad = Plan::new().always("tools/list", |_| Reply::Huge { bytes: 17 << 20, as_event: false }).start();
    let scene = Scene::with(vec![http("bad", &bad)]).await;
    let words =
        "it answered with more than 16777216 bytes, the most that a message may have, before it answered";
    assert!(scene.why().starts_with(words), "{}", scene.why());
    assert_eq!(bad.count("tools/list"), 1, "what is too large is not asked for again");
    scene.end().await;
    eventually("nothing is left", || bad.open() == 0).await;
}
