//! Agent handlers against scripted models and tools that note what they do (H8).

use crate::common::{DescribedTool, Project, bash, call, command, fire, pre, says, stop, tool_set};
use crate::models::{
    Agent, FakeTools, agent_hook, hook, host, last_told, log_to, logged, prompt_hook, scripted, text_of,
    turns, use_tool, verdict, with,
};
use becket_engine::{RunEvent, RunEventKind, SkipReason, SkippedHandler, Stage, ToolSet};
use becket_llm::{Output, Thinking};
use becket_model::event::PermissionMode;
use serde_json::{Value, json};
use std::sync::{Arc, Mutex};

#[test]
fn each_call_is_settled_as_hooks_rules_and_the_mode_say() {
    // rules: H8, D3, D4, D10, L0, L1, P1, P11, P14 (the data names them)
    let cases: Vec<Value> = serde_json::from_str(include_str!("../cases/agent-calls.json")).unwrap();
    assert!(cases.len() > 15);
    for case in cases {
        let name = &case["name"];
        let mut settings = json!({"hooks": {}});
        if let Some(rules) = case.get("permissions") {
            settings["permissions"] = rules.clone();
        }
        if let Some(fields) = case.get("hook") {
            settings["hooks"]["PreToolUse"] = json!([{"hooks": [says(pre(fields.clone()))]}]);
        }
        let turns = json!([{"tool_uses": [case["call"]]}, verdict(true)]);
        let agent = Agent::new(turns, settings);
        let outcome = agent.fire();
        assert!(outcome.verdict.failures.is_empty(), "{name}: {outcome:?}");
        assert_eq!(agent.tools.inputs().len(), usize::from(case["ran"] == true), "{name}");
        let told = last_told(&agent.model);
        assert!(told.contains(case["told"].as_str().unwrap()), "{name}: {told}");
        let is_error = case["ran"] == false || case["call"]["input"].get("fail").is_some();
        assert_eq!(told.starts_with("ERROR "), is_error, "{name}: {told}");
    }
}

#[test]
fn settings_hooks_see_the_calls_with_the_agents_own_id() {
    // rules: H8, L1, N3
    let logs: Vec<&str> = vec![
        "PreToolUse",
        "PostToolUse",
        "PostToolUseFailure",
        "PostToolBatch",
        "SubagentStart",
        "SubagentStop",
        "PermissionRequest",
        "PermissionDenied",
    ];
    let mut hooks = json!({});
    for event in &logs {
        hooks[*event] = json!([{"hooks": [log_to(event)]}]);
    }
    let turns = json!([
        use_tool("Read", json!({"file_path": "rel.txt", "print": "text"})),
        use_tool("Read", json!({"file_path": "/x", "fail": "gone"})),
        use_tool("Bash", json!({"command": "make"})),
        verdict(true)
    ]);
    let agent = Agent::new(turns, json!({ "hooks": hooks }));
    let outcome = agent.fire();
    assert!(outcome.verdict.failures.is_empty(), "{outcome:?}");
    let log = |event: &str| logged(&agent.project, event);
    let counts: Vec<usize> = logs.iter().map(|event| log(event).len()).collect();
    assert_eq!(counts, [3, 1, 1, 3, 0, 0, 0, 0]);
    let absolute = agent.project.work().join("rel.txt");
    assert_eq!(log("PreToolUse")[0]["tool_input"]["file_path"], json!(absolute));
    assert_eq!(log("PostToolUse")[0]["tool_response"]["stdout"], "text");
    assert_eq!(log("PostToolUseFailure")[0]["error"], "gone");
    assert_eq!(log("PostToolBatch")[0]["tool_calls"][0]["tool_input"]["file_path"], "rel.txt");
    assert_eq!(log("PostToolBatch")[0]["tool_calls"][0]["tool_response"], "text");
    let mut ids = Vec::new();
    for input in logs.iter().flat_map(|event| log(event)) {
        assert_eq!(input["permission_mode"], "dontAsk", "{input}");
        assert!(input.get("agent_type").is_none(), "{input}");
        ids.push(input["agent_id"].as_str().unwrap().to_owned());
    }
    ids.dedup();
    assert!(ids.len() == 1 && ids[0].starts_with("hook-agent-"), "{ids:?}");
    let ran = agent.tools.ran.lock().unwrap();
    assert_eq!(ran[0].input["file_path"], json!(absolute), "what was judged is what runs");
    assert_eq!(ran[0].session.permission_mode, Some(PermissionMode::DontAsk));
}

#[test]
fn no_agent_is_started_for_what_an_agent_does() {
    // rule: H8
    let model = turns(json!([
        use_tool("Bash", json!({"command": "make", "print": "made"})),
        verdict(true),
        verdict(false)
    ]));
    let project = Project::with(json!({
        "permissions": {"allow": ["Bash(make)"]},
        "hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [agent_hook("is this call fine?")]}]}}));
    let skipped: Arc<Mutex<Vec<SkippedHandler>>> = Arc::default();
    let seen = skipped.clone();
    let tools = FakeTools::default();
    let observe = move |event: &RunEvent| {
        if let RunEventKind::Skipped(skip) = &event.what {
            seen.lock().unwrap().push(skip.clone());
        }
    };
    let builder = project.builder().models(host(&model)).agent_tools(tools.for_agents()).observe(observe);
    let engine = builder.build().unwrap();
    let outcome = fire(&engine, &project.event(bash("make")));
    assert!(outcome.verdict.failures.is_empty() && !outcome.verdict.blocks(), "{outcome:?}");
    assert_eq!((model.requests().len(), tools.inputs().len()), (2, 1));
    let skipped = skipped.lock().unwrap();
    assert_eq!(skipped.len(), 1);
    assert_eq!((skipped[0].why.clone(), skipped[0].why.stage()), (SkipReason::InsideHookAgent, Stage::Scope));
    assert!(fire(&engine, &project.event(bash("make"))).verdict.blocks(), "outside it is started again");
}

#[test]
fn prompt_handlers_judge_what_an_agent_does() {
    // rule: H8
    let model = scripted(json!({"pick": "fitting", "turns": [
        {"expect": ["is it safe?"], "json": {"reason": "not that", "ok": false}},
        {"expect": ["denied: not that"], "json": {"reason": "could not look", "ok": false}},
        {"tool_uses": [{"name": "Read", "input": {"file_path": "/x"}}]}]}));
    let prompt = with(prompt_hook("is it safe?"), json!({"continueOnBlock": true}));
    let agent = Agent::with_model(model, hook("PreToolUse", prompt));
    let outcome = agent.fire();
    assert_eq!(outcome.verdict.joined_reason().as_deref(), Some("could not look"), "{outcome:?}");
    assert!(agent.tools.inputs().is_empty());
}

#[test]
fn what_hooks_say_after_a_call_reaches_the_model_behind_the_results() {
    // rules: H8, L2, D5
    let specific = |event: &str, more: Value| {
        let fields = with(json!({ "hookEventName": event }), more);
        json!([{"hooks": [says(json!({ "hookSpecificOutput": fields }))]}])
    };
    let hooks = json!({
        "PreToolUse": specific("PreToolUse", json!({"additionalContext": "before"})),
        "PostToolUse": [{"hooks": [
            says(json!({"decision": "block", "reason": "look again"})),
            says(json!({"hookSpecificOutput": {"hookEventName": "PostToolUse", "additionalContext": "after",
                "updatedToolOutput": {"stdout": "replaced", "stderr": ""}}}))]}],
        "PostToolBatch": specific("PostToolBatch", json!({"additionalContext": "batch"}))});
    let two = json!({"tool_uses": [
        {"id": "a", "name": "Read", "input": {"file_path": "/x", "print": "own"}},
        {"id": "b", "name": "Read", "input": {"file_path": "/y", "print": "own"}}]});
    let agent = Agent::new(json!([two, verdict(true)]), json!({ "hooks": hooks }));
    let outcome = agent.fire();
    assert!(outcome.verdict.failures.is_empty(), "{outcome:?}");
    let told = last_told(&agent.model);
    let expected = [
        "replaced",
        "replaced",
        "PreToolUse:Read hook additional context: before",
        "PostToolUse:Read hook blocking error: look again",
        "PostToolUse:Read hook additional context: after",
        "PreToolUse:Read hook additional context: before",
        "PostToolUse:Read hook blocking error: look again",
        "PostToolUse:Read hook additional context: after",
        "PostToolBatch hook additional context: batch",
    ];
    let lines: Vec<&str> = told.lines().filter(|line| !line.contains("system-reminder>")).collect();
    assert_eq!(lines, expected);
}

#[test]
fn what_went_unchecked_inside_is_seen_outside() {
    // rules: O10, H8
    let turns_of = json!([use_tool("Read", json!({"file_path": "/x"})), verdict(true)]);
    let agent = Agent::new(turns_of, hook("PreToolUse", command("exit 127")));
    let outcome = agent.fire();
    let notices: Vec<&str> = outcome.verdict.notices.iter().map(|said| said.what.text.as_str()).collect();
    assert_eq!(notices.len(), 1, "{outcome:?}");
    assert!(notices[0].starts_with("PreToolUse:Read of this hook's agent went unchecked: `exit 127`"));
    assert_eq!(agent.tools.inputs().len(), 1, "it fails open, as everywhere");
}

#[test]
fn an_agent_is_asked_as_a_prompt_is_and_gets_a_tool_to_answer() {
    // rule: H8
    let agent = Agent::new(json!([verdict(true)]), json!({}));
    agent.project.write("work/transcript.jsonl", r#"{"role":"user","content":"fix it"}"#);
    assert!(agent.fire().verdict.failures.is_empty());
    let request = &agent.model.requests()[0].request;
    let names: Vec<&str> = request.tools.iter().map(|tool| tool.name.as_str()).collect();
    assert_eq!(names, ["Bash", "Read", "StructuredOutput"]);
    let schema = request.tools[2].input_schema["properties"].to_string();
    assert!(schema.find("\"reason\"") < schema.find("\"ok\"") && !schema.contains("impossible"), "{schema}");
    assert_eq!((request.thinking, &request.output), (Thinking::Off, &Output::Text));
    let text = text_of(&request.messages[0]);
    assert!(text.contains("fix it") && text.contains("are the tests green?\n\nARGUMENTS: {"), "{text}");
    let system = request.system.as_deref().unwrap();
    assert!(system.contains("`StructuredOutput`") && system.contains("never an instruction"), "{system}");
}

/// Returns a host whose `Read` takes a path.
fn path_of_read() -> ToolSet {
    tool_set([DescribedTool::new("Read", |input| {
        let fits = input.get("file_path").is_some_and(Value::is_string);
        if fits { Ok(()) } else { Err("`file_path` must be a string".to_owned()) }
    })])
}

#[test]
fn an_input_that_fits_no_schema_reaches_no_hook_and_no_tool() {
    // rules: L0, D9
    let rewrite = pre(json!({"updatedInput": {"file_path": 7}}));
    for (call, rewriting, seen, told) in [
        (json!({"file_path": 7}), false, 0, "ERROR the input does not fit: `file_path` must be a string"),
        (json!({"file_path": "/x"}), true, 1, "The call as you made it was not at fault"),
    ] {
        let mut handlers = vec![log_to("calls")];
        handlers.extend(rewriting.then(|| says(rewrite.clone())));
        let settings = json!({"hooks": {
            "PreToolUse": [{"hooks": handlers}], "PostToolBatch": [{"hooks": [log_to("batch")]}]}});
        let agent = Agent::new(json!([use_tool("Read", call), verdict(true)]), settings);
        let builder =
            agent.project.builder().models(host(&agent.model)).agent_tools(agent.tools.for_agents());
        let outcome = fire(&builder.tools(path_of_read()).build().unwrap(), &agent.project.event(stop()));
        assert!(outcome.verdict.failures.is_empty(), "{outcome:?}");
        assert!(agent.tools.inputs().is_empty());
        assert!(last_told(&agent.model).contains(told), "{}", last_told(&agent.model));
        assert_eq!(logged(&agent.project, "calls").len(), seen);
        assert_eq!(logged(&agent.project, "batch").len(), 1, "the batch is seen anyway");
    }
}

#[test]
fn a_model_without_tools_asks_for_them_in_json() {
    // rule: H8
    for json_schema in [true, false] {
        let model = scripted(json!({"capabilities": {"tools": false, "json_schema": json_schema}, "turns": [
            {"json": {"tool": "Read", "input": {"file_path": "/x", "print": "two\nlines"}}},
            {"json": {"tool": "Bash", "input": {"command": "make"}}},
            {"text": "It is green."},
            {"json": {"reason": "red", "ok": false}}]}));
        let agent = Agent::with_model(model, json!({}));
        let outcome = agent.fire();
        assert!(outcome.verdict.blocks(), "{outcome:?}");
        assert_eq!(agent.tools.inputs().len(), 1);
        let requests = agent.model.requests();
        let first = &requests[0].request;
        assert!(first.tools.is_empty());
        assert_eq!(
            matches!(&first.output, Output::Json { schema, .. } if schema["anyOf"].is_array()),
            json_schema
        );
        assert!(first.system.as_deref().unwrap().contains("- Read: Read of the test"));
        let messages = &requests[3].request.messages;
        assert_eq!(messages.len(), 7);
        assert_eq!(text_of(&messages[2]), r#"{"tool":"Read","is_error":false,"output":"two\nlines"}"#);
        assert!(text_of(&messages[4]).contains(r#""is_error":true"#), "{messages:?}");
        assert!(text_of(&messages[6]).starts_with("This is not a verdict"), "{messages:?}");
    }
}

#[test]
fn agents_work_side_by_side_on_several_threads() {
    // rule: H8
    let model = scripted(json!({"pick": "fitting", "turns": [
        {"expect": ["passed"], "json": {"reason": "green", "ok": true}},
        {"tool_uses": [{"name": "Read", "input": {"file_path": "/x", "print": "passed"}}]}]}));
    let handlers: Vec<Value> = (0..8).map(|n| agent_hook(&format!("question {n}"))).collect();
    let settings = json!({"hooks": {
        "PreToolUse": [{"hooks": [log_to("calls"), agent_hook("never inside")]}],
        "Stop": [{"hooks": handlers}]}});
    let project = Project::with(settings);
    let tools = FakeTools::default();
    let engine = project.builder().models(host(&model)).agent_tools(tools.for_agents()).build().unwrap();
    let event = project.event(stop());
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    // Spawned, as a host would do: the future can be sent between threads.
    let outcome = runtime.block_on(runtime.spawn(async move { engine.fire(&event).await })).unwrap();
    assert!(outcome.verdict.failures.is_empty() && outcome.runs.len() == 8, "{outcome:?}");
    assert_eq!(tools.inputs().len(), 8);
    let mut ids: Vec<String> =
        logged(&project, "calls").iter().map(|call| call["agent_id"].to_string()).collect();
    ids.sort();
    ids.dedup();
    assert_eq!(ids.len(), 8, "each agent has an id of its own");
}

#[test]
fn without_tools_an_agent_can_only_answer() {
    // rule: H8
    let model = turns(json!([use_tool("Bash", json!({"command": "make"})), verdict(false)]));
    let project = Project::with(hook("PreToolUse", agent_hook("fine?")));
    let engine = project.builder().models(host(&model)).build().unwrap();
    let outcome = fire(&engine, &project.event(call("Write", json!({"file_path": "/x"}))));
    assert!(outcome.verdict.blocks(), "{outcome:?}");
    assert!(last_told(&model).contains("there is no tool `Bash`"));
    assert_eq!(model.requests()[0].request.tools.len(), 1);
}

#[test]
fn the_tools_of_agents_follow_the_configuration() {
    // rules: C8, H8
    let agent = Agent::new(json!([verdict(true), verdict(true), verdict(true)]), json!({}));
    let seen = Arc::new(Mutex::new(Vec::new()));
    let (configs, tools) = (seen.clone(), agent.tools.for_agents());
    let builder = agent.project.builder().models(host(&agent.model)).agent_tools(move |config| {
        configs.lock().unwrap().push(config.permissions.len());
        tools(config)
    });
    let engine = builder.build().unwrap();
    let ends = || assert!(fire(&engine, &agent.project.event(stop())).verdict.failures.is_empty());
    ends();
    ends();
    agent.project.write("work/.claude/settings.local.json", r#"{"permissions": {"deny": ["Read(./x)"]}}"#);
    engine.host().reload().unwrap();
    ends();
    assert_eq!(*seen.lock().unwrap(), [0, 1], "once for each configuration");
}
