//! Interrupted turns, and invalid answers of all kinds.

#![expect(clippy::unwrap_used, reason = "tests fail by panicking")]
#![allow(clippy::wildcard_enum_match_arm, reason = "a test picks one kind of update among many")]

use crate::support::session::{At, never, settings, within};
use crate::support::until;
use becket_agent::session::Prompt;
use becket_agent::turn::{EndReason, TurnEnd};
use becket_agent::update::UpdateKind;
use becket_agent::{Agent, AgentBuilder};
use becket_engine::CancellationToken;
use becket_llm::{Block, Capabilities, Delta, Model, ModelError, Object, Request, StopReason};
use futures_util::stream::{self, BoxStream, StreamExt};
use serde_json::{Value, json};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// A model that sends exactly these pieces, request by request.
struct Raw {
    answers: Mutex<Vec<Vec<Result<Delta, ModelError>>>>,
    asked: Mutex<Vec<Request>>,
}

impl Raw {
    fn new(answers: impl IntoIterator<Item = Vec<Result<Delta, ModelError>>>) -> Arc<Self> {
        let answers: Vec<_> = answers.into_iter().collect();
        Arc::new(Self { answers: Mutex::new(answers), asked: Mutex::default() })
    }

    fn asked(&self) -> usize {
        self.asked.lock().unwrap().len()
    }

    fn told(&self) -> String {
        crate::support::session::shown(&self.asked.lock().unwrap().last().unwrap().messages)
    }
}

impl Model for Raw {
    fn name(&self) -> &str {
        "raw"
    }

    fn stream<'a>(&'a self, request: &'a Request) -> BoxStream<'a, Result<Delta, ModelError>> {
        self.asked.lock().unwrap().push(request.clone());
        stream::iter(self.answers.lock().unwrap().remove(0)).boxed()
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities { tools: true, json_schema: false }
    }
}

fn text(text: &str) -> Vec<Result<Delta, ModelError>> {
    vec![Ok(Delta::BlockStart { index: 0, block: Block::Text(text.into()) })]
}

fn calls(of: &[(&str, &str, &str)]) -> Vec<Result<Delta, ModelError>> {
    let call = |(index, (id, name, input)): (usize, &(&str, &str, &str))| {
        let block = Block::ToolUse { id: (*id).into(), name: (*name).into(), input: Object::new() };
        let json = (*input).to_owned();
        [Delta::BlockStart { index, block }, Delta::ToolInput { index, json }, Delta::BlockStop { index }]
    };
    of.iter().enumerate().flat_map(call).map(Ok).collect()
}

fn ended(mut deltas: Vec<Result<Delta, ModelError>>, stop: StopReason) -> Vec<Result<Delta, ModelError>> {
    deltas.push(Ok(Delta::Stop(stop)));
    deltas
}

fn broken(mut deltas: Vec<Result<Delta, ModelError>>, by: ModelError) -> Vec<Result<Delta, ModelError>> {
    deltas.push(Err(by));
    deltas
}

fn overloaded() -> ModelError {
    let retry_after = Some(Duration::ZERO);
    ModelError::Overloaded { from: "h".into(), retry_after, message: "busy".into() }
}

async fn prompt(builder: AgentBuilder) -> (Agent, TurnEnd) {
    let agent = builder.open().await.unwrap();
    let end = within(agent.prompt(Prompt::text("go"), &never())).await;
    (agent, end)
}

/// Returns a builder for a session of `at` with another model.
fn with(at: &At, model: &Arc<Raw>) -> AgentBuilder {
    let updates = Arc::clone(&at.updates);
    let model: Arc<dyn Model> = model.clone();
    AgentBuilder::new(at.engine.clone(), at.toolbox.clone(), model, &at.dir)
        .facts(at.facts.clone())
        .watch(move |update: &becket_agent::update::Update| updates.lock().unwrap().push(update.clone()))
}

// rules: L0, L2
#[tokio::test]
async fn a_call_with_broken_json_is_answered_and_the_others_run() {
    let hooks = json!({"PreToolUse": ["true"], "PostToolBatch": ["true"]});
    let at = At::new(&settings(&hooks, &json!({})), &json!([]));
    let bad = calls(&[("t1", "Probe", "{\"n\": 1}"), ("t2", "Probe", "{\"n\": "), ("t3", "Probe", "[3]")]);
    let model = Raw::new([ended(bad, StopReason::ToolUse), ended(text("done"), StopReason::EndTurn)]);
    let (_, end) = prompt(with(&at, &model)).await;
    assert_eq!(end.reason, EndReason::Completed);
    assert_eq!(*at.done.ran.lock().unwrap(), [json!({"n": 1})]);
    assert_eq!(at.events(), ["PreToolUse", "PostToolBatch"]);
    let told = model.told();
    assert!(told.contains("result t1: did 1 | result t2 error: <tool_use_error>"), "{told}");
    assert!(
        told.contains("result t3 error: <tool_use_error>the input of a tool call is not a json object"),
        "{told}"
    );
    let batch = at.noted().pop().unwrap();
    assert_eq!(batch["tool_calls"].as_array().unwrap().len(), 3, "{batch:#}");
}

// rule: L3
#[tokio::test]
async fn an_answer_that_breaks_off_is_dropped_and_asked_for_once_more() {
    let half = || broken(calls(&[("t1", "Probe", "{\"n\": 1}")]), overloaded());
    let at = At::new(&settings(&json!({}), &json!({})), &json!([]));
    let model = Raw::new([half(), ended(text("done"), StopReason::EndTurn)]);
    let (_, end) = prompt(with(&at, &model)).await;
    assert_eq!((end.reason, end.text.as_str()), (EndReason::Completed, "done"));
    assert!(at.done.ran.lock().unwrap().is_empty(), "no call of a broken answer is run");
    assert!(!model.told().contains("t1"), "{}", model.told());
    let model = Raw::new([half(), half()]);
    let (_, end) = prompt(with(&at, &model)).await;
    assert!(matches!(end.reason, EndReason::ApiError { .. }), "{end:?}");
    assert_eq!(model.asked(), 2);
    assert!(at.done.ran.lock().unwrap().is_empty());
}

// rule: L3
#[tokio::test]
async fn garbage_and_a_stream_without_an_end_are_errors_of_the_server() {
    let garbage = vec![Ok(Delta::Text { index: 3, text: "of no block".into() })];
    for answer in [garbage, text("half"), Vec::new()] {
        let at = At::new(&settings(&json!({"StopFailure": ["true"]}), &json!({})), &json!([]));
        let model = Raw::new((0..12).map(|_| answer.clone()));
        let agent = with(&at, &model).open().await.unwrap();
        // Waits of minutes pass immediately.
        tokio::time::pause();
        let end = agent.prompt(Prompt::text("go"), &never()).await;
        tokio::time::resume();
        within(agent.close("other")).await;
        let EndReason::ApiError { class, .. } = &end.reason else { panic!("{end:?}") };
        assert_eq!(class, "server_error");
        assert_eq!(at.events(), ["StopFailure"]);
    }
}

// rules: L1, L2
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_thousand_calls_of_one_answer_are_all_answered_ten_at_a_time() {
    let at = At::new(&settings(&json!({}), &json!({})), &json!([]));
    let ids: Vec<String> = (0..1000).map(|n| format!("t{n}")).collect();
    let of: Vec<(&str, &str, &str)> =
        ids.iter().map(|id| (id.as_str(), "Side", "{\"sleep_ms\": 2}")).collect();
    let model = Raw::new([ended(calls(&of), StopReason::ToolUse), ended(text("done"), StopReason::EndTurn)]);
    let (_, end) = prompt(with(&at, &model)).await;
    assert_eq!(end.reason, EndReason::Completed);
    assert_eq!(at.done.ran.lock().unwrap().len(), 1000);
    let most = at.done.most.load(std::sync::atomic::Ordering::SeqCst);
    assert_eq!(most, 10, "so many ran at once");
    let told = model.told();
    let places: Vec<usize> = ids.iter().map(|id| told.find(&format!("result {id}: ")).unwrap()).collect();
    assert!(places.is_sorted(), "results are in the order of the calls");
}

/// Interrupts a turn as soon as a hook or a tool has created a file.
async fn interrupted(at: &At, file: &str) -> (TurnEnd, String) {
    interrupted_once(at, || at.dir.join(file).exists()).await
}

/// Interrupts a turn as soon as `time` is true; returns its end, and the texts added to the next prompt.
async fn interrupted_once(at: &At, time: impl Fn() -> bool) -> (TurnEnd, String) {
    let agent = at.open().await;
    let cancel = CancellationToken::new();
    let turn = agent.prompt(Prompt::text("go"), &cancel);
    let stop = async {
        until("it is time to stop", &time).await;
        cancel.cancel();
    };
    let (end, ()) = within(async { tokio::join!(turn, stop) }).await;
    let next = within(agent.prompt(Prompt::text("next"), &never())).await;
    assert_eq!(next.reason, EndReason::Completed, "{next:?}");
    within(agent.close("other")).await;
    (end, at.requests().pop().unwrap())
}

fn turns(first: &Value) -> Value {
    json!([first, {"text": "done"}])
}

// rules: L2, L6
#[tokio::test]
async fn an_interrupt_ends_calls_that_run_and_starts_no_other() {
    let hangs = json!({"tool_uses": [
        {"id": "t1", "name": "Probe", "input": {"hangs": true}}, {"id": "t2", "name": "Probe"}]});
    let hooks = json!({"Stop": ["true"], "PostToolBatch": ["true"]});
    let at = At::new(&settings(&hooks, &json!({})), &turns(&hangs));
    let (end, told) = interrupted(&at, "hangs").await;
    assert_eq!(end.reason, EndReason::Interrupted);
    assert_eq!(at.done.ran.lock().unwrap().len(), 1);
    assert_eq!(at.events(), ["Stop"], "the interrupted turn has neither PostToolBatch nor Stop");
    assert!(told.contains("result t1 error: the user cancelled this call while it was running"), "{told}");
    assert!(told.contains("result t2 error: the user cancelled this call before it ran"), "{told}");
    assert!(told.contains("[the user interrupted the turn.] | next"), "{told}");
}

// rule: L1
#[tokio::test]
async fn hooks_hear_of_a_call_that_an_interrupt_has_ended_and_hold_it_up_for_a_moment_only() {
    let hangs = json!({"tool_uses": [{"id": "t1", "name": "Probe", "input": {"hangs": true}}]});
    let hooks = json!({"PostToolUse": ["true"], "PostToolUseFailure": ["true", "exec sleep 600"]});
    let at = At::new(&settings(&hooks, &json!({})), &turns(&hangs));
    let (end, _) = interrupted(&at, "hangs").await;
    assert_eq!(end.reason, EndReason::Interrupted);
    assert_eq!(at.events(), ["PostToolUseFailure", "PostToolUseFailure"]);
    let failure = &at.noted()[0];
    assert_eq!((&failure["is_interrupt"], &failure["tool_use_id"]), (&json!(true), &json!("t1")));
    assert!(at.notices().is_empty(), "that its hooks were ended is not reported: {:?}", at.notices());
}

// rule: L6
#[tokio::test]
async fn an_interrupt_ends_stop_hooks_and_the_turn() {
    let stop = "case \"$in\" in *first*) touch $HERE/stops; exec sleep 300;; esac";
    let at = At::new(&settings(&json!({"Stop": [stop]}), &json!({})), &turns(&json!({"text": "first"})));
    let (end, told) = interrupted(&at, "stops").await;
    assert_eq!((end.reason, end.text.as_str()), (EndReason::Interrupted, "first"));
    assert!(told.contains("assistant: first"), "{told}");
    assert!(at.notices().is_empty(), "that it was interrupted is not reported: {:?}", at.notices());
    assert!(at.happened(|what| matches!(what, UpdateKind::StopHooks(_)).then_some(())).len() < 2);
}

// rule: L6
#[tokio::test]
async fn an_interrupt_ends_a_request() {
    let hooks = json!({"StopFailure": ["true"], "Stop": ["true"]});
    let at = At::new(&settings(&hooks, &json!({})), &turns(&json!({"endless": "text"})));
    let hears = || !at.happened(|what| matches!(what, UpdateKind::Text { .. }).then_some(())).is_empty();
    let (end, told) = interrupted_once(&at, hears).await;
    assert_eq!(end.reason, EndReason::Interrupted);
    assert_eq!(at.events(), ["Stop"]);
    assert!(told.contains("user: go | [the user interrupted the turn.] | next"), "{told}");
}

// rule: L6
#[tokio::test]
async fn an_interrupt_ends_the_hooks_of_a_prompt() {
    let hook = "case \"$in\" in *go*) touch $HERE/waits; exec sleep 300;; esac";
    let at = At::new(&settings(&json!({"UserPromptSubmit": [hook]}), &json!({})), &json!([{"text": "done"}]));
    let (end, told) = interrupted(&at, "waits").await;
    assert_eq!(end.reason, EndReason::Interrupted);
    assert!(!told.contains("go"), "a prompt that no hook let pass is none: {told}");
}

// rule: L2
#[tokio::test]
async fn a_turn_that_is_dropped_leaves_a_conversation_that_goes_on() {
    let hangs = json!({"tool_uses": [{"id": "t1", "name": "Probe", "input": {"hangs": true}}]});
    let at = At::new(&settings(&json!({}), &json!({})), &turns(&hangs));
    let agent = at.open().await;
    {
        let never = never();
        let mut turn = std::pin::pin!(agent.prompt(Prompt::text("go"), &never));
        tokio::select! {
            end = &mut turn => panic!("{end:?}"),
            () = at.wait_for("hangs") => {}
        }
    }
    let end = within(agent.prompt(Prompt::text("next"), &never())).await;
    assert_eq!(end.reason, EndReason::Completed);
    let told = at.requests().pop().unwrap();
    assert!(told.contains("user: result t1 error: ") && told.contains("| next"), "{told}");
}
