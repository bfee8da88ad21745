//! The end of a turn: the host's own tasks, and what is told of its hooks.

#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "tests fail by panicking")]
#![allow(clippy::wildcard_enum_match_arm, reason = "a test picks one kind of update among many")]

#[path = "support/session.rs"]
mod session;

use becket_agent::session::Prompt;
use becket_agent::tool_call::Toolbox;
use becket_agent::turn::{
    AtTurnEnd, EndReason, ForTurns, How, InBare, MainTurn, TaskRun, TurnEndTask, TurnEndTasks,
};
use becket_agent::update::{Happened, Origin, StopSummary};
use becket_agent::{Agent, AgentBuilder};
use becket_engine::{Engine, Environment, RunEvent, What};
use becket_model::EventKind;
use serde_json::{Value, json};
use session::{At, LONG, never, settings, within};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

async fn said(agent: &Agent, prompt: &str) -> EndReason {
    within(agent.prompt(Prompt::text(prompt), &never())).await.reason
}

fn answers(n: usize) -> Value {
    (0..n).map(|n| json!({"text": format!("answer {n}")})).collect()
}

fn task(name: &str, how: How, run: ForTurns) -> TurnEndTask {
    TurnEndTask { name: name.into(), bare: InBare::Skip, how, run }
}

/// Notes the text of each turn.
fn noting(seen: &Arc<Mutex<Vec<AtTurnEnd>>>) -> ForTurns {
    let seen = Arc::clone(seen);
    let run: TaskRun<AtTurnEnd> = Arc::new(move |at: AtTurnEnd| {
        seen.lock().unwrap().push(at);
        Box::pin(std::future::ready(Ok(())))
    });
    ForTurns::All(run)
}

const AGAIN: &str = r#"case "$in" in *'active":true'*) ;; *) echo more >&2; exit 2;; esac"#;

// rule: L7
#[tokio::test]
async fn tasks_come_before_stop_hooks_and_see_the_turn() {
    let seen = Arc::default();
    let tasks = TurnEndTasks::new(false);
    tasks.register(task("notes", How::Await(LONG), noting(&seen)));
    let main: TaskRun<MainTurn> = Arc::new(|turn: MainTurn| {
        turn.overwrite("last", json!(turn.at.text));
        Box::pin(std::future::ready(Ok(())))
    });
    tasks.register(task("keeps", How::Await(LONG), ForTurns::MainOnly(main)));
    let at = At::new(&settings(&json!({"Stop": [AGAIN]}), &json!({})), &answers(2));
    let agent = at.builder().at_turn_end(tasks.clone()).open().await.unwrap();
    assert_eq!(said(&agent, "go").await, EndReason::Completed);
    let seen = seen.lock().unwrap();
    let turns: Vec<_> = seen.iter().map(|at| (at.text.as_str(), at.again, at.messages.len())).collect();
    assert_eq!(turns, [("answer 0", false, 2), ("answer 1", true, 4)]);
    assert!(seen.iter().all(|at| at.of == Origin::Main));
    assert_eq!(tasks.snapshots().get("last").as_deref(), Some(&json!("answer 1")));
}

// rule: L7
#[tokio::test]
async fn a_task_that_fails_panics_or_overruns_is_a_notice() {
    let of = |run: TaskRun<AtTurnEnd>| ForTurns::All(run);
    let tasks = TurnEndTasks::new(false);
    let fails = of(Arc::new(|_| Box::pin(std::future::ready(Err("no disk".to_owned())))));
    tasks.register(task("fails", How::Await(LONG), fails));
    tasks.register(task("panics", How::Await(LONG), of(Arc::new(|_| panic!("broke")))));
    let hangs = || of(Arc::new(|_| Box::pin(std::future::pending())));
    tasks.register(task("overruns", How::Await(Duration::from_millis(20)), hangs()));
    let at = At::new(&settings(&json!({"Stop": ["true"]}), &json!({})), &answers(1));
    let agent = at.builder().at_turn_end(tasks).open().await.unwrap();
    assert_eq!(said(&agent, "go").await, EndReason::Completed);
    let notices = at.notices().join("\n");
    for text in
        ["`fails`, which runs at the end of a turn, failed: no disk", "`panics`", "broke", "`overruns`"]
    {
        assert!(notices.contains(text), "{text} in {notices}");
    }
    assert_eq!(at.events(), ["Stop"]);
}

// rule: L7
#[tokio::test(start_paused = true)]
async fn nobody_waits_for_a_task_longer_than_a_minute() {
    let tasks = TurnEndTasks::new(false);
    let hangs: TaskRun<AtTurnEnd> = Arc::new(|_| Box::pin(std::future::pending()));
    tasks.register(task("hangs", How::Await(Duration::from_secs(3600)), ForTurns::All(hangs)));
    let at = At::new(&json!({}), &answers(1));
    let agent = at.builder().at_turn_end(tasks).open().await.unwrap();
    let before = tokio::time::Instant::now();
    let end = agent.prompt(Prompt::text("go"), &never()).await;
    assert_eq!(end.reason, EndReason::Completed);
    let took = before.elapsed();
    assert!((59..62).contains(&took.as_secs()), "the paused clock has moved by {took:?}");
}

/// Counts itself while it lives.
struct Lives(Arc<AtomicUsize>);

impl Lives {
    fn new(count: &Arc<AtomicUsize>) -> Self {
        count.fetch_add(1, Ordering::SeqCst);
        Self(Arc::clone(count))
    }
}

impl Drop for Lives {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

// rule: L7
#[tokio::test]
async fn what_was_left_runs_on_and_ends_with_the_session() {
    let count = Arc::new(AtomicUsize::new(0));
    let living = Arc::clone(&count);
    let hangs: TaskRun<AtTurnEnd> = Arc::new(move |_| {
        let lives = Lives::new(&living);
        Box::pin(async move {
            std::future::pending::<()>().await;
            drop(lives);
            Ok(())
        })
    });
    let tasks = TurnEndTasks::new(false);
    tasks.register(task("hangs", How::Leave, ForTurns::All(hangs)));
    let at = At::new(&json!({}), &answers(2));
    let agent = at.builder().at_turn_end(tasks).open().await.unwrap();
    said(&agent, "go").await;
    said(&agent, "go on").await;
    while count.load(Ordering::SeqCst) < 2 {
        tokio::task::yield_now().await;
    }
    within(agent.close("other")).await;
    assert_eq!(count.load(Ordering::SeqCst), 0);
}

// rule: L7
#[tokio::test]
async fn a_bare_session_runs_only_what_says_so() {
    let (skipped, run) = (Arc::default(), Arc::default());
    let tasks = TurnEndTasks::new(true);
    tasks.register(task("skipped", How::Await(LONG), noting(&skipped)));
    tasks.register(TurnEndTask { bare: InBare::Run, ..task("run", How::Await(LONG), noting(&run)) });
    let at = At::new(&json!({}), &answers(1));
    let agent = at.builder().at_turn_end(tasks).open().await.unwrap();
    said(&agent, "go").await;
    assert_eq!((skipped.lock().unwrap().len(), run.lock().unwrap().len()), (0, 1));
}

fn summaries(at: &At) -> Vec<StopSummary> {
    at.happened(|what| match what {
        Happened::StopHooks(summary) => Some(summary.clone()),
        _ => None,
    })
}

// rule: L8
#[tokio::test]
async fn one_summary_and_one_notice_tell_of_the_hooks() {
    let stops = r#"echo '{"continue": false, "stopReason": "that is it"}'"#;
    let hooks = json!({"Stop": [stops, "echo first >&2; exit 1", "exit 127", "true"]});
    let at = At::new(&settings(&hooks, &json!({})), &answers(1));
    let agent = at.open().await;
    assert_eq!(said(&agent, "go").await, EndReason::HookStopped { because: "that is it".into() });
    let [summary] = &summaries(&at)[..] else { panic!("one summary: {:?}", summaries(&at)) };
    assert_eq!((summary.event, summary.hooks.len()), (EventKind::Stop, 4));
    assert!(summary.hooks.iter().all(|(label, took)| !label.is_empty() && *took > Duration::ZERO));
    assert_eq!(summary.errors.len(), 2, "{:?}", summary.errors);
    assert!(summary.errors.iter().any(|error| error.ends_with(": first")), "{:?}", summary.errors);
    assert_eq!((summary.prevented.as_deref(), summary.had_output), (Some("that is it"), true));
    let notices = at.notices();
    assert!(notices.len() == 1 && notices[0].contains("first") && notices[0].contains("127"), "{notices:?}");
}

// rule: L8
#[tokio::test]
async fn each_end_has_a_summary_with_an_id_of_its_own_and_quiet_hooks_have_no_notice() {
    let at = At::new(&settings(&json!({"Stop": [AGAIN]}), &json!({})), &answers(2));
    let agent = at.open().await;
    said(&agent, "go").await;
    let [first, second] = &summaries(&at)[..] else { panic!("two summaries") };
    assert!(first.id != second.id && first.had_output && !second.had_output);
    assert_eq!((&first.prevented, &first.errors), (&None, &Vec::new()), "a block is no error");
    assert!(at.notices().is_empty(), "{:?}", at.notices());
    let at = At::new(&json!({}), &answers(1));
    said(&at.open().await, "go").await;
    assert!(summaries(&at).is_empty(), "no hook ran");
}

// rule: L6
#[tokio::test]
async fn a_failure_of_the_engine_itself_warns_and_holds_nothing() {
    let at = At::new(&json!({}), &answers(1));
    let breaks = |event: &RunEvent| {
        if matches!(&event.what, What::Fired { event } if event.kind() == EventKind::Stop) {
            panic!("the engine broke");
        }
    };
    let engine = Engine::builder()
        .environment(Environment::empty().with_var("PATH", "/usr/bin:/bin").with_var("HERE", &at.dir))
        .start_dir(&at.dir)
        .settings_text(settings(&json!({"Stop": ["exit 2"]}), &json!({})).to_string())
        .observe(breaks)
        .build()
        .unwrap();
    let updates = Arc::clone(&at.updates);
    let agent = AgentBuilder::new(engine, Toolbox::default(), at.model.clone(), &at.dir)
        .watch(move |update: &becket_agent::update::Update| updates.lock().unwrap().push(update.clone()))
        .open()
        .await
        .unwrap();
    assert_eq!(said(&agent, "go").await, EndReason::Completed);
    assert!(at.notices().iter().any(|text| text.contains("the engine broke")), "{:?}", at.notices());
}
