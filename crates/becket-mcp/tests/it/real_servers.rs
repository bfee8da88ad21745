//! Third-party servers over stdio: `server-everything`, `-filesystem` and `-memory` (TypeScript), `mcp-server-time`,
//! `-git` and `-sqlite` (Python).
//!
//! `cargo xtask test` installs them and passes their paths. Otherwise these tests fail, unless it has given a reason
//! why a server is not available.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests fail by panicking")]

use std::path::Path;
use std::process::Command;

use crate::common::real::program;
use crate::common::{LONG, Place, SHORT, call, call_for, nothing, of_it, tools, why};
use becket_mcp::config::{ConfiguredServer, Transport};
use becket_mcp::{CallError, CancellationToken, Content, Pool};
use serde_json::{Value, json};

/// Connects the server that a variable names, with additional arguments and variables; `None` if there is a reason why
/// it is missing.
async fn connect(variable: &str, args: &[&str], env: &[(&str, &Path)], place: &Place) -> Option<Pool> {
    let mut config = program(variable, args)?;
    let Transport::Stdio(stdio) = &mut config.transport else { panic!("it is started") };
    stdio.env = env.iter().map(|(name, value)| (name.into(), value.into())).collect();
    let configured = vec![ConfiguredServer::of_host("it", config)];
    Some(place.start(configured).await)
}

// rules: H6, X1, X7
#[tokio::test]
async fn the_time_server_tells_the_time() {
    let place = Place::new();
    let Some(pool) = connect("BECKET_TEST_MCP_TIME", &[], &[], &place).await else { return };
    let names: Vec<String> = tools(&pool).iter().map(|tool| tool.name.clone()).collect();
    assert_eq!(names, ["get_current_time", "convert_time"]);
    let input = json!({"source_timezone": "UTC", "time": "12:00", "target_timezone": "Asia/Kolkata"});
    let converted = call(&pool, "convert_time", input).await.unwrap();
    let told: Value = serde_json::from_str(&converted.text()).unwrap();
    assert_eq!(told["time_difference"], "+5.5h");
    assert!(!converted.is_error);

    let nowhere = json!({"timezone": "Nowhere/Land"});
    match call(&pool, "get_current_time", nowhere).await {
        Ok(result) => assert!(result.is_error && result.text().contains("Nowhere"), "{result:?}"),
        Err(error) => assert!(matches!(error, CallError::Refused { .. }), "{error}"),
    }
    pool.close().await;
    place.marker.wait_for(0);
}

// rules: H6, X1, X7
#[tokio::test]
async fn the_everything_server_answers_in_every_kind() {
    let place = Place::new();
    let Some(pool) = connect("BECKET_TEST_MCP_EVERYTHING", &["stdio"], &[], &place).await else { return };
    let echoed = call(&pool, "echo", json!({"message": "héllo"})).await.unwrap();
    assert_eq!(echoed.text(), "Echo: héllo");
    let image = call(&pool, "get-tiny-image", nothing()).await.unwrap();
    let kinds: Vec<&str> = image.content.iter().map(Content::kind).collect();
    assert_eq!(kinds, ["text", "image", "text"]);
    let structured = call(&pool, "get-structured-content", json!({"location": "New York"})).await.unwrap();
    assert!(structured.structured.is_some_and(|value| value["temperature"].is_number()));
    let links = call(&pool, "get-resource-links", json!({"count": 2})).await.unwrap();
    assert_eq!(links.content.iter().filter(|block| block.kind() == "resource_link").count(), 2);
    pool.close().await;
    place.marker.wait_for(0);
}

// rules: H6, X2
#[tokio::test]
async fn a_long_call_is_given_up_and_the_next_one_works() {
    let place = Place::new();
    let Some(pool) = connect("BECKET_TEST_MCP_EVERYTHING", &["stdio"], &[], &place).await else { return };
    let long = json!({"duration": 1000, "steps": 1000});
    let error = call_for(&pool, "trigger-long-running-operation", long.clone(), SHORT).await.unwrap_err();
    assert!(matches!(error, CallError::TimedOut { .. }), "{error}");
    let cancel = CancellationToken::new();
    let running = pool.call(of_it("trigger-long-running-operation", long, LONG), &cancel);
    let cancelling = crate::common::real::cancel_soon(&cancel);
    let (ended, ()) = tokio::join!(running, cancelling);
    assert!(matches!(ended, Err(CallError::Cancelled { .. })), "{ended:?}");
    assert_eq!(call(&pool, "echo", json!({"message": "a"})).await.unwrap().text(), "Echo: a");
    pool.close().await;
    place.marker.wait_for(0);
}

// rules: H6, X1, X5, X7
#[tokio::test]
async fn the_filesystem_server_keeps_to_its_directory() {
    let place = Place::new();
    let yard = place.dir.path().join("yard");
    std::fs::create_dir(&yard).unwrap();
    let Some(pool) = connect("BECKET_TEST_MCP_FILESYSTEM", &[yard.to_str().unwrap()], &[], &place).await
    else {
        return;
    };
    let file = yard.join("notes.txt");
    let written = call(&pool, "write_file", json!({"path": file, "content": "one\ntwo\n"})).await.unwrap();
    assert!(!written.is_error, "{written:?}");
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "one\ntwo\n");
    let read = call(&pool, "read_text_file", json!({"path": file, "head": 1})).await.unwrap();
    assert_eq!(read.text(), "one");
    let outside = place.dir.path().join("outside.txt");
    let refused = call(&pool, "write_file", json!({"path": outside, "content": "no"})).await.unwrap();
    assert!(refused.is_error && refused.text().contains("outside allowed directories"), "{refused:?}");
    assert!(!outside.exists());
    let hints = |name: &str| tools(&pool).iter().find(|tool| tool.name == name).unwrap().hints;
    assert!(hints("read_text_file").read_only && !hints("read_text_file").open_world);
    assert!(hints("write_file").destructive && !hints("write_file").read_only);
    pool.close().await;
    place.marker.wait_for(0);
}

// rules: H6, X1, X7
#[tokio::test]
async fn the_memory_server_remembers_what_it_was_told_before() {
    let place = Place::new();
    let file = place.dir.path().join("memory.jsonl");
    let env = [("MEMORY_FILE_PATH", file.as_path())];
    let Some(pool) = connect("BECKET_TEST_MCP_MEMORY", &[], &env, &place).await else { return };
    let becket = json!({"name": "Becket", "entityType": "archbishop", "observations": ["was turbulent"]});
    let made = call(&pool, "create_entities", json!({"entities": [becket]})).await.unwrap();
    assert!(!made.is_error, "{made:?}");
    pool.close().await;
    place.marker.wait_for(0);

    let Some(pool) = connect("BECKET_TEST_MCP_MEMORY", &[], &env, &place).await else { return };
    let found = call(&pool, "search_nodes", json!({"query": "turbulent"})).await.unwrap();
    let structured = found.structured.unwrap();
    assert_eq!(structured["entities"][0]["name"], "Becket", "{structured}");
    pool.close().await;
    place.marker.wait_for(0);
}

// rules: H6, X1, X7
#[tokio::test]
async fn the_git_server_commits() {
    let place = Place::new();
    let yard = place.dir.path().join("yard");
    let git = |args: &[&str]| {
        let mut command = Command::new("git");
        command.args(["-c", "user.name=a", "-c", "user.email=a@localhost", "-C"]).arg(&yard).args(args);
        assert!(command.output().unwrap().status.success(), "{args:?}");
    };
    std::fs::create_dir(&yard).unwrap();
    git(&["init", "--quiet", "--initial-branch=main"]);
    git(&["commit", "--quiet", "--allow-empty", "--message=first"]);
    std::fs::write(yard.join("new.txt"), "new").unwrap();
    let at = json!(yard);
    let args = ["--repository", yard.to_str().unwrap()];
    let Some(pool) = connect("BECKET_TEST_MCP_GIT", &args, &[], &place).await else { return };
    let status = call(&pool, "git_status", json!({"repo_path": at})).await.unwrap();
    assert!(status.text().contains("new.txt"), "{status:?}");
    let log = call(&pool, "git_log", json!({"repo_path": at, "max_count": 1})).await.unwrap();
    assert!(log.text().contains("first"), "{log:?}");
    let elsewhere = call(&pool, "git_status", json!({"repo_path": place.dir.path()})).await.unwrap();
    assert!(elsewhere.is_error, "{elsewhere:?}");
    pool.close().await;
    place.marker.wait_for(0);
}

// rules: X1, X2, X7
#[tokio::test]
async fn a_server_that_dies_at_start_says_why() {
    let place = Place::new();
    let Some(pool) = connect("BECKET_TEST_MCP_SQLITE", &[], &[], &place).await else { return };
    let why = why(&pool, "it").to_string();
    assert!(why.starts_with("it exited with 1, before it answered `initialize`"), "{why}");
    assert!(
        why.contains("its stderr ends with:") && why.contains("AttributeError: 'Server' object"),
        "{why}"
    );
    let error = call(&pool, "list_tables", nothing()).await.unwrap_err().to_string();
    assert!(error.contains("`it` is not connected") && error.contains("AttributeError"), "{error}");
    pool.close().await;
    place.marker.wait_for(0);
}
