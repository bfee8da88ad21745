//! Calls of a real MCP server with real hooks, and the questions that it asks in between.

#![expect(clippy::unwrap_used, clippy::panic, reason = "tests fail by panicking")]

use crate::support::calls::{LONG, Person, Place, Probe, Says, call_of, hooks, run};
use crate::support::until;
use becket_agent::elicit::McpHost;
use becket_agent::tool_call::{CallEnd, DeniedBy, Report, ToolCalls};
use becket_engine::{CancellationToken, Engine, ToolSet};
use becket_llm::Block;
use becket_mcp::config::ConfiguredServer;
use becket_mcp::{NameWarning, Options, Pool, config};
use becket_tools::mcp::{HookCalls, McpServers};
use serde_json::{Value, json};
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;

const LONG_NAME: &str = "mcp__it__a_name_that_is_longer_than_any_model_takes_and_so_has_to_be_cut_short";

/// A session with a connected server `it`.
struct Session {
    place: Place,
    pool: Pool,
    engine: Engine,
    tools: ToolCalls,
    toolbox: ToolSet,
    warnings: Vec<NameWarning>,
}

impl Session {
    async fn new(settings: &Value, person: Option<Person>) -> Self {
        let (place, host) = (Place::new(), McpHost::new());
        let pool = pool(&place, &host);
        pool.start(&CancellationToken::new()).await;

        let servers = McpServers::new(pool.clone(), place.dir.join("kept"));
        let listed = servers.tools();
        let toolbox = ToolSet::new(listed.tools);
        let builder = place.builder(settings).interactive(person.is_some()).tools(toolbox.clone());
        let engine = builder.mcp_tools(HookCalls::new(pool.clone())).build().unwrap();
        let mut tools = ToolCalls::new(engine.clone(), toolbox.clone()).with_limit(LONG);
        if let Some(person) = person {
            tools = tools.with_person(person);
        }
        let session = place.session(None);
        host.ready(engine.clone(), move || session.clone());
        Self { place, pool, engine, tools, toolbox, warnings: listed.warnings }
    }

    async fn call(&self, tool: &str, input: Value) -> Report {
        run(&self.tools, &self.place.session(None), call_of(tool, input)).await
    }

    /// Returns the calls that reached the server: tool and input.
    fn reached(&self) -> Vec<(String, Value)> {
        let call = |line: &str| {
            let message: Value = serde_json::from_str(line).unwrap();
            let params = &message["params"];
            (message["method"] == "tools/call")
                .then(|| (params["name"].as_str().unwrap().to_owned(), params["arguments"].clone()))
        };
        self.place.read("log").lines().filter_map(call).collect()
    }
}

/// Returns a pool with the server `it`, not connected yet.
fn pool(place: &Place, host: &McpHost) -> Pool {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/servers/server.py");
    let file = json!({"mcpServers": {"it": {"command": "python3", "args": [script]}}}).to_string();
    let path = PathBuf::from("/usr/local/bin:/usr/bin:/bin");
    let environment: Vec<(OsString, OsString)> = [("PATH", path), ("LOG", place.dir.join("log"))]
        .map(|(name, value)| (name.into(), value.into()))
        .into();
    let configured: Vec<ConfiguredServer> = config::read(&file, ".mcp.json".as_ref(), &environment).unwrap();
    let mut options = Options::new(environment, &place.dir);
    options.connect_timeout = LONG;
    let pool = Pool::new(options, Arc::new(host.clone()));
    pool.configure(configured);
    pool
}

fn done(report: &Report) -> String {
    let CallEnd::Done { output } = &report.ended else { panic!("{:?}", report.ended) };
    output.as_text()
}

fn allowing(mut settings: Value) -> Value {
    settings["permissions"] = json!({"allow": ["mcp__it"]});
    settings
}

fn command_hook(script: &str, condition: Option<&str>) -> Value {
    json!({"type": "command", "command": script, "if": condition.unwrap_or_default()})
}

fn mcp_hook(tool: &str) -> Value {
    json!([{"hooks": [{"type": "mcp_tool", "server": "it", "tool": tool, "input": {"text": "of the hook"}, "timeout": 20}]}])
}

// rules: L1, X5, N1
#[tokio::test]
async fn hooks_see_the_server_and_the_blocks_of_the_answer() {
    let seen = "cat >> $HERE/seen";
    let settings = allowing(hooks(&[("PreToolUse", &[seen]), ("PostToolUse", &[seen])]));
    let session = Session::new(&settings, None).await;
    let report = session.call("mcp__it__echo", json!({"n": 7})).await;
    assert_eq!(done(&report), r#"{"n": 7}"#);
    assert_eq!(session.reached(), [("echo".to_owned(), json!({"n": 7}))]);
    let seen: Vec<Value> =
        session.place.read("seen").lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(seen.len(), 2);
    for event in &seen {
        assert_eq!(event["tool_name"], "mcp__it__echo");
        assert_eq!(event["mcp_server"]["name"], "it");
        assert!(event["mcp_server"]["source"].is_string());
    }
    assert_eq!(seen[1]["tool_response"], json!([{"type": "text", "text": r#"{"n": 7}"#}]));
    session.pool.close().await;
}

// rule: X5
#[tokio::test]
async fn pictures_reach_the_model_and_a_tool_that_says_that_it_failed_has_failed() {
    let told =
        "python3 -c 'import json,sys; print(json.load(sys.stdin)[\"error\"], file=sys.stderr); sys.exit(2)'";
    let settings =
        allowing(hooks(&[("PostToolUse", &["touch $HERE/wrong"]), ("PostToolUseFailure", &[told])]));
    let session = Session::new(&settings, None).await;
    let report = session.call("mcp__it__fails", json!({})).await;
    let CallEnd::Failed { error, .. } = &report.ended else { panic!("{:?}", report.ended) };
    assert_eq!(error, "it did not work");
    assert!(report.beside()[0].ends_with(": it did not work"), "{:?}", report.beside());
    assert!(!session.place.dir.join("wrong").exists());

    let report = session.call("mcp__it__picture", json!({})).await;
    let (content, is_error) = report.for_model();
    let [Block::Text(text), Block::Image { media_type, .. }] = content.as_slice() else {
        panic!("{content:?}")
    };
    assert_eq!((text.as_str(), media_type.as_str(), is_error), ("look", "image/png", false));
    session.pool.close().await;
}

// rules: D11, X5
#[tokio::test]
async fn a_hook_puts_another_answer_in_the_place_of_the_servers() {
    for (field, value, expected) in [
        ("updatedMCPToolOutput", json!("[redacted]"), "[redacted]"),
        (
            "updatedMCPToolOutput",
            json!([{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]),
            "a\nb",
        ),
        ("updatedToolOutput", json!({"a": 1}), r#"{"a":1}"#),
        ("updatedMCPToolOutput", json!(7), r#"{"n": 7}"#),
    ] {
        let answer = json!({"hookSpecificOutput": {"hookEventName": "PostToolUse", field: value}});
        let hook = format!("cat <<'END'\n{answer}\nEND");
        let session = Session::new(&allowing(hooks(&[("PostToolUse", &[&hook])])), None).await;
        let report = session.call("mcp__it__echo", json!({"n": 7})).await;
        assert_eq!(done(&report), expected, "{answer}");
        assert_eq!(report.warnings.len(), usize::from(value == 7), "{:?}", report.warnings);
        session.pool.close().await;
    }
}

// rules: D3, L1, P2, P1
#[tokio::test]
async fn what_is_denied_never_reaches_the_server() {
    let deny = hooks(&[("PreToolUse", &["exit 2"])]);
    let mut rule = allowing(json!({}));
    rule["permissions"]["deny"] = json!(["mcp__it__echo(n:7)"]);
    let mut whole = allowing(json!({}));
    whole["permissions"]["deny"] = json!(["mcp__it"]);
    for (settings, tool, by) in [
        (allowing(deny), "mcp__it__echo", Some(DeniedBy::Hook)),
        (rule, "mcp__it__echo", Some(DeniedBy::Rule)),
        (json!({}), "mcp__it__echo", Some(DeniedBy::Nobody)),
        (whole, "mcp__it__echo", None),
        (allowing(json!({})), "mcp__it__nothing", None),
    ] {
        let session = Session::new(&settings, None).await;
        let report = session.call(tool, json!({"n": 7})).await;
        match (&report.ended, by) {
            (CallEnd::Denied { by, .. }, Some(expected)) => assert_eq!(*by, expected),
            (CallEnd::Invalid { .. }, None) => assert!(report.outcomes.is_empty()),
            (ended, _) => panic!("{settings}: {ended:?}"),
        }
        assert_eq!(session.reached(), []);
        session.pool.close().await;
    }
}

// rules: D9, L0
#[tokio::test]
async fn a_rewrite_is_held_to_the_servers_schema_and_so_is_the_model() {
    for (input, fits) in [(json!({"n": 8}), true), (json!({"n": "eight"}), false)] {
        let answer = json!({"hookSpecificOutput": {"hookEventName": "PreToolUse", "updatedInput": input}});
        let hook = format!("cat <<'END'\n{answer}\nEND");
        let session = Session::new(&allowing(hooks(&[("PreToolUse", &[&hook])])), None).await;
        let report = session.call("mcp__it__echo", json!({"n": 7})).await;
        assert_eq!(matches!(report.ended, CallEnd::Done { .. }), fits, "{:?}", report.ended);
        let reached = if fits { vec![("echo".to_owned(), json!({"n": 8}))] } else { vec![] };
        assert_eq!(session.reached(), reached);
        let report = session.call("mcp__it__echo", json!({"n": "seven"})).await;
        assert!(matches!(report.ended, CallEnd::Invalid { .. }), "{:?}", report.ended);
        session.pool.close().await;
    }
}

// rules: D3, X5
#[tokio::test]
async fn a_tool_that_wants_a_person_gets_one() {
    let answer =
        r#"echo '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow"}}'"#;
    let person = Person::new(Says::No);
    let session = Session::new(&hooks(&[("PreToolUse", &[answer])]), Some(person.clone())).await;
    assert_eq!(done(&session.call("mcp__it__echo", json!({})).await), "{}");
    assert_eq!(person.asked(), 0);
    let report = session.call("mcp__it__personal", json!({})).await;
    assert!(matches!(report.ended, CallEnd::Denied { by: DeniedBy::Person, .. }), "{:?}", report.ended);
    assert_eq!(person.asked(), 1);
    let suggested = person.seen.lock().unwrap()[0].suggestions[0].to_json();
    assert_eq!(suggested["rules"][0]["toolName"], "mcp__it__personal");
    session.pool.close().await;
}

// rules: X5, P2
#[tokio::test]
async fn a_rule_for_a_name_that_was_cut_still_denies() {
    let mut settings = allowing(json!({}));
    settings["permissions"]["deny"] = json!([LONG_NAME]);
    for (settings, denied) in [(allowing(json!({})), false), (settings, true)] {
        let session = Session::new(&settings, None).await;
        let tools = session.toolbox.all();
        let cut = tools.iter().find(|tool| tool.other_name().is_some()).unwrap();
        assert_eq!((cut.name().len(), cut.other_name()), (64, Some(LONG_NAME)));
        assert_eq!(session.warnings.len(), 1);
        let offered = session.engine.host().offered_tools(&session.toolbox);
        assert_eq!(offered.iter().any(|spec| spec.name == cut.name()), !denied);
        let report = session.call(cut.name(), json!({})).await;
        assert_eq!(matches!(report.ended, CallEnd::Done { .. }), !denied, "{:?}", report.ended);
        assert_eq!(session.reached().len(), usize::from(!denied));
        session.pool.close().await;
    }
}

// rules: X5, P6, M9
#[tokio::test]
async fn a_guard_for_a_name_that_was_cut_still_guards() {
    let of_matcher = |name: &str| json!([{"matcher": name, "hooks": [command_hook("exit 2", None)]}]);
    let of_condition = |name: &str| json!([{"hooks": [command_hook("exit 2", Some(name))]}]);
    for (guards, denied) in [
        (of_matcher(LONG_NAME), true),
        (of_condition(LONG_NAME), true),
        (of_matcher("mcp__it__echo"), false),
        (of_condition("mcp__it__echo"), false),
    ] {
        let session = Session::new(&allowing(json!({"hooks": {"PreToolUse": guards}})), None).await;
        let tools = session.toolbox.all();
        let cut = tools.iter().find(|tool| tool.other_name().is_some()).unwrap();
        let report = session.call(cut.name(), json!({})).await;
        assert_eq!(matches!(report.ended, CallEnd::Done { .. }), !denied, "{guards} {:?}", report.ended);
        assert_eq!(session.reached().len(), usize::from(!denied), "{guards}");
        session.pool.close().await;
    }
}

// rule: X5
#[tokio::test]
async fn calls_that_read_only_run_together_and_count_as_reading_where_the_user_trusts_the_server() {
    let session = Session::new(&json!({}), None).await;
    let echo = session.toolbox.find("mcp__it__echo").unwrap().hints();
    assert!(!echo.read_only && echo.destructive && echo.together, "{echo:?}");
    let trusted = McpServers::new(session.pool.clone(), &session.place.dir).with_trust(|name| name == "it");
    let toolbox = ToolSet::new(trusted.tools().tools);
    let echo = toolbox.find("mcp__it__echo").unwrap().hints();
    assert!(echo.read_only && echo.together, "{echo:?}");
    assert!(!toolbox.find("mcp__it__picture").unwrap().hints().together);
    session.pool.close().await;
}

// rule: H6
#[tokio::test]
async fn a_hook_that_calls_the_tool_that_it_guards_does_not_meet_itself() {
    let settings =
        allowing(json!({"hooks": {"PreToolUse": mcp_hook("echo"), "PostToolUse": mcp_hook("echo")}}));
    let session = Session::new(&settings, None).await;
    let report = session.call("mcp__it__echo", json!({"n": 7})).await;
    assert_eq!(done(&report), r#"{"n": 7}"#);
    let hooks = || ("echo".to_owned(), json!({"text": "of the hook"}));
    assert_eq!(session.reached(), [hooks(), ("echo".to_owned(), json!({"n": 7})), hooks()]);
    session.pool.close().await;
}

// rule: H6
#[tokio::test]
async fn a_hook_connects_nothing() {
    let place = Place::new();
    let pool = pool(&place, &McpHost::new());
    let settings = json!({"hooks": {"PreToolUse": mcp_hook("echo")}});
    let engine = place.builder(&settings).mcp_tools(HookCalls::new(pool.clone())).build().unwrap();
    let tools = ToolCalls::new(engine, Probe::default().toolbox());
    let report = run(&tools, &place.session(None), call_of("Probe", json!({}))).await;
    let unchecked: Vec<String> =
        report.outcomes[0].verdict.unchecked().map(|said| said.what.to_string()).collect();
    assert!(unchecked.len() == 1 && unchecked[0].contains("`it` is not connected"), "{unchecked:?}");
    assert!(!place.dir.join("log").exists());
    pool.close().await;
}

// rule: L1
#[tokio::test]
async fn a_call_that_is_cancelled_is_cancelled_at_the_server() {
    let session = Session::new(&allowing(json!({})), None).await;
    let (cancel, at) = (CancellationToken::new(), session.place.session(None));
    let stop = async {
        until("the call reaches the server", || !session.reached().is_empty()).await;
        cancel.cancel();
    };
    let (report, ()) =
        tokio::join!(session.tools.run(&at, call_of("mcp__it__hang", json!({})), &cancel), stop);
    assert_eq!(report.ended, CallEnd::Cancelled { started: true });
    until("the server is notified", || session.place.read("log").contains("notifications/cancelled")).await;
    session.pool.close().await;
}

// rule: X6
#[tokio::test]
async fn hooks_answer_what_a_server_asks_in_the_middle_of_a_call() {
    let accept = |content: &str| {
        let answer = format!(r#"{{"hookEventName":"Elicitation","action":"accept","content":{content}}}"#);
        format!(r#"echo '{{"hookSpecificOutput":{answer}}}'"#)
    };
    for (hook, tool, expected) in [
        (
            accept(r#"{"name":"Bob"}"#),
            "mcp__it__ask",
            json!({"action": "accept", "content": {"name": "Bob"}}),
        ),
        (accept(r#"{"name":7}"#), "mcp__it__ask", json!({"action": "cancel"})),
        ("exit 2".to_owned(), "mcp__it__ask", json!({"action": "decline"})),
        ("exit 0".to_owned(), "mcp__it__visit", json!({"action": "cancel"})),
        ("exit 2".to_owned(), "mcp__it__visit", json!({"action": "decline"})),
    ] {
        let session = Session::new(&allowing(hooks(&[("Elicitation", &[&hook])])), None).await;
        let report = session.call(tool, json!({})).await;
        let answered: Value = serde_json::from_str(&done(&report)).unwrap();
        assert_eq!(answered, expected, "{hook}");
        session.pool.close().await;
    }
}

// rules: X6, H6
#[tokio::test]
async fn a_hook_that_answers_a_question_with_a_tool_that_asks_comes_to_an_end() {
    let settings = allowing(json!({"hooks": {"Elicitation": mcp_hook("ask")}}));
    let session = Session::new(&settings, None).await;
    let report = session.call("mcp__it__ask", json!({})).await;
    let answered: Value = serde_json::from_str(&done(&report)).unwrap();
    assert_eq!(answered, json!({"action": "cancel"}));
    assert_eq!(
        session.reached().len(),
        1 + 8,
        "the model's call, and one for each question that may be open"
    );
    session.pool.close().await;
}
