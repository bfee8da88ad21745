//! Tools, resources and prompts: cached until they change, requested once.

use becket_testkit::wait::{holds_for, until};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use becket_mcp::{CallError, CancellationToken, Pool, PromptCall, PromptRole, ResourceBody, ServerState};
use futures_util::future::join_all;
use serde_json::{Value, json};

use crate::common::{LONG, SHORT, call, nothing, object, state};
use crate::pool::scripted::{ReceivedMessage, ScriptedServer, Then, options, pool, said, send, tools};

fn none() -> CancellationToken {
    CancellationToken::new()
}

async fn names(pool: &Pool) -> Vec<String> {
    pool.tools("it", &none()).await.unwrap().iter().map(|tool| tool.name.clone()).collect()
}

fn changed(seen: &ReceivedMessage, list: &str) {
    let method = format!("notifications/{list}/list_changed");
    send(&seen.sender, json!({"jsonrpc": "2.0", "method": method}));
}

/// A server whose list grows by a tool with each request for it.
fn grows(also: impl Fn(&ReceivedMessage) -> Then + Send + Sync + 'static) -> Arc<ScriptedServer> {
    let asked = AtomicUsize::new(0);
    ScriptedServer::new(move |seen| {
        if seen.message["method"] != "tools/list" {
            return also(seen);
        }
        let count = asked.fetch_add(1, Ordering::AcqRel) + 1;
        let names: Vec<String> = (0..count).map(|number| format!("tool{number}")).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        Then::Result(json!({"tools": tools(&names)}))
    })
}

// rule: X5
#[tokio::test]
async fn a_list_is_asked_for_once_until_it_changes() {
    let server = grows(|seen| {
        if seen.message["method"] == "tools/call" {
            changed(seen, "tools");
            return Then::Result(said("grown"));
        }
        Then::Usual
    });
    let pool = server.pool(options(), Arc::new(()));
    for _ in 0..5 {
        assert_eq!(names(&pool).await, ["tool0"]);
    }
    assert_eq!(server.count("tools/list"), 1);
    // An unknown tool is looked up again if the server has announced a change.
    assert!(matches!(call(&pool, "tool1", nothing()).await, Err(CallError::NoSuchTool { .. })));
    assert_eq!(server.count("tools/list"), 1);
    call(&pool, "tool0", nothing()).await.unwrap();
    until("the change is seen", || {
        matches!(state(&pool, "it"), ServerState::Connected { generation: 2, tools: 2, .. })
    })
    .await;
    assert_eq!(names(&pool).await, ["tool0", "tool1"]);
    call(&pool, "tool1", nothing()).await.unwrap();
    assert_eq!(pool.servers()[0].tools.as_ref().map(|tools| tools.len()), Some(2));
    pool.close().await;
}

// rule: X5
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_storm_of_ten_thousand_changes_costs_a_few_lists() {
    let server = grows(|seen| {
        if seen.message["method"] == "tools/call" {
            let (sender, id) = (seen.sender.clone(), seen.message["id"].clone());
            tokio::spawn(async move {
                for _ in 0..10_000 {
                    let told = json!({"jsonrpc": "2.0", "method": "notifications/tools/list_changed"});
                    sender.send(told).await.unwrap();
                }
                sender.send(json!({"jsonrpc": "2.0", "id": id, "result": said("stormed")})).await.unwrap();
            });
            return Then::Silence;
        }
        Then::Usual
    });
    let pool = server.pool(options(), Arc::new(()));
    let start = std::time::Instant::now();
    assert_eq!(call(&pool, "tool0", nothing()).await.unwrap().text(), "stormed");
    until(
        "the last change is seen",
        || matches!(state(&pool, "it"), ServerState::Connected { generation, .. } if generation > 1),
    )
    .await;
    // One at the beginning, one per second during the storm, one after it, and one for each that came in between.
    let most = || 4 + 2 * usize::try_from(start.elapsed().as_secs()).unwrap();
    let is_calm = holds_for(2 * SHORT, || server.count("tools/list") <= most()).await;
    assert!(is_calm, "{} in {:?}", server.count("tools/list"), start.elapsed());
    let asked = server.count("tools/list");
    assert_eq!(names(&pool).await.len(), asked);
    assert_eq!(server.count("tools/list"), asked);
    pool.close().await;
}

// rules: X5, X8
#[tokio::test]
async fn a_refresh_that_fails_keeps_the_old_list() {
    let is_broken = Arc::new(AtomicBool::new(false));
    let breaks = Arc::clone(&is_broken);
    let server = ScriptedServer::new(move |seen| match seen.message["method"].as_str() {
        Some("tools/call") => {
            breaks.store(true, Ordering::Release);
            for list in ["tools", "resources", "prompts"] {
                changed(seen, list);
            }
            Then::Usual
        }
        Some("tools/list") if breaks.load(Ordering::Acquire) => Then::Silence,
        Some("resources/list" | "prompts/list") if breaks.load(Ordering::Acquire) => {
            Then::Error(json!({"code": -32000, "message": "not now"}))
        }
        Some("resources/list") => Then::Result(json!({"resources": [{"uri": "a:b", "name": "b"}]})),
        Some("prompts/list") => Then::Result(json!({"prompts": [{"name": "p"}]})),
        Some(_) | None => Then::Usual,
    });
    let mut options = options();
    options.connect_timeout = SHORT;
    let pool = server.pool(options, Arc::new(()));
    let before = (names(&pool).await, pool.resources("it", &none()).await.unwrap().resources.len());
    assert_eq!(pool.prompts("it", &none()).await.unwrap().len(), 1);
    call(&pool, "echo", nothing()).await.unwrap();
    until("the server is asked again", || server.count("tools/list") == 2).await;
    let after = (names(&pool).await, pool.resources("it", &none()).await.unwrap().resources.len());
    assert_eq!(before, after);
    assert_eq!(pool.prompts("it", &none()).await.unwrap().len(), 1);
    // It is not asked repeatedly: only once it has announced another change.
    for _ in 0..3 {
        names(&pool).await;
        pool.resources("it", &none()).await.unwrap();
    }
    let asked = ["tools/list", "resources/list", "prompts/list"].map(|method| server.count(method));
    assert_eq!(asked, [2, 2, 2]);
    call(&pool, "echo", nothing()).await.unwrap();
    pool.close().await;
}

// rule: X5
#[tokio::test]
async fn many_who_find_a_list_out_of_date_ask_for_it_once() {
    let server = grows(|_| Then::Usual);
    let pool = server.pool(options(), Arc::new(()));
    let lists = join_all((0..50).map(|_| names(&pool))).await;
    assert!(lists.iter().all(|names| *names == ["tool0"]));
    assert_eq!(server.count("tools/list"), 1);
    pool.close().await;
}

// rule: X5
#[tokio::test]
async fn a_new_connection_has_a_new_list() {
    let server = grows(|_| Then::Usual);
    let pool = server.pool(options(), Arc::new(()));
    assert_eq!(names(&pool).await.len(), 1);
    pool.reconnect("it", &none()).await.unwrap();
    assert_eq!(names(&pool).await.len(), 2);
    pool.close().await;
}

// rule: X5
#[tokio::test]
async fn of_more_servers_than_lists_are_kept_all_can_be_called() {
    let servers: Vec<_> = (0..25).map(|_| ScriptedServer::new(|_| Then::Usual)).collect();
    let names: Vec<String> = (0..25).map(|number| format!("s{number}")).collect();
    let named: Vec<_> = names.iter().map(String::as_str).zip(&servers).collect();
    let pool = pool(&named, options(), Arc::new(()));
    pool.start(&none()).await;
    for _ in 0..2 {
        for name in &names {
            let call = becket_mcp::ToolCall { server: name, ..crate::common::of_it("echo", nothing(), LONG) };
            pool.call(call, &none()).await.unwrap();
        }
    }
    let lists: usize = servers.iter().map(|server| server.count("tools/list")).sum();
    assert_eq!(lists, 25, "a call needs no list");
    for name in &names {
        assert_eq!(pool.tools(name, &none()).await.unwrap().len(), 2);
    }
    pool.close().await;
}

fn library() -> Arc<ScriptedServer> {
    ScriptedServer::new(|seen| {
        let params = &seen.message["params"];
        match seen.message["method"].as_str() {
            Some("resources/list") => match params["cursor"].as_str() {
                None => Then::Result(
                    json!({"resources": [{"uri": "note://1", "name": "one", "mimeType": "text/plain"}], "nextCursor": "2"}),
                ),
                Some(_) => Then::Result(json!({"resources": [{"uri": "note://2", "name": "two"}]})),
            },
            Some("resources/templates/list") => {
                Then::Result(json!({"resourceTemplates": [{"uriTemplate": "note://{id}", "name": "any"}]}))
            }
            Some("resources/read") if params["uri"] == "note://1" => Then::Result(json!({"contents": [
                {"uri": "note://1", "mimeType": "text/plain", "text": "hello"}, {"uri": "note://1b", "blob": "eA=="},
            ]})),
            Some("resources/read") => Then::Error(json!({"code": -32002, "message": "no such note"})),
            Some("prompts/list") => Then::Result(
                json!({"prompts": [{"name": "greet", "arguments": [{"name": "who", "required": true}]}]}),
            ),
            Some("prompts/get") => {
                let text = format!("greet {}", params["arguments"]["who"].as_str().unwrap());
                let message = json!({"role": "user", "content": {"type": "text", "text": text}});
                Then::Result(json!({"description": "a greeting", "messages": [message]}))
            }
            Some("tools/call") => {
                let list =
                    params["name"].as_str().map(|tool| if tool == "echo" { "resources" } else { "prompts" });
                changed(seen, list.unwrap());
                Then::Usual
            }
            Some(_) | None => Then::Usual,
        }
    })
}

// rule: X8
#[tokio::test]
async fn resources_are_listed_kept_and_read() {
    let server = library();
    let pool = server.pool(options(), Arc::new(()));
    for _ in 0..3 {
        let listed = pool.resources("it", &none()).await.unwrap();
        let uris: Vec<&str> = listed.resources.iter().map(|resource| resource.uri.as_str()).collect();
        assert_eq!(uris, ["note://1", "note://2"]);
        assert_eq!(listed.templates[0].uri_template, "note://{id}");
    }
    assert_eq!((server.count("resources/list"), server.count("resources/templates/list")), (2, 1));
    let read = pool.read_resource("it", "note://1", LONG, &none()).await.unwrap();
    assert_eq!(read[0].body, ResourceBody::Text("hello".into()));
    assert_eq!(read[1].body, ResourceBody::Blob("eA==".into()));
    let error = pool.read_resource("it", "note://9", LONG, &none()).await.unwrap_err().to_string();
    assert_eq!(error, "the MCP server `it` refuses the resource `note://9`: no such note (-32002)");
    call(&pool, "echo", nothing()).await.unwrap();
    until("the change is heard", || {
        matches!(state(&pool, "it"), ServerState::Connected { generation: 2, .. })
    })
    .await;
    pool.resources("it", &none()).await.unwrap();
    assert_eq!(server.count("resources/list"), 4);
    pool.close().await;
}

// rule: X8
#[tokio::test]
async fn prompts_are_listed_kept_and_filled_in() {
    let server = library();
    let pool = server.pool(options(), Arc::new(()));
    let prompts = pool.prompts("it", &none()).await.unwrap();
    assert_eq!((prompts.len(), prompts[0].name.as_str()), (1, "greet"));
    let arguments = prompts[0].arguments("Ada").unwrap();
    let use_it = PromptCall { name: "greet", arguments, limit: LONG };
    let got = pool.prompt("it", use_it, &none()).await.unwrap();
    assert_eq!(got.description.as_deref(), Some("a greeting"));
    assert_eq!((got.messages[0].role, got.messages[0].content.text()), (PromptRole::User, Some("greet Ada")));
    pool.prompts("it", &none()).await.unwrap();
    assert_eq!(server.count("prompts/list"), 1);
    call(&pool, "other", nothing()).await.unwrap();
    until("the change is heard", || {
        matches!(state(&pool, "it"), ServerState::Connected { generation: 2, .. })
    })
    .await;
    pool.prompts("it", &none()).await.unwrap();
    assert_eq!(server.count("prompts/list"), 2);
    pool.close().await;
}

// rule: X8
#[tokio::test]
async fn a_reading_has_a_deadline_and_the_server_hears_of_it() {
    let server = ScriptedServer::new(|seen| match seen.message["method"].as_str() {
        Some("resources/read" | "prompts/get") => Then::Silence,
        Some(_) | None => Then::Usual,
    });
    let pool = server.pool(options(), Arc::new(()));
    let error = pool.read_resource("it", "a:b", SHORT, &none()).await.unwrap_err().to_string();
    assert_eq!(error, "the resource `a:b` of the MCP server `it` did not answer within 0.3 s");
    let use_it = PromptCall { name: "p", arguments: object(nothing()), limit: SHORT };
    let error = pool.prompt("it", use_it, &none()).await.unwrap_err().to_string();
    assert_eq!(error, "the prompt `p` of the MCP server `it` did not answer within 0.3 s");
    let cancelled = || server.count("notifications/cancelled") == 2;
    until("the server hears of it", cancelled).await;
    pool.close().await;
}

// rule: X8
#[tokio::test]
async fn a_server_without_resources_and_prompts_is_not_asked_for_them() {
    let server = ScriptedServer::new(|seen| match seen.message["method"].as_str() {
        Some("initialize") => Then::Result(json!({
            "protocolVersion": seen.message["params"]["protocolVersion"], "capabilities": {},
            "serverInfo": {"name": "bare", "version": "1"},
        })),
        Some(_) | None => Then::Error(json!({"code": -32601, "message": "no"})),
    });
    let pool = server.pool(options(), Arc::new(()));
    assert_eq!(pool.resources("it", &none()).await.unwrap().resources.len(), 0);
    assert_eq!(pool.prompts("it", &none()).await.unwrap().len(), 0);
    assert_eq!(pool.tools("it", &none()).await.unwrap().len(), 0);
    let methods: Vec<Value> = server.got().iter().map(|message| message["method"].clone()).collect();
    assert_eq!(methods, ["initialize", "notifications/initialized"]);
    pool.close().await;
}
