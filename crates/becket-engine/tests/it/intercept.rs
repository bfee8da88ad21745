//! An interceptor replaces, feeds and observes the runs of handlers; its ends are treated like every answer.
#![expect(clippy::expect_used, reason = "tests fail by panicking")]

use crate::common::{Project, bash};
use becket_engine::{InterceptedRun, Outcome, RunEnd, RunInterceptor, model::Failure};
use bytes::Bytes;
use serde_json::json;
use std::sync::{Arc, Mutex};

/// Handles each run as a test specifies, and records the real ends.
#[derive(Default)]
struct Double {
    replaced: Option<RunEnd>,
    stdin: Option<Bytes>,
    counts: Option<RunEnd>,
    seen: Mutex<Vec<RunEnd>>,
}

impl RunInterceptor for Double {
    fn replace(&self, _run: InterceptedRun<'_>) -> Option<RunEnd> {
        self.replaced.clone()
    }

    fn stdin(&self, _run: InterceptedRun<'_>) -> Option<Bytes> {
        self.stdin.clone()
    }

    fn ended(&self, run: InterceptedRun<'_>, end: RunEnd) -> RunEnd {
        assert!(run.input.ends_with(b"\n"), "the input is the event's");
        self.seen.lock().expect("no test panics with it").push(end.clone());
        self.counts.clone().unwrap_or(end)
    }
}

/// Fires a Bash call at a guard that leaves a file and denies its input.
async fn fired(on_failure: &str, double: Double) -> (Outcome, Arc<Double>, bool) {
    let project = Project::with(json!({"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [
        {"type": "command", "command": "touch ran; cat >&2; exit 2", "onFailure": on_failure},
    ]}]}}));
    let double = Arc::new(double);
    let engine = project.builder().intercept(double.clone()).build().expect("it loads");
    let outcome = engine.fire(&project.event(bash("ls"))).await;
    let ran = project.work().join("ran").exists();
    (outcome, double, ran)
}

#[tokio::test]
async fn a_replaced_run_starts_nothing_and_is_judged_like_a_real_one() {
    // rules: O3, O10
    let exit_2 = Some(RunEnd::exited(2, "", "not today"));
    let (outcome, _, ran) = fired("continue", Double { replaced: exit_2, ..Double::default() }).await;
    assert_eq!((outcome.reason().as_deref(), ran), (Some("not today"), false));
    let json = Some(RunEnd::exited(0, r#"{"decision": "block", "reason": "no"}"#, ""));
    let (outcome, ..) = fired("continue", Double { replaced: json, ..Double::default() }).await;
    assert_eq!(outcome.reason().as_deref(), Some("no"));
    for (on_failure, blocks) in [("continue", false), ("block", true)] {
        let killed = Some(RunEnd::Failed(Failure::Signaled { signal: 9 }));
        let (outcome, ..) = fired(on_failure, Double { replaced: killed, ..Double::default() }).await;
        assert_eq!(outcome.verdict.blocks(), blocks, "{on_failure}");
        assert!(outcome.runs[0].failure.is_some());
    }
}

#[tokio::test]
async fn a_real_run_gets_other_input_and_its_end_can_be_changed() {
    // rules: H4, O3
    let (outcome, double, ran) =
        fired("continue", Double { stdin: Some("hello".into()), ..Double::default() }).await;
    assert_eq!((outcome.reason().as_deref(), ran), (Some("hello"), true));
    assert_eq!(*double.seen.lock().expect("it is whole"), [RunEnd::exited(2, "", "hello")]);
    let silent = Some(RunEnd::exited(0, "", ""));
    let (outcome, double, ran) = fired("continue", Double { counts: silent, ..Double::default() }).await;
    assert!(!outcome.verdict.blocks() && ran);
    assert_eq!(double.seen.lock().expect("it is whole").len(), 1);
}

#[tokio::test]
async fn amended_hooks_are_planned_as_they_were_changed() {
    let settings = json!({"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [
        {"type": "command", "command": "exit 2"}, {"type": "command", "command": "true"},
    ]}]}});
    let project = Project::with(settings);
    let without_guard =
        |handler: becket_engine::handler::Handler| (*handler.place.label != *"exit 2").then_some(handler);
    let engine = project.builder().amend_hooks(without_guard).build().expect("it loads");
    let outcome = engine.fire(&project.event(bash("ls"))).await;
    assert_eq!(outcome.runs.len(), 1);
    assert!(!outcome.verdict.blocks());
    engine.host().reload().expect("it loads again");
    assert!(engine.fire(&project.event(bash("ls"))).await.verdict.blocks(), "a reload takes what is written");
}
