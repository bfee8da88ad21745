//! Ends of agents: by a verdict, a bound, a limit, a cancellation or a hook; and the resulting decision (H8, O10).

use crate::common::{Project, bash, block_on, command, fire, says, stop};
use crate::models::{
    Agent, FakeTools, agent_hook, failure, hook, host, last_told, priced, scripted, turns, use_tool, verdict,
    with,
};
use becket_engine::{RunEvent, RunEventKind, Status};
use becket_llm::Rates;
use becket_model::Source;
use serde_json::json;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex};

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
    let mut read = crate::common::frontmatter(&project, Source::Skill("s".into()), text, None);
    let Action::Agent(prompt) = &mut read.handlers[0].action else { panic!("no agent") };
    prompt.continue_on_block = false;
    engine.register(read.handlers);
    let outcome = fire(&engine, &project.event(bash("ls")));
    assert!(outcome.verdict.blocks() && outcome.verdict.stop.is_none(), "{outcome:?}");
}

#[test]
fn a_verdict_may_be_text_and_is_asked_for_once_more() {
    // rule: H8
    let text = |text: &str| json!({ "text": text });
    let yes = json!({"json": {"reason": "r", "ok": false}});
    let wrong = use_tool("StructuredOutput", json!({"reason": "r"}));
    let torn = with(text("So {\"ok\":\n false}."), verdict(true));
    for (what, turns_of, blocks, requests) in [
        ("final text", json!([yes]), true, 1),
        ("after a reminder", json!([text("I think so."), yes]), true, 2),
        ("after a wrong call", json!([wrong, verdict(false)]), true, 2),
        ("a yes beside words that say no", json!([torn, verdict(false)]), true, 2),
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
    drop(agent.fire());
    let told = last_told(&agent.model);
    assert!(told.starts_with("ERROR This is not a verdict") && told.contains("`ok`"), "{told}");
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
    let builder = project.builder().models(host(&model)).agent_tools(FakeTools::default().for_agents());
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
    let engine = project.builder().models(host(&model)).agent_tools(tools.for_agents()).build().unwrap();
    let outcome = fire(&engine, &project.event(stop()));
    assert!(failure(&outcome).contains("ran out of time"), "{outcome:?}");
    assert_eq!(outcome.runs[0].status, Status::Cancelled);
    assert!(tools.told_to_end.load(Ordering::SeqCst) && tools.dropped.load(Ordering::SeqCst));
    assert_eq!(outcome.runs[0].usage.as_ref().unwrap().requests, 1, "what was used is known anyway");
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
            becket_testkit::wait::until("the tool hangs", || agent.tools.hangs.load(Ordering::SeqCst)).await;
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
        if let RunEventKind::Finished { run } = &event.what {
            seen.lock().unwrap().push(format!("{} {}", run.handler.event, run.status.as_str()));
        }
    };
    let engine = project
        .builder()
        .models(host(&model))
        .agent_tools(tools.for_agents())
        .observe(observe)
        .build()
        .unwrap();
    let outcome = block_on(async {
        let outcome = engine.fire(&project.event(stop())).await;
        engine.close().await;
        outcome
    });
    assert!(failure(&outcome).contains("ran out of time"), "{outcome:?}");
    assert!(tools.inputs().is_empty(), "a check that was cancelled lets nothing run");
    let finished = finished.lock().unwrap();
    assert_eq!(finished.last().unwrap(), "Stop cancelled");
    // On a very busy machine its end may come too late to be reported.
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
    let price = Rates { input: 1.0, output: 5.0, cache_read: None, cache_write: None }.into();
    let builder =
        agent.project.builder().models(priced(&agent.model, price)).agent_tools(agent.tools.for_agents());
    let outcome = fire(&builder.build().unwrap(), &agent.project.event(stop()));
    let usage = outcome.runs[0].usage.clone().unwrap();
    assert_eq!((usage.requests, usage.usage.input_tokens, usage.usage.output_tokens), (2, 2000, 20));
    assert!((usage.cost_usd.unwrap() - 0.0021).abs() < 1e-9);
    assert_eq!(outcome.runs[0].stdout, r#"{"reason":"as seen","ok":true}"#.as_bytes());
}
