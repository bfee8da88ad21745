//! Names and hints that servers give their tools.

use std::collections::HashSet;

use becket_mcp::{CancellationToken, Names, ServerState, config};
use becket_testkit::mcp_http::Plan;
use serde_json::{Value, json};

use crate::common::{LONG, state};
use crate::end_to_end::scene::{Scene, at, http, of};

fn tool(name: &str, annotations: Value) -> Value {
    json!({"name": name, "inputSchema": {"type": "object"}, "annotations": annotations})
}

/// Returns a server that answers with the name of the requested tool.
fn says_which(plan: Plan) -> becket_testkit::mcp_http::Server {
    use becket_testkit::mcp_http::Reply;
    plan.always("tools/call", |seen| Reply::text_result(seen, seen.tool())).start()
}

// rule: X5
#[tokio::test]
async fn two_tools_that_are_written_alike_keep_apart_and_both_can_be_called() {
    let tools = ["a.b", "a/b", "a_b"].map(|name| tool(name, json!({})));
    let bad = says_which(Plan::new().tools(tools.to_vec(), 10));
    let scene = Scene::with(vec![http("bad", &bad)]).await;
    let tools = scene.tools().await.unwrap();
    let names = Names::of_tools([("bad", tools.as_slice())]);
    let full: HashSet<String> = names.iter().map(|name| name.full.to_string()).collect();
    assert_eq!((full.len(), names.warnings().len()), (3, 2), "{full:?}");
    for full in full {
        let name = names.get(&full).unwrap();
        let call = of(&name.server, &name.name, json!({}), LONG);
        let answer = scene.pool.call(call, &CancellationToken::new()).await.unwrap();
        assert_eq!(answer.text(), *name.name);
    }
    scene.end().await;
}

// rule: X5
#[tokio::test]
async fn hints_arrive_as_they_were_given_and_their_absence_is_the_worst_case() {
    let hints = json!({"readOnlyHint": true, "destructiveHint": false, "openWorldHint": false, "idempotentHint": true});
    let tools = vec![
        tool("says nothing", json!({})),
        tool("is harmless", hints),
        tool("destroys", json!({"destructiveHint": true})),
        // An invalid hint is ignored. It is on a separate page: such a page is parsed differently.
        tool("lies badly", json!({"readOnlyHint": "yes", "destructiveHint": "no"})),
    ];
    let bad = Plan::new().tools(tools, 3).start();
    let scene = Scene::with(vec![http("bad", &bad)]).await;
    let hints: Vec<(bool, bool, bool, bool)> = scene
        .tools()
        .await
        .unwrap()
        .iter()
        .map(|tool| {
            let hints = tool.hints;
            (hints.read_only, hints.destructive, hints.open_world, hints.idempotent)
        })
        .collect();
    let worst = (false, true, true, false);
    assert_eq!(hints, [worst, (true, false, false, true), worst, worst]);
    scene.end().await;
}

// rules: X2, X5
#[tokio::test]
async fn ten_thousand_tools_are_listed_named_and_called() {
    let tools: Vec<Value> = (0..10_000).map(|n| tool(&format!("tool {n}"), json!({}))).collect();
    let bad = says_which(Plan::new().tools(tools, 500));
    let scene = Scene::with(vec![http("bad", &bad)]).await;
    let tools = scene.tools().await.unwrap();
    assert_eq!(tools.len(), 10_000);
    let names = Names::of_tools([("bad", tools.as_slice())]);
    let full: HashSet<&str> = names.iter().map(|name| &*name.full).collect();
    assert_eq!(full.len(), 10_000);
    assert_eq!(&*names.get("mcp__bad__tool_9999").unwrap().name, "tool 9999");
    assert_eq!(scene.bad("tool 9999", json!({})).await.unwrap().text(), "tool 9999");
    assert_eq!(bad.count("tools/list"), 20);
    let unknown = scene.bad_error("tool 10000", LONG).await;
    assert!(unknown.contains("has no tool `tool 10000`"), "{}", &unknown[..100]);
    assert!(unknown.len() < 16 << 10, "an error of {} bytes", unknown.len());
    scene.end().await;
}

// rules: X1, X5
#[tokio::test]
async fn a_server_may_have_a_chinese_name() {
    let bad = says_which(Plan::new().tools(vec![tool("现在", json!({}))], 10));
    let text = json!({"mcpServers": {"时间": {"type": "http", "url": bad.url()}}}).to_string();
    let configured = config::read(&text, ".mcp.json".as_ref(), &[]).unwrap();
    let scene = Scene::with(configured).await;
    assert!(
        matches!(state(&scene.pool, "时间"), ServerState::Connected { .. }),
        "{:?}",
        state(&scene.pool, "时间")
    );
    let answer =
        scene.pool.call(of("时间", "现在", json!({}), LONG), &CancellationToken::new()).await.unwrap();
    assert_eq!(answer.text(), "现在");
    let tools = scene.pool.tools("时间", &CancellationToken::new()).await.unwrap();
    let names = Names::of_tools([("时间", tools.as_slice())]);
    let name = names.find("时间", "现在").unwrap();
    assert!(name.full.starts_with("mcp__") && name.full.is_ascii(), "{name:?}");
    scene.end().await;
}

// rules: X2, X5
#[tokio::test]
async fn thirty_servers_at_once_all_keep_their_tools() {
    let bad = Plan::new().without_stream().start();
    let many: Vec<_> = (0..30).map(|n| at(&format!("server {n}"), &bad.url())).collect();
    let scene = Scene::with(many).await;
    for view in scene.pool.servers() {
        assert!(
            matches!(view.state, ServerState::Connected { tools: 4, .. }),
            "{}: {:?}",
            view.name,
            view.state
        );
        let tools = view.tools.unwrap_or_else(|| panic!("`{}` is connected and has no tools", view.name));
        assert_eq!(tools.len(), 4, "{}", view.name);
    }
    scene.end().await;
}
