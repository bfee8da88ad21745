//! Connecting: the outcome of each server, and that a failure of one does not affect the others.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests fail by panicking")]

use becket_testkit::wait::{holds_for, until};
use std::time::{Duration, Instant};

use crate::common::{
    LONG, Place, SHORT, call, call_connected, nothing, object, ours, program, state, tools, why,
};
use becket_mcp::config::{self, ConfiguredServer, Transport};
use becket_mcp::{CancellationToken, ConnectError, ServerState};
use serde_json::json;

// rules: X1, X2
#[tokio::test]
async fn a_server_is_told_who_connects_and_asked_for_all_its_tools() {
    let place = Place::new();
    let pool = place.connect(&[]).await;
    let names: Vec<String> = tools(&pool).iter().map(|tool| tool.name.clone()).collect();
    assert_eq!((names.len(), names[0].as_str(), names[28].as_str()), (29, "echo", "strange"));

    let got = place.got();
    let methods: Vec<&str> = got.iter().map(|message| message["method"].as_str().unwrap()).collect();
    assert_eq!(
        methods,
        ["initialize", "notifications/initialized", "tools/list", "tools/list", "tools/list"]
    );
    let params = &got[0]["params"];
    assert_eq!(params["clientInfo"]["name"], "becket");
    assert_eq!(params["clientInfo"]["version"], env!("CARGO_PKG_VERSION"));
    assert_eq!(params["capabilities"], json!({}));
    assert_eq!(params["protocolVersion"], "2025-11-25");
    pool.close().await;
}

// rule: X7
#[tokio::test]
async fn a_server_gets_its_environment_its_directory_and_nothing_else() {
    let place = Place::new();
    std::fs::create_dir(place.dir.path().join("sub")).unwrap();
    let mut configured = ours("it", &[]);
    let Transport::Stdio(config) = &mut configured.config.as_mut().unwrap().transport else { panic!() };
    config.cwd = Some("sub".into());
    config.env = vec![("LANG".into(), "C.UTF-8".into()), ("LOG".into(), "".into())];
    let pool = place.start(vec![configured]).await;
    let text = call(&pool, "environment", nothing()).await.unwrap().text();
    let who = object(serde_json::from_str(&text).unwrap());
    let environment = object(who["environment"].clone());
    let mut names: Vec<&str> = environment.keys().map(String::as_str).collect();
    names.sort_unstable();
    // The interpreter adds LC_CTYPE if no locale is set; here one is.
    assert_eq!(
        names,
        ["BECKET_MCP_SERVER", "BECKET_TEST_MARK", "LANG", "LOG", "PATH", "PYTHONDONTWRITEBYTECODE"]
    );
    assert_eq!(who["environment"]["LOG"], "");
    let sub = place.dir.path().canonicalize().unwrap().join("sub");
    assert_eq!(who["cwd"].as_str().map(std::path::Path::new), Some(sub.as_path()));
    assert_eq!(who["leads"], true);
    pool.close().await;
}

/// The misbehaviour of `server.py`, and the beginning of the error.
const FAILURES: [(&str, &str); 10] = [
    (
        "--die",
        "it exited with 7, before it answered `initialize`; its stderr ends with: can't find my database",
    ),
    (
        "--hang-initialize",
        "it did not answer `initialize` within 1 s: check that it speaks MCP over this transport",
    ),
    (
        "--hang-list",
        "it did not answer `tools/list` within 1 s: check that it speaks MCP over this transport",
    ),
    (
        "--garbage",
        "it did not answer `initialize` within 1 s: check that it speaks MCP over this transport; its stdout has `Welcome to the \
         shell of 1979`, which is not a message",
    ),
    (
        "--endless-line",
        "it wrote a line of more than 16777216 bytes, the most that a message may have, before it answered `initialize`",
    ),
    ("--refuse-all", "it refuses `initialize`: initialize is not known here (-32601)"),
    ("--bad-discover", "its answer to `initialize` breaks the protocol: "),
    (
        "--old-version",
        "its answer to `initialize` breaks the protocol: it speaks version `1999-01-01`, which",
    ),
    ("--same-cursor", "its answer to `tools/list` breaks the protocol: the cursor `again` comes twice"),
    ("--endless-cursor", "its answer to `tools/list` breaks the protocol: it has more than 100 pages"),
];

// rule: X2
#[tokio::test]
async fn each_way_of_failing_has_its_own_words() {
    for (flag, begins) in FAILURES {
        let mut place = Place::new();
        // Only servers that hang come near it; the others must not be cancelled for being slow.
        let hangs = begins.contains("within 1 s");
        place.options.connect_timeout = if hangs { Duration::from_secs(1) } else { LONG };
        let start = Instant::now();
        let pool = place.connect(&[flag]).await;
        assert!(!hangs || start.elapsed() < LONG, "{flag}: {:?}", start.elapsed());
        let why = why(&pool, "it").to_string();
        assert!(why.starts_with(begins), "{flag}: {why}");
        let error = call_connected(&pool, "echo", nothing()).await.unwrap_err().to_string();
        assert_eq!(error, format!("the MCP server `it` is not connected: {why}"));
        pool.close().await;
        place.marker.wait_for(0);
    }
}

#[tokio::test]
async fn a_program_that_is_not_there_is_told_from_one_that_ends() {
    let place = Place::new();
    let pool = [
        ("missing", "no-such-program-at-all", vec![]),
        ("ends", "true", vec![]),
        ("signal", "sh", vec!["-c".into(), "kill -9 $$".into()]),
    ];
    let configured =
        pool.map(|(name, command, args)| ConfiguredServer::of_host(name, program(command, args)));
    let pool = place.start(configured.into()).await;
    let whys = ["missing", "ends", "signal"].map(|name| why(&pool, name).to_string());
    assert!(whys[0].starts_with("program `no-such-program-at-all` was not found"), "{}", whys[0]);
    assert_eq!(whys[1], "it exited with 0, before it answered `initialize`");
    assert_eq!(whys[2], "signal 9 ended it, before it answered `initialize`");
    pool.close().await;
}

#[tokio::test]
async fn a_server_of_the_newer_lifecycle_is_reached_as_well() {
    let place = Place::new();
    let pool = place.connect(&["--discover"]).await;
    assert_eq!(call(&pool, "text", nothing()).await.unwrap().text(), "one\ntwo");
    let discover = place.wait_for("server/discover").await;
    let meta = &discover["params"]["_meta"];
    assert_eq!(meta["io.modelcontextprotocol/clientInfo"]["name"], "becket");
    pool.close().await;
}

#[tokio::test]
async fn a_server_without_tools_is_not_asked_for_them() {
    let place = Place::new();
    let pool = place.connect(&["--no-tools"]).await;
    assert!(tools(&pool).is_empty());
    let error = call(&pool, "echo", nothing()).await.unwrap_err().to_string();
    assert_eq!(error, "the MCP server `it` has no tool `echo`: its tools are: none");
    assert!(place.got().iter().all(|message| message["method"] != "tools/list"));
    pool.close().await;
}

// rule: X2
#[tokio::test]
async fn one_servers_trouble_is_nobody_elses() {
    let mut place = Place::new();
    place.options.connect_timeout = Duration::from_secs(10);
    let text = r#"{"mcpServers": {"far": {"type": "sdk"}}}"#;
    let mut configured = config::read(text, ".mcp.json".as_ref(), &[]).unwrap();
    configured.extend([ours("dies", &["--die"]), ours("hangs", &["--hang-initialize"]), ours("it", &[])]);
    let pool = place.start(configured).await;
    let outcomes: Vec<(String, bool)> = pool
        .servers()
        .into_iter()
        .map(|view| (view.name, matches!(view.state, ServerState::Connected { .. })))
        .collect();
    let expected = [("far", false), ("dies", false), ("hangs", false), ("it", true)];
    assert_eq!(outcomes, expected.map(|(name, connected)| (name.to_owned(), connected)));
    assert_eq!(call(&pool, "text", nothing()).await.unwrap().text(), "one\ntwo");
    let far = why(&pool, "far").to_string();
    assert_eq!(far, "the host has no server of this name in its process");
    pool.close().await;
}

// rule: X2
#[tokio::test]
async fn no_more_servers_connect_at_once_than_there_are_lanes() {
    let place = Place::new();
    let configured = (0..4).map(|n| ours(&n.to_string(), &["--hang-initialize"])).collect();
    let (pool, cancel) = (place.pool(configured), CancellationToken::new());
    let connecting = pool.start(&cancel);
    let watching = async {
        until("two connect", || place.got().len() >= 2).await;
        assert!(holds_for(SHORT, || place.got().len() == 2).await, "{:#?}", place.got());
        assert_eq!(place.marker.alive().len(), 2);
    };
    tokio::select! {
        () = connecting => panic!("connected"),
        () = watching => {}
    }
}

// rule: X2
#[tokio::test]
async fn connecting_can_be_cancelled() {
    let place = Place::new();
    let cancel = CancellationToken::new();
    let configured = (0..3).map(|n| ours(&n.to_string(), &["--hang-initialize"])).collect();
    let pool = place.pool(configured);
    let connecting = pool.start(&cancel);
    let cancelling = async {
        until("two connect", || place.got().len() >= 2).await;
        cancel.cancel();
    };
    tokio::join!(connecting, cancelling);
    for view in pool.servers() {
        let ServerState::Failed { why } = view.state else { panic!("{view:?}") };
        assert!(matches!(*why, ConnectError::Cancelled), "{why}");
    }
    pool.close().await;
    place.marker.wait_for(0);
    // The third one had no lane.
    assert_eq!(place.got().len(), 2, "{:#?}", place.got());
}

#[tokio::test]
async fn a_cancelled_host_starts_nothing() {
    let place = Place::new();
    let cancel = CancellationToken::new();
    cancel.cancel();
    let pool = place.pool(vec![ours("it", &[])]);
    pool.start(&cancel).await;
    assert!(matches!(state(&pool, "it"), ServerState::Waiting));
    assert!(holds_for(SHORT, || place.got().is_empty()).await, "{:#?}", place.got());
}
