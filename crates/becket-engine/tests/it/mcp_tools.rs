//! `mcp_tool` handlers against a host's servers that answer, fail, hang and panic (H6). A real server over stdio
//! answers in `becket-cli`'s tests.
#![expect(clippy::unwrap_used, clippy::panic, reason = "tests fail by panicking")]

use crate::common::*;
use becket_engine::{Engine, McpAnswer, McpCall, McpTools, Outcome};
use becket_model::{Failure, Ruling};
use becket_process::CancellationToken;
use futures_util::future::BoxFuture;
use serde_json::{Value, json};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// Answers by the name of the tool: `text`, `error`, `gone`, `panic`, `never`. Records its input, and the token of a
/// call that it never answers.
#[derive(Clone, Default)]
struct Servers {
    given: Arc<Mutex<Vec<Value>>>,
    token: Arc<Mutex<Option<CancellationToken>>>,
}

impl McpTools for Servers {
    fn call<'a>(&'a self, call: McpCall<'a>) -> BoxFuture<'a, Result<McpAnswer, String>> {
        assert_ne!(call.tool, "panic at once", "a host that panics before it has a future");
        self.given.lock().unwrap().push(Value::Object(call.input.clone()));
        let text = call.input.get("say").and_then(Value::as_str).unwrap_or_default().to_owned();
        Box::pin(async move {
            match call.tool {
                "text" => Ok(McpAnswer::new(text, false)),
                "error" => Ok(McpAnswer::new(text, true)),
                "panic" => panic!("a host that panics"),
                "never" => {
                    *self.token.lock().unwrap() = Some(call.cancel.clone());
                    std::future::pending().await
                }
                other => Err(format!("`{}` has no tool `{other}`", call.server)),
            }
        })
    }
}

fn with(tool: &str, say: &str, more: Value) -> (Project, Engine, Servers) {
    let mut handler = json!({"type": "mcp_tool", "server": "s", "tool": tool, "input": {"say": say, "of": "${tool_input.command}"}});
    handler.as_object_mut().unwrap().extend(more.as_object().cloned().unwrap());
    let project = Project::with(hooks("PreToolUse", "Bash", json!([handler])));
    let servers = Servers::default();
    let engine = project.builder().mcp_tools(servers.clone()).build().unwrap();
    (project, engine, servers)
}

fn called(tool: &str, say: &str, more: Value) -> Outcome {
    let (project, engine, servers) = with(tool, say, more);
    let outcome = fire(&engine, &project.event(bash("ls -l")));
    if tool != "panic at once" {
        assert_eq!(*servers.given.lock().unwrap(), [json!({"say": say, "of": "ls -l"})]);
    }
    outcome
}

#[test]
fn text_is_read_as_stdout_with_exit_0() {
    // rules: H6, O1, O2
    let deny = pre(json!({"permissionDecision": "deny", "permissionDecisionReason": "no"})).to_string();
    let outcome = called("text", &deny, json!({}));
    assert_eq!(outcome.verdict.joined_reason().as_deref(), Some("no"));
    assert_eq!(outcome.runs[0].stdout, deny);
    for silent in ["", "looks fine", "{}"] {
        assert_eq!(called("text", silent, json!({})).verdict.ruling, Ruling::None, "{silent}");
    }
}

/// Every way in which a call returns no answer.
const FAILURES: [(&str, &str, &str); 6] = [
    ("error", "out of paper", "`error` says: out of paper"),
    ("gone", "", "`s` has no tool `gone`"),
    ("panic", "", "MCP tool failed: the host's own part panicked: a host that panics"),
    ("panic at once", "", "before it has a future"),
    ("never", "", "out of time"),
    ("text", "{\"hookSpecificOutput\": 3}", "wrong `hookSpecificOutput`"),
];

#[test]
fn a_call_without_an_answer_is_named_and_on_failure_closes_it() {
    // rules: H6, O10, H11
    for (tool, say, words) in FAILURES {
        let open = called(tool, say, json!({"timeout": 0.2}));
        assert!(!open.verdict.blocks(), "{tool}");
        let told = open.verdict.failures[0].what.to_string();
        assert!(told.contains(words), "{tool}: {told}");
        let closed = called(tool, say, json!({"timeout": 0.2, "onFailure": "block"}));
        assert!(closed.verdict.blocks(), "{tool}");
    }
}

#[test]
fn an_error_decides_nothing_whatever_its_text_says() {
    // rule: H6
    let allow = pre(json!({"permissionDecision": "allow"})).to_string();
    let outcome = called("error", &allow, json!({}));
    assert_eq!(outcome.verdict.ruling, Ruling::None);
    assert!(matches!(outcome.runs[0].failure, Some(Failure::McpTool { .. })));
}

#[test]
fn a_call_that_is_given_up_is_told_to_its_server() {
    // rules: H6, H11
    let (project, engine, servers) = with("never", "", json!({"timeout": 0.1}));
    drop(fire(&engine, &project.event(bash("ls"))));
    assert!(servers.token.lock().unwrap().as_ref().unwrap().is_cancelled(), "at the limit");
    let (project, engine, servers) = with("never", "", json!({}));
    let (event, cancel) = (project.event(bash("ls")), CancellationToken::new());
    let started = Instant::now();
    let outcome = block_on(async {
        let cancelling = async {
            becket_testkit::wait::until("the tool is called", || servers.token.lock().unwrap().is_some())
                .await;
            cancel.cancel();
        };
        tokio::join!(engine.fire_until(&event, &cancel), cancelling).0
    });
    assert!(started.elapsed() < Duration::from_secs(60));
    assert!(matches!(outcome.runs[0].failure, Some(Failure::Cancelled)), "{outcome:?}");
    assert!(servers.token.lock().unwrap().as_ref().unwrap().is_cancelled(), "with the event");
}

#[test]
fn a_host_without_servers_is_named() {
    // rule: H6
    let handler = json!({"type": "mcp_tool", "server": "s", "tool": "t"});
    let project = Project::with(hooks("PreToolUse", "Bash", json!([handler])));
    let outcome = fire(&project.engine(), &project.event(bash("ls")));
    let told = outcome.verdict.failures[0].what.to_string();
    assert!(told.contains("`s` is not connected"), "{told}");
}
