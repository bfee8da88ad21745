//! The tools for resources, with a real MCP server and real hooks.

#![expect(clippy::unwrap_used, clippy::panic, reason = "tests fail by panicking")]

use crate::support::calls::{LONG, Place, call_of, hooks, run};
use becket_agent::tool_call::{CallEnd, Report, ToolCalls};
use becket_engine::{CancellationToken, ToolOutput, ToolSet};
use becket_llm::Block;
use becket_mcp::{Options, Pool, config};
use becket_tools::Surroundings;
use becket_tools::mcp::McpServers;
use serde_json::{Value, json};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;

const LIST: &str = "ListMcpResourcesTool";
const READ: &str = "ReadMcpResourceTool";

/// A session with the tools for the resources of two servers: `notes`, and `bare`, which offers none.
struct Session {
    place: Place,
    pool: Pool,
    tools: ToolCalls,
    toolbox: ToolSet,
}

impl Session {
    async fn new(settings: &Value) -> Self {
        let place = Place::new();
        let pool = pool(&place, &[("notes", &["resources"]), ("bare", &[])]);
        pool.start(&CancellationToken::new()).await;
        let servers = McpServers::new(pool.clone(), place.dir.join("kept"));
        let toolbox = ToolSet::new(servers.resource_tools(&Surroundings::new(place.environment())));
        let engine = place.engine(settings, false, &toolbox);
        let tools = ToolCalls::new(engine, toolbox.clone()).with_limit(LONG);
        Self { place, pool, tools, toolbox }
    }

    async fn call(&self, tool: &str, input: Value) -> Report {
        run(&self.tools, &self.place.session(Some("default")), call_of(tool, input)).await
    }

    async fn read(&self, uri: &str) -> Report {
        self.call(READ, json!({"server": "notes", "uri": uri})).await
    }

    /// Returns the URIs that the server was asked for.
    fn asked_for(&self) -> Vec<String> {
        self.place.read("log").lines().map(str::to_owned).collect()
    }
}

/// Returns a pool with servers by their names and arguments.
fn pool(place: &Place, servers: &[(&str, &[&str])]) -> Pool {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/servers/resources.py");
    let entry = |arguments: &[&str]| {
        let all: Vec<&str> = std::iter::once(script).chain(arguments.iter().copied()).collect();
        json!({"command": "python3", "args": all})
    };
    let all: serde_json::Map<String, Value> =
        servers.iter().map(|(name, arguments)| ((*name).to_owned(), entry(arguments))).collect();
    let path = PathBuf::from("/usr/local/bin:/usr/bin:/bin");
    let environment: Vec<(OsString, OsString)> = [("PATH", path), ("LOG", place.dir.join("log"))]
        .map(|(name, value)| (name.into(), value.into()))
        .into();
    let file = json!({"mcpServers": all}).to_string();
    let configured = config::read(&file, ".mcp.json".as_ref(), &environment).unwrap();
    let mut options = Options::new(environment, &place.dir);
    options.connect_timeout = LONG;
    let pool = Pool::new(options, Arc::new(()));
    pool.configure(configured);
    pool
}

fn done(report: &Report) -> &ToolOutput {
    let CallEnd::Done { output } = &report.ended else { panic!("{:?}", report.ended) };
    output
}

fn is_denied(report: &Report) -> bool {
    matches!(report.ended, CallEnd::Denied { .. })
}

// rule: X8
#[tokio::test]
async fn the_tools_exist_while_a_connected_server_offers_resources() {
    let session = Session::new(&json!({})).await;
    let names = |toolbox: &ToolSet| -> Vec<String> {
        toolbox.all().iter().map(|tool| tool.name().to_owned()).collect()
    };
    assert_eq!(names(&session.toolbox), [LIST, READ]);
    session.pool.close().await;
    let place = Place::new();
    let without = pool(&place, &[("bare", &[])]);
    without.start(&CancellationToken::new()).await;
    let servers = McpServers::new(without.clone(), &place.dir);
    assert!(servers.resource_tools(&Surroundings::new(place.environment())).is_empty());
    without.close().await;
}

// rules: X8, L1
#[tokio::test]
async fn resources_are_listed_and_read_unasked_and_hooks_see_both() {
    let seen = "cat >> $HERE/seen";
    let session = Session::new(&hooks(&[("PreToolUse", &[seen]), ("PostToolUse", &[seen])])).await;
    let listed = session.call(LIST, json!({})).await;
    let first = json!({"uri": "note://1", "name": "one", "server": "notes", "mimeType": "text/plain",
        "description": "the first note"});
    assert_eq!(done(&listed).response[0], first);
    assert_eq!(done(&listed).response.as_array().unwrap().len(), 4);
    assert!(done(&listed).as_text().starts_with(&first.to_string()), "{}", done(&listed).as_text());
    let read = session.read("note://1").await;
    let part = json!({"uri": "note://1", "mimeType": "text/plain", "text": "text of note://1"});
    assert_eq!(done(&read).response, json!({"contents": [part]}));
    assert_eq!(done(&read).as_text(), "[resource `note://1`, text/plain]\ntext of note://1");
    let seen: Vec<Value> =
        session.place.read("seen").lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let names: Vec<&Value> = seen.iter().map(|event| &event["tool_name"]).collect();
    assert_eq!(names, [LIST, LIST, READ, READ]);
    assert_eq!(seen[2]["tool_input"], json!({"server": "notes", "uri": "note://1"}));
    assert_eq!(seen[3]["tool_response"], json!({"contents": [part]}));
    session.pool.close().await;
}

// rule: X8
#[tokio::test]
async fn bytes_go_to_files_and_long_texts_too() {
    let session = Session::new(&json!({})).await;
    let read = session.read("note://both").await;
    let parts = done(&read).response["contents"].as_array().unwrap();
    let saved = |part: &Value| std::fs::read(part["blobSavedTo"].as_str().unwrap()).unwrap();
    assert!(saved(&parts[0]).starts_with(b"\x89PNG") && parts[0].get("text").is_none(), "{parts:?}");
    assert_eq!((saved(&parts[1]), &parts[1]["mimeType"]), (b"\0\x01zip".to_vec(), &json!("application/zip")));
    assert!(Path::new(parts[1]["blobSavedTo"].as_str().unwrap()).starts_with(session.place.dir.join("kept")));
    assert!(parts[2]["text"].as_str().unwrap().starts_with("[left out: "), "{parts:?}");
    assert_eq!(parts[3]["text"], "and a text");
    let text = done(&read).as_text();
    assert!(
        text.contains(parts[0]["blobSavedTo"].as_str().unwrap()) && text.ends_with("\nand a text"),
        "{text}"
    );
    let long = session.read("note://long").await;
    let [Block::Text(shown)] = done(&long).content.as_slice() else { panic!("{:?}", done(&long).content) };
    assert!(shown.len() < 20_000 && shown.contains("All of them are in the file"), "{shown}");
    assert_eq!(done(&long).response["contents"][0]["text"].as_str().unwrap().len(), 500_000);
    assert_eq!(done(&session.read("note://none").await).as_text(), "The resource is empty.");
    session.pool.close().await;
}

// rules: P7, P14, X8
#[tokio::test]
async fn rules_for_files_hold_for_resources_and_files_elsewhere_need_a_question() {
    let settings = json!({"permissions": {"deny": ["Read(./secret/**)"]}});
    let session = Session::new(&settings).await;
    let here = session.place.dir.display().to_string();
    for (uri, denied) in [
        (format!("file://{here}/open.txt"), false),
        (format!("file://{here}/secret/key"), true),
        (format!("file://{here}/sec%72et/key"), true),
        (format!("FILE:{here}/secret/key"), true),
        (format!("file://{here}/../elsewhere"), true),
        ("file:///etc/passwd".to_owned(), true),
        ("/etc/passwd".to_owned(), true),
        ("~/.ssh/id".to_owned(), true),
        ("open.txt".to_owned(), false),
        ("https://example.org/".to_owned(), true),
        ("db://table/1".to_owned(), false),
    ] {
        let before = session.asked_for().len();
        let report = session.read(&uri).await;
        assert_eq!(is_denied(&report), denied, "{uri}: {:?}", report.ended);
        assert_eq!(session.asked_for().len() - before, usize::from(!denied), "{uri}");
    }
    session.pool.close().await;
}

// rule: X8
#[tokio::test]
async fn wrong_names_and_inputs_are_errors_that_say_what_is_right() {
    let session = Session::new(&json!({})).await;
    let unknown = session.call(READ, json!({"server": "note", "uri": "note://1"})).await;
    let CallEnd::Failed { error, .. } = &unknown.ended else { panic!("{:?}", unknown.ended) };
    assert!(error.contains("no MCP server `note`") && error.contains("`notes`"), "{error}");
    let unknown = session.call(LIST, json!({"server": "none"})).await;
    assert!(matches!(&unknown.ended, CallEnd::Failed { error, .. } if error.contains("`none`")));
    assert_eq!(done(&session.call(LIST, json!({"server": "bare"})).await).response, json!([]));
    for (tool, input) in [(READ, json!({"server": "notes"})), (LIST, json!({"servers": "notes"}))] {
        assert!(matches!(session.call(tool, input).await.ended, CallEnd::Invalid { .. }));
    }
    session.pool.close().await;
}

// rule: D11
#[tokio::test]
async fn a_hook_replaces_an_answer_by_one_of_its_shape_only() {
    let replacing = |output: &Value| {
        let answer =
            json!({"hookSpecificOutput": {"hookEventName": "PostToolUse", "updatedToolOutput": output}});
        hooks(&[("PostToolUse", &[&format!("echo '{answer}'")])])
    };
    let other = json!({"contents": [{"uri": "note://1", "text": "redacted"}]});
    for (output, shown) in [(&other, "redacted"), (&json!({"contents": [{"text": "x"}]}), "text of note://1")]
    {
        let session = Session::new(&replacing(output)).await;
        let read = session.read("note://1").await;
        assert!(done(&read).as_text().ends_with(shown), "{}", done(&read).as_text());
        session.pool.close().await;
    }
}
