//! Lists that change continuously, or never end.

use std::ffi::OsString;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use becket_mcp::config::ConfiguredServer;
use becket_testkit::mcp_http::{Plan, ReceivedRequest, Reply, Server};
use serde_json::{Value, json};

use crate::common::{ours, program, python};
use crate::end_to_end::scene::{Scene, eventually, http};

const STORM: usize = 10_000;

fn listed(seen: &ReceivedRequest, tools: &[&str], cursor: Option<&str>) -> Reply {
    let tools: Vec<Value> =
        tools.iter().map(|name| json!({"name": name, "inputSchema": {"type": "object"}})).collect();
    let mut result = json!({"tools": tools});
    if let Some(cursor) = cursor {
        result["nextCursor"] = json!(cursor);
    }
    Reply::result(seen, &result)
}

/// A server whose one tool is named after the version of its list.
fn versioned(version: &Arc<AtomicUsize>) -> Server {
    let version = Arc::clone(version);
    Plan::new()
        .always("tools/list", move |seen| {
            listed(seen, &[format!("v{}", version.load(Ordering::SeqCst)).as_str()], None)
        })
        .start()
}

fn changed() -> Value {
    json!({"jsonrpc": "2.0", "method": "notifications/tools/list_changed"})
}

// rules: X5, X8
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_storm_of_changes_costs_few_lists_and_leaves_the_newest() {
    let version = Arc::new(AtomicUsize::new(0));
    let bad = versioned(&version);
    let scene = Scene::with(vec![http("bad", &bad)]).await;
    eventually("the server has somebody to tell", || {
        bad.push(&json!({"jsonrpc": "2.0", "method": "x/y"})) > 0
    })
    .await;
    let began = Instant::now();
    for n in 1..=STORM {
        version.store(n, Ordering::SeqCst);
        assert_eq!(bad.push(&changed()), 1, "the stream was given up");
    }
    let newest = format!("v{STORM}");
    let has_newest = || {
        let view = scene.pool.servers().into_iter().find(|view| view.name == "bad").unwrap();
        view.tools.is_some_and(|tools| tools[0].name == newest)
    };
    // It is fetched without a request.
    eventually("the newest list is there", has_newest).await;
    // One for the connection, one for each second of the storm, two for its end.
    let allowed = 4 + usize::try_from(began.elapsed().as_secs()).unwrap();
    assert!(bad.count("tools/list") <= allowed, "{} lists", bad.count("tools/list"));
    assert_eq!(scene.tools().await.unwrap()[0].name, newest);
    scene.end().await;
}

// rule: X5
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nobody_gets_a_list_that_is_older_than_the_last_change_he_knows_of() {
    let version = Arc::new(AtomicUsize::new(0));
    let bad = versioned(&version);
    let scene = Scene::with(vec![http("bad", &bad)]).await;
    eventually("the server has somebody to tell", || {
        bad.push(&json!({"jsonrpc": "2.0", "method": "x/y"})) > 0
    })
    .await;
    for n in 1..=20 {
        version.store(n, Ordering::SeqCst);
        bad.push(&changed());
        // A call of the new tool requests the list if necessary; the old one is not trusted.
        let newest = format!("v{n}");
        let has_newest = async || (scene.tools().await.unwrap()[0].name == newest).then_some(());
        becket_testkit::wait::eventually(&newest, has_newest).await;
        // The newest list never becomes old again.
        for _ in 0..5 {
            assert_eq!(scene.tools().await.unwrap()[0].name, newest);
        }
    }
    scene.end().await;
}

/// A server that announces as many changes as possible while it answers a call.
const STORMY: &str = r#"
import json, sys
lists = 0
def send(message): sys.stdout.write(json.dumps(message) + "\n")
for line in sys.stdin:
    message = json.loads(line)
    id, method = message.get("id"), message.get("method")
    if method == "initialize":
        info, capabilities = {"name": "stormy", "version": "1"}, {"tools": {"listChanged": True}}
        send({"jsonrpc": "2.0", "id": id, "result": {"protocolVersion": message["params"]["protocolVersion"],
              "capabilities": capabilities, "serverInfo": info}})
    elif method == "tools/list":
        lists += 1
        send({"jsonrpc": "2.0", "id": id, "result": {"tools": [{"name": "storm", "inputSchema": {"type": "object"}}]}})
    elif method == "tools/call":
        for _ in range(10000):
            send({"jsonrpc": "2.0", "method": "notifications/tools/list_changed"})
        send({"jsonrpc": "2.0", "id": id, "result": {"content": [{"type": "text", "text": str(lists)}]}})
    elif id is not None:
        send({"jsonrpc": "2.0", "id": id, "error": {"code": -32601, "message": "?"}})
    sys.stdout.flush()
"#;

fn stormy() -> ConfiguredServer {
    ConfiguredServer::of_host("bad", program(python(), vec![OsString::from("-c"), STORMY.into()]))
}

// rules: X5, X7
#[tokio::test]
async fn a_storm_from_a_process_costs_few_lists_and_no_call() {
    let scene = Scene::with(vec![stormy()]).await;
    let mut lists = 0;
    let began = Instant::now();
    for _ in 0..5 {
        lists = scene.bad("storm", json!({})).await.unwrap().text().parse().unwrap();
        assert_eq!(scene.tools().await.unwrap()[0].name, "storm");
    }
    // A request after a burst gets a new list; in addition there is one for each second.
    let allowed = 12 + usize::try_from(began.elapsed().as_secs()).unwrap();
    assert!(lists <= allowed, "{lists} lists");
    scene.end().await;
}

// rules: X2, X5
#[tokio::test]
async fn lists_that_go_in_circles_or_never_end_are_given_up() {
    let circle = Plan::new().always("tools/list", |seen| listed(seen, &["a"], Some("again"))).start();
    let endless =
        Plan::new().always("tools/list", |seen| listed(seen, &["a"], Some(&seen.nth.to_string()))).start();
    for (server, words, most) in [
        (&circle, "its answer to `tools/list` breaks the protocol: the cursor `again` comes twice", 2),
        (&endless, "its answer to `tools/list` breaks the protocol: it has more than 100 pages", 100),
    ] {
        let scene = Scene::with(vec![http("bad", server)]).await;
        assert_eq!(scene.why(), words);
        assert_eq!(server.count("tools/list"), most);
        scene.end().await;
    }
    for (flag, words) in [("--same-cursor", "comes twice"), ("--endless-cursor", "more than 100 pages")] {
        let scene = Scene::with(vec![ours("bad", &[flag])]).await;
        assert!(scene.why().contains(words), "{}", scene.why());
        scene.end().await;
    }
}

// rules: X5, X8
#[tokio::test]
async fn where_a_new_list_can_not_be_had_the_old_one_stays() {
    let lists = |seen: &ReceivedRequest| (seen.nth > 1).then(|| listed(seen, &["echo"], Some("again")));
    let rule = move |seen: &ReceivedRequest| (seen.rpc() == "tools/list").then(|| lists(seen)).flatten();
    let bad = Plan::new().rule(rule).start();
    let scene = Scene::with(vec![http("bad", &bad)]).await;
    eventually("the server has somebody to tell", || bad.push(&changed()) > 0).await;
    eventually("the list is asked for again", || bad.count("tools/list") >= 3).await;
    assert_eq!(scene.tools().await.unwrap().len(), 4);
    let asked = bad.count("tools/list");
    for _ in 0..10 {
        assert_eq!(scene.bad("echo", json!({"text": "x"})).await.unwrap().text(), "x");
        assert_eq!(scene.tools().await.unwrap().len(), 4);
    }
    assert!(bad.count("tools/list") <= asked + 2, "a list that can't be had is asked for again and again");
    scene.end().await;
}
