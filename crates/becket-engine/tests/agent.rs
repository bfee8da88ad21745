//! Agent handlers against scripted models and tools that note what they do (H8).
#![expect(clippy::unwrap_used, reason = "tests fail by panicking")]

mod common;
mod models;

use becket_engine::{Engine, Outcome, RunEvent, Skipped, Stage, Status, Tools, What, Why};
use becket_llm::{Output, Price, Scripted, Thinking};
use becket_model::Source;
use becket_model::event::PermissionMode;
use common::{Project, bash, block_on, call, command, fire, pre, says, stop};
use models::{
    FakeTools, agent_hook, failure, hook, host, last_told, priced, prompt_hook, scripted, text_of, turns,
    with,
};
use serde_json::{Map, Value, json};
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// An agent on Stop, tools that it may call, and a model that follows a script.
struct Agent {
    project: Project,
    model: Arc<Scripted>,
    tools: FakeTools,
}

impl Agent {
    /// With these settings beside the agent's own hook.
    fn new(turns_of: Value, settings: Value) -> Self {
        Agent::with_model(turns(turns_of), settings)
    }

    fn with_model(model: Arc<Scripted>, mut settings: Value) -> Self {
        if settings.get("hooks").is_none() {
            settings["hooks"] = json!({});
        }
        settings["hooks"]["Stop"] = json!([{"hooks": [agent_hook("are the tests green?")]}]);
        Agent { project: Project::with(settings), model, tools: FakeTools::default() }
    }

    fn engine(&self) -> Engine {
        let builder = self.project.builder().models(host(&self.model)).agent_tools(self.tools.clone());
        let engine = builder.build().unwrap();
        assert!(engine.config().diagnostics.is_empty(), "{:?}", engine.config().diagnostics);
        engine
    }

    fn fire(&self) -> Outcome {
        fire(&self.engine(), &self.project.event(stop()))
    }
}

fn use_tool(name: &str, input: Value) -> Value {
    json!({"tool_uses": [{"name": name, "input": input}]})
}

fn verdict(ok: bool) -> Value {
    use_tool("StructuredOutput", json!({"reason": "as seen", "ok": ok}))
}

/// A hook that appends its input to a file of the project.
fn log_to(file: &str) -> Value {
    command(&format!("cat >> {file}"))
}

fn logged(project: &Project, file: &str) -> Vec<Value> {
    let path = project.path(&format!("work/{file}"));
    let text = std::fs::read_to_string(path).unwrap_or_default();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn each_call_is_settled_as_hooks_rules_and_the_mode_say() {
    // rules: H8, D3, D4, D10, L0, L1, P1, P11, P14 (the data names them)
    let cases: Vec<Value> = serde_json::from_str(include_str!("cases/agent-calls.json")).unwrap();
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
    let skipped: Arc<Mutex<Vec<Skipped>>> = Arc::default();
    let seen = skipped.clone();
    let tools = FakeTools::default();
    let observe = move |event: &RunEvent| {
        if let What::Skipped(skip) = &event.what {
            seen.lock().unwrap().push(skip.clone());
        }
    };
    let builder = project.builder().models(host(&model)).agent_tools(tools.clone()).observe(observe);
    let engine = builder.build().unwrap();
    let outcome = fire(&engine, &project.event(bash("make")));
    assert!(outcome.verdict.failures.is_empty() && !outcome.verdict.blocks(), "{outcome:?}");
    assert_eq!((model.requests().len(), tools.inputs().len()), (2, 1));
    let skipped = skipped.lock().unwrap();
    assert_eq!(skipped.len(), 1);
    assert_eq!((skipped[0].why.clone(), skipped[0].why.stage()), (Why::InsideHookAgent, Stage::Scope));
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
fn a_hook_that_stops_ends_the_agent_and_never_in_an_ok() {
    // rules: D6, H8
    let stopping = says(json!({"continue": false, "stopReason": "enough"}));
    for (event, ran) in [("PreToolUse", 0), ("PostToolUse", 1), ("PostToolBatch", 2)] {
        let two = json!({"tool_uses": [
            {"id": "a", "name": "Read", "input": {"file_path": "/x"}},
            {"id": "b", "name": "Read", "input": {"file_path": "/y"}}]});
        let agent = Agent::new(json!([two, verdict(true)]), hook(event, stopping.clone()));
        let outcome = agent.fire();
        assert!(failure(&outcome).contains("stopped: enough"), "{event}: {outcome:?}");
        assert_eq!((agent.tools.inputs().len(), agent.model.requests().len()), (ran, 1), "{event}");
    }
    let turns_of = json!([use_tool("Read", json!({"file_path": "/x"})), verdict(true)]);
    let blocking = hook("PostToolBatch", command("echo 'no more' >&2; exit 2"));
    let outcome = Agent::new(turns_of, blocking).fire();
    assert!(failure(&outcome).contains("stopped: no more"), "{outcome:?}");
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

#[test]
fn a_refusal_is_feedback_and_does_not_end_the_turn() {
    // rule: H8
    let agent = Agent::new(json!([verdict(false)]), json!({}));
    let outcome = agent.fire();
    assert!(outcome.verdict.blocks() && outcome.verdict.stop.is_none(), "{outcome:?}");
    assert_eq!(outcome.verdict.joined_reason().as_deref(), Some("as seen"));
    assert_eq!(outcome.runs[0].status, Status::Blocked);
}

#[test]
fn an_agent_has_no_continue_on_block_of_its_own() {
    // rule: H8
    use becket_engine::handler::Action;
    let (project, model) = (Project::with(json!({})), turns(json!([verdict(false)])));
    let engine = project.builder().models(host(&model)).build().unwrap();
    let text = "---\nname: s\nhooks:\n  PreToolUse:\n    - hooks:\n        - type: agent\n          prompt: fine?\n---\n";
    let mut read = common::frontmatter(&project, Source::Skill("s".into()), text, None);
    let Action::Agent(prompt) = &mut read.handlers[0].action else { panic!("no agent") };
    prompt.continue_on_block = false;
    engine.register(read.handlers);
    let outcome = fire(&engine, &project.event(bash("ls")));
    assert!(outcome.verdict.blocks() && outcome.verdict.stop.is_none(), "{outcome:?}");
}

/// Knows that `Read` takes a path.
struct PathOfRead;

impl Tools for PathOfRead {
    fn validate(&self, tool: &str, input: &Map<String, Value>) -> Result<(), String> {
        let fits = tool != "Read" || input.get("file_path").is_some_and(Value::is_string);
        if fits { Ok(()) } else { Err("`file_path` must be a string".to_owned()) }
    }
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
        let builder = agent.project.builder().models(host(&agent.model)).agent_tools(agent.tools.clone());
        let outcome = fire(&builder.tools(PathOfRead).build().unwrap(), &agent.project.event(stop()));
        assert!(outcome.verdict.failures.is_empty(), "{outcome:?}");
        assert!(agent.tools.inputs().is_empty());
        assert!(last_told(&agent.model).contains(told), "{}", last_told(&agent.model));
        assert_eq!(logged(&agent.project, "calls").len(), seen);
        assert_eq!(logged(&agent.project, "batch").len(), 1, "the batch is seen all the same");
    }
}

#[test]
fn a_verdict_may_be_text_and_is_asked_for_once_more() {
    // rule: H8
    let text = |text: &str| json!({ "text": text });
    let yes = json!({"json": {"reason": "r", "ok": false}});
    let wrong = use_tool("StructuredOutput", json!({"reason": "r"}));
    for (what, turns_of, blocks, requests) in [
        ("final text", json!([yes]), true, 1),
        ("after a reminder", json!([text("I think so."), yes]), true, 2),
        ("after a wrong call", json!([wrong, verdict(false)]), true, 2),
        ("reminded twice", json!([text("I think so."), wrong, verdict(false)]), false, 2),
        (
            "a reminder does not come back",
            json!([text("Hm."), use_tool("Read", json!({"file_path": "/x"})), text("Hm."), verdict(false)]),
            false,
            3,
        ),
    ] {
        let agent = Agent::new(turns_of, json!({}));
        let outcome = agent.fire();
        assert_eq!(outcome.verdict.blocks(), blocks, "{what}: {outcome:?}");
        assert_eq!(agent.model.requests().len(), requests, "{what}");
        if !blocks {
            assert!(failure(&outcome).contains("was reminded and still gave no verdict"), "{what}");
        }
    }
    let agent = Agent::new(json!([wrong, verdict(true)]), json!({}));
    agent.fire();
    let told = last_told(&agent.model);
    assert!(told.starts_with("ERROR This is no verdict") && told.contains("`ok`"), "{told}");
}

#[test]
fn a_turn_that_pauses_goes_on() {
    // rule: H8
    let pause = json!({"text": "{\"reason\": \"so far\", \"ok\": true}", "stop": "pause_turn"});
    let agent = Agent::new(json!([pause, verdict(false)]), json!({}));
    let outcome = agent.fire();
    assert!(outcome.verdict.blocks(), "{outcome:?}");
    assert_eq!(agent.model.requests()[1].request.messages.len(), 2);
}

#[test]
fn a_model_that_hangs_does_not_hold_the_event_past_the_limit() {
    // rules: H8, O10
    let project = Project::with(hook("Stop", with(agent_hook("done?"), json!({"timeout": 1}))));
    let model = turns(json!([use_tool("Read", json!({"file_path": "/x"})), {"endless": "silence"}]));
    let builder = project.builder().models(host(&model)).agent_tools(FakeTools::default());
    let outcome = fire(&builder.build().unwrap(), &project.event(stop()));
    assert!(failure(&outcome).contains("ran out of time"), "{outcome:?}");
    assert_eq!(outcome.runs[0].usage.as_ref().unwrap().requests, 2);
}

#[test]
fn a_verdict_beside_other_calls_is_too_early() {
    // rule: H8
    let both = json!({"tool_uses": [
        {"id": "a", "name": "Read", "input": {"file_path": "/x", "print": "red"}},
        {"id": "b", "name": "StructuredOutput", "input": {"reason": "surely", "ok": true}}]});
    let agent = Agent::new(json!([both, verdict(false)]), json!({}));
    let outcome = agent.fire();
    assert!(outcome.verdict.blocks(), "{outcome:?}");
    assert!(last_told(&agent.model).contains("ERROR answer alone"), "{}", last_told(&agent.model));
}

#[test]
fn an_agent_has_fifty_turns() {
    // rule: H8
    let endless = scripted(json!({"pick": "fitting", "turns": [
        {"tool_uses": [{"name": "Read", "input": {"file_path": "/x"}}]}]}));
    let agent = Agent::with_model(endless, json!({}));
    let outcome = agent.fire();
    assert!(failure(&outcome).contains("50 turns"), "{}", failure(&outcome));
    assert_eq!(agent.model.requests().len(), 50);
    let mut turns_of = vec![use_tool("Read", json!({"file_path": "/x"})); 49];
    turns_of.push(verdict(false));
    assert!(Agent::new(json!(turns_of), json!({})).fire().verdict.blocks(), "the fiftieth counts");
}

#[test]
fn what_tools_print_is_bounded_and_so_is_the_conversation() {
    // rule: H8
    let long = format!("HEAD{}TAIL", "é".repeat(200_000));
    let read = use_tool("Read", json!({"file_path": "/x", "print": long}));
    let agent = Agent::new(json!([read, verdict(true)]), json!({}));
    let outcome = agent.fire();
    assert!(outcome.verdict.failures.is_empty(), "{outcome:?}");
    let told = last_told(&agent.model);
    assert!(told.chars().count() <= 30_000 && told.starts_with("HEAD") && told.ends_with("TAIL"));
    assert!(told.contains("characters left out"), "{}", told.len());
    let talkative = scripted(json!({"pick": "fitting", "turns": [
        {"tool_uses": [{"name": "Read", "input": {"file_path": "/x", "print": "x".repeat(29_000)}}]}]}));
    let agent = Agent::with_model(talkative, json!({}));
    let told = failure(&agent.fire());
    assert!(told.contains("grew beyond"), "{told}");
    assert!(agent.model.requests().len() < 15);
}

#[test]
fn a_tool_that_panics_ends_the_agent_and_not_the_host() {
    // rules: O10, H8
    let turns_of = json!([use_tool("Read", json!({"file_path": "/x", "panic": true})), verdict(true)]);
    let outcome = Agent::new(turns_of, json!({})).fire();
    assert!(failure(&outcome).contains("panicked: broken tool"), "{outcome:?}");
}

#[test]
fn the_deadline_reaches_the_tool() {
    // rules: H8, O10
    let turns_of = json!([use_tool("Read", json!({"file_path": "/x", "hang": true})), verdict(true)]);
    let project = Project::with(hook("Stop", with(agent_hook("done?"), json!({"timeout": 1}))));
    let (model, tools) = (turns(turns_of), FakeTools::default());
    let engine = project.builder().models(host(&model)).agent_tools(tools.clone()).build().unwrap();
    let outcome = fire(&engine, &project.event(stop()));
    assert!(failure(&outcome).contains("ran out of time"), "{outcome:?}");
    assert_eq!(outcome.runs[0].status, Status::Cancelled);
    assert!(tools.told_to_end.load(Ordering::SeqCst) && tools.dropped.load(Ordering::SeqCst));
    assert_eq!(outcome.runs[0].usage.as_ref().unwrap().requests, 1, "what was used is known all the same");
}

#[test]
fn cancelling_the_event_reaches_the_tool_and_so_does_dropping_it() {
    // rules: H8, H4
    for drop_it in [false, true] {
        let turns_of = json!([use_tool("Read", json!({"file_path": "/x", "hang": true})), verdict(true)]);
        let agent = Agent::new(turns_of, json!({}));
        let (engine, event) = (agent.engine(), agent.project.event(stop()));
        let cancel = becket_engine::CancellationToken::new();
        let hangs = async {
            while !agent.tools.hangs.load(Ordering::SeqCst) {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        };
        block_on(async {
            let firing = engine.fire_until(&event, &cancel);
            if drop_it {
                tokio::select! { _ = firing => panic!("it hangs"), () = hangs => {} }
            } else {
                let (outcome, ()) = tokio::join!(firing, async {
                    hangs.await;
                    cancel.cancel();
                });
                assert_eq!(failure(&outcome), "was cancelled");
                assert!(agent.tools.told_to_end.load(Ordering::SeqCst));
            }
        });
        assert!(agent.tools.dropped.load(Ordering::SeqCst), "dropped: {drop_it}");
        assert_eq!(agent.model.requests().len(), 1);
    }
}

#[test]
fn a_hook_inside_that_hangs_ends_with_the_agent() {
    // rules: H8, H4
    let turns_of = json!([use_tool("Read", json!({"file_path": "/x"})), verdict(true)]);
    let settings = json!({"hooks": {
        "Stop": [{"hooks": [with(agent_hook("done?"), json!({"timeout": 2}))]}],
        "PreToolUse": [{"hooks": [command("echo $$ > pid; exec sleep 1000")]}]}});
    let project = Project::with(settings);
    let (model, tools) = (turns(turns_of), FakeTools::default());
    let finished: Arc<Mutex<Vec<String>>> = Arc::default();
    let seen = finished.clone();
    let observe = move |event: &RunEvent| {
        if let What::Finished { run } = &event.what {
            seen.lock().unwrap().push(format!("{} {}", run.handler.event, run.status.as_str()));
        }
    };
    let engine =
        project.builder().models(host(&model)).agent_tools(tools.clone()).observe(observe).build().unwrap();
    let outcome = block_on(async {
        let outcome = engine.fire(&project.event(stop())).await;
        engine.close().await;
        outcome
    });
    assert!(failure(&outcome).contains("ran out of time"), "{outcome:?}");
    assert!(tools.inputs().is_empty(), "a check that was cancelled lets nothing run");
    let finished = finished.lock().unwrap();
    assert_eq!(finished.last().unwrap(), "Stop cancelled");
    // On a machine that is very busy its end may come too late to be told of.
    assert!(
        finished[..finished.len() - 1].iter().all(|ended| ended == "PreToolUse cancelled"),
        "{finished:?}"
    );
    let pid = project.read("work/pid");
    assert!(!std::path::Path::new(&format!("/proc/{}", pid.trim())).exists(), "it is gone");
}

#[test]
fn tokens_add_up_over_the_turns() {
    let usage = json!({"input_tokens": 1000, "output_tokens": 10});
    let turns_of = json!([
        with(use_tool("Read", json!({"file_path": "/x"})), json!({"usage": usage})),
        with(verdict(true), json!({"usage": usage}))
    ]);
    let agent = Agent::new(turns_of, json!({}));
    let price = Price { input: 1.0, output: 5.0, cache_read: 0.0, cache_write: 0.0 };
    let builder =
        agent.project.builder().models(priced(&agent.model, price)).agent_tools(agent.tools.clone());
    let outcome = fire(&builder.build().unwrap(), &agent.project.event(stop()));
    let usage = outcome.runs[0].usage.clone().unwrap();
    assert_eq!((usage.requests, usage.usage.input_tokens, usage.usage.output_tokens), (2, 2000, 20));
    assert!((usage.cost_usd.unwrap() - 0.0021).abs() < 1e-9);
    assert_eq!(outcome.runs[0].stdout, r#"{"reason":"as seen","ok":true}"#.as_bytes());
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
        assert!(text_of(&messages[6]).starts_with("This is no verdict"), "{messages:?}");
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
    let engine = project.builder().models(host(&model)).agent_tools(tools.clone()).build().unwrap();
    let event = project.event(stop());
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    // Spawned, since a host will spawn it: the future can be sent between threads.
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
