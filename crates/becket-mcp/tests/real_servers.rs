//! Servers that other people wrote: `mcp-server-time` (Python, the official SDK) and `server-everything` (TypeScript).
//!
//! `cargo xtask test` installs them and says where they are. Without that these tests fail, unless it has said why a
//! server can't be had.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests fail by panicking")]

mod common;

use std::ffi::OsString;
use std::time::Duration;

use becket_mcp::config::Configured;
use becket_mcp::{CallError, CancellationToken, Content, Servers};
use common::{LONG, Place, SHORT, call, call_for, nothing, of_it, program, tools};
use serde_json::{Value, json};

/// The server that a variable names; none where there is a reason that it is missing.
#[expect(clippy::disallowed_methods, reason = "what was installed is known to who started the tests")]
#[expect(clippy::print_stdout, reason = "who started the tests is told what was skipped")]
async fn connect(variable: &str, place: &Place) -> Option<Servers> {
    let Ok(command) = std::env::var(variable) else {
        let reason = std::env::var("BECKET_TEST_MCP_SKIP").unwrap_or_else(|_| {
            panic!("`{variable}` is not set: run `cargo xtask test`, which installs the servers")
        });
        println!("SKIPPED: {reason}");
        return None;
    };
    let mut words = serde_json::from_str::<Vec<String>>(&command).unwrap().into_iter().map(OsString::from);
    let config = program(words.next().unwrap(), words.collect());
    let configured = vec![Configured { name: "it".into(), config: Ok(config) }];
    Some(Servers::connect(configured, &place.options, &CancellationToken::new()).await)
}

// rules: H6, X1, X7
#[tokio::test]
async fn the_time_server_tells_the_time() {
    let place = Place::new();
    let Some(servers) = connect("BECKET_TEST_MCP_TIME", &place).await else { return };
    let names: Vec<String> = tools(&servers).iter().map(|tool| tool.name.clone()).collect();
    assert_eq!(names, ["get_current_time", "convert_time"]);
    let input = json!({"source_timezone": "UTC", "time": "12:00", "target_timezone": "Asia/Kolkata"});
    let converted = call(&servers, "convert_time", input).await.unwrap();
    let told: Value = serde_json::from_str(&converted.text()).unwrap();
    assert_eq!(told["time_difference"], "+5.5h");
    assert!(!converted.is_error);

    let nowhere = json!({"timezone": "Nowhere/Land"});
    match call(&servers, "get_current_time", nowhere).await {
        Ok(result) => assert!(result.is_error && result.text().contains("Nowhere"), "{result:?}"),
        Err(error) => assert!(matches!(error, CallError::Refused { .. }), "{error}"),
    }
    servers.close().await;
    place.marker.wait_for(0);
}

// rules: H6, X1, X7
#[tokio::test]
async fn the_everything_server_answers_in_every_kind() {
    let place = Place::new();
    let Some(servers) = connect("BECKET_TEST_MCP_EVERYTHING", &place).await else { return };
    let echoed = call(&servers, "echo", json!({"message": "héllo"})).await.unwrap();
    assert_eq!(echoed.text(), "Echo: héllo");
    let image = call(&servers, "get-tiny-image", nothing()).await.unwrap();
    let kinds: Vec<&str> = image.content.iter().map(Content::kind).collect();
    assert_eq!(kinds, ["text", "image", "text"]);
    let structured = call(&servers, "get-structured-content", json!({"location": "New York"})).await.unwrap();
    assert!(structured.structured.is_some_and(|value| value["temperature"].is_number()));
    let links = call(&servers, "get-resource-links", json!({"count": 2})).await.unwrap();
    assert_eq!(links.content.iter().filter(|block| block.kind() == "resource_link").count(), 2);
    servers.close().await;
    place.marker.wait_for(0);
}

// rules: H6, X2
#[tokio::test]
async fn a_long_call_is_given_up_and_the_next_one_works() {
    let place = Place::new();
    let Some(servers) = connect("BECKET_TEST_MCP_EVERYTHING", &place).await else { return };
    let long = json!({"duration": 1000, "steps": 1000});
    let error = call_for(&servers, "trigger-long-running-operation", long.clone(), SHORT).await.unwrap_err();
    assert!(matches!(error, CallError::TimedOut { .. }), "{error}");
    let cancel = CancellationToken::new();
    let running = servers.call(of_it("trigger-long-running-operation", long, LONG), &cancel);
    let cancelling = async {
        tokio::time::sleep(Duration::from_millis(100)).await;
        cancel.cancel();
    };
    let (ended, ()) = tokio::join!(running, cancelling);
    assert!(matches!(ended, Err(CallError::Cancelled { .. })), "{ended:?}");
    assert_eq!(call(&servers, "echo", json!({"message": "a"})).await.unwrap().text(), "Echo: a");
    servers.close().await;
    place.marker.wait_for(0);
}
