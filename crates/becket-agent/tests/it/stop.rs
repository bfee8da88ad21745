//! The end of a turn: the host's own tasks, and the reports about its hooks.

#![expect(clippy::unwrap_used, reason = "tests fail by panicking")]
#![allow(clippy::wildcard_enum_match_arm, reason = "a test picks one kind of update among many")]

use crate::support::session::{At, LONG, never, settings, within};
use crate::support::until;
use becket_agent::session::Prompt;
use becket_agent::turn::{
    AtTurnEnd, EndReason, ForTurns, InBare, MainTurn, TaskRun, TaskWait, TurnEndTask, TurnEndTasks,
    TurnOptions,
};
use becket_agent::update::{Origin, StopSummary, UpdateKind};
use becket_agent::{Agent, AgentBuilder};
use becket_engine::{Engine, Environment, RunEvent, RunEventKind, ToolSet};
use becket_model::EventKind;
use becket_tools::tasks::{self, About, BackgroundTask, TaskEnd, TaskKind, Tasks};
use futures_util::future::BoxFuture;
use serde_json::{Value, json};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

async fn send_prompt(agent: &Agent, prompt: &str) -> EndReason {
    within(agent.prompt(Prompt::text(prompt), &never())).await.reason
}

fn answers(n: usize) -> Value {
    (0..n).map(|n| json!({"text": format!("answer {n}")})).collect()
}

fn task(name: &str, wait: TaskWait, run: ForTurns) -> TurnEndTask {
    TurnEndTask { name: name.into(), bare: InBare::Skip, wait, run }
}

/// Records each turn.
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
    tasks.register(task("notes", TaskWait::Await(LONG), noting(&seen)));
    let main: TaskRun<MainTurn> = Arc::new(|turn: MainTurn| {
        turn.overwrite("last", json!(turn.at.text));
        Box::pin(std::future::ready(Ok(())))
    });
    tasks.register(task("keeps", TaskWait::Await(LONG), ForTurns::MainOnly(main)));
    let at = At::new(&settings(&json!({"Stop": [AGAIN]}), &json!({})), &answers(2));
    let agent = at.builder().at_turn_end(tasks.clone()).open().await.unwrap();
    assert_eq!(send_prompt(&agent, "go").await, EndReason::Completed);
    let seen = seen.lock().unwrap();
    let turns: Vec<_> =
        seen.iter().map(|at| (at.text.as_str(), at.stop_hook_active, at.messages.len())).collect();
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
    tasks.register(task("fails", TaskWait::Await(LONG), fails));
    tasks.register(task("panics", TaskWait::Await(LONG), of(Arc::new(|_| panic!("broke")))));
    let hangs = || of(Arc::new(|_| Box::pin(std::future::pending())));
    tasks.register(task("overruns", TaskWait::Await(Duration::from_millis(20)), hangs()));
    let at = At::new(&settings(&json!({"Stop": ["true"]}), &json!({})), &answers(1));
    let agent = at.builder().at_turn_end(tasks).open().await.unwrap();
    assert_eq!(send_prompt(&agent, "go").await, EndReason::Completed);
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
    tasks.register(task("hangs", TaskWait::Await(Duration::from_secs(3600)), ForTurns::All(hangs)));
    let at = At::new(&json!({}), &answers(1));
    let agent = at.builder().at_turn_end(tasks).open().await.unwrap();
    let before = tokio::time::Instant::now();
    let end = agent.prompt(Prompt::text("go"), &never()).await;
    assert_eq!(end.reason, EndReason::Completed);
    let took = before.elapsed();
    assert!((59..62).contains(&took.as_secs()), "the paused clock has moved by {took:?}");
}

/// Counts the live instances.
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
    tasks.register(task("hangs", TaskWait::Detach, ForTurns::All(hangs)));
    let at = At::new(&json!({}), &answers(2));
    let agent = at.builder().at_turn_end(tasks).open().await.unwrap();
    send_prompt(&agent, "go").await;
    send_prompt(&agent, "go on").await;
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
    tasks.register(task("skipped", TaskWait::Await(LONG), noting(&skipped)));
    tasks.register(TurnEndTask { bare: InBare::Run, ..task("run", TaskWait::Await(LONG), noting(&run)) });
    let at = At::new(&json!({}), &answers(1));
    let agent = at.builder().at_turn_end(tasks).open().await.unwrap();
    send_prompt(&agent, "go").await;
    assert_eq!((skipped.lock().unwrap().len(), run.lock().unwrap().len()), (0, 1));
}

fn summaries(at: &At) -> Vec<StopSummary> {
    at.happened(|what| match what {
        UpdateKind::StopHooks(summary) => Some(summary.clone()),
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
    let EndReason::HookStopped { because, by: Some(by) } = send_prompt(&agent, "go").await else { panic!() };
    assert_eq!(because, "that is it");
    assert!(by.starts_with("Stop hook `") && by.ends_with('\u{29}'), "{by}");
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
    send_prompt(&agent, "go").await;
    let [first, second] = &summaries(&at)[..] else { panic!("two summaries") };
    assert!(first.id != second.id && first.had_output && !second.had_output);
    assert!(first.prevented.is_none() && second.errors.is_empty(), "{first:?} {second:?}");
    assert!(first.errors.len() == 1 && first.errors[0].ends_with(": more"), "{:?}", first.errors);
    let notices = at.notices();
    assert!(notices.len() == 1 && notices[0].starts_with("blocked by "), "{notices:?}");
    let at = At::new(&settings(&json!({"Stop": ["true"]}), &json!({})), &answers(1));
    send_prompt(&at.open().await, "go").await;
    assert!(at.notices().is_empty(), "{:?}", at.notices());
    let at = At::new(&json!({}), &answers(1));
    send_prompt(&at.open().await, "go").await;
    assert!(summaries(&at).is_empty(), "no hook ran");
}

// rule: L4
#[tokio::test]
async fn an_answer_that_a_hook_wants_is_not_one_of_those_that_the_host_allows() {
    let at = At::new(&settings(&json!({"Stop": [AGAIN]}), &json!({})), &answers(2));
    let agent = at.builder().max_turns(1).open().await.unwrap();
    let end = within(agent.prompt(Prompt::text("go"), &never())).await;
    assert_eq!((end.reason, end.text.as_str(), end.answers), (EndReason::Completed, "answer 1", 2));
    // The model's own continuations are counted.
    let calls = json!([{"text": "first"}, {"tool_uses": [{"id": "t", "name": "Probe"}]}, {"text": "never"}]);
    let at = At::new(&settings(&json!({"Stop": [AGAIN]}), &json!({})), &calls);
    let agent = at.builder().max_turns(1).open().await.unwrap();
    assert_eq!(send_prompt(&agent, "go").await, EndReason::MaxTurns { limit: 1 });
}

/// A background task that ends when it is cancelled.
struct Waits(tokio::sync::oneshot::Receiver<()>);

impl BackgroundTask for Waits {
    fn about(&self) -> About {
        let kind = TaskKind::Shell { command: "make".into() };
        About { id: None, kind, description: "builds".into() }
    }

    fn run(self: Box<Self>, _: tasks::TaskRun) -> BoxFuture<'static, TaskEnd> {
        Box::pin(async move { self.0.await.map_or(TaskEnd::Killed, |()| TaskEnd::Exited(0)) })
    }
}

// rules: A4, L3
#[tokio::test]
async fn a_run_with_one_prompt_goes_on_when_its_background_tasks_end() {
    let at = At::new(&settings(&json!({"Stop": ["true"]}), &json!({})), &answers(3));
    let tasks = Tasks::new(at.dir.join("tasks"));
    let (ends, end) = tokio::sync::oneshot::channel();
    let (ends_later, later) = tokio::sync::oneshot::channel();
    let options = TurnOptions { one_shot: true, ..TurnOptions::default() };
    let agent = at.builder().tasks(tasks.clone()).options(options).open().await.unwrap();
    tasks.start(Waits(end)).unwrap();
    tasks.start(Waits(later)).unwrap();
    let asked = |n: usize| {
        let model = at.model.clone();
        async move {
            until("the model is asked", || model.requests().len() >= n).await;
        }
    };
    let work = async {
        asked(1).await;
        ends.send(()).unwrap();
        asked(2).await;
        ends_later.send(()).unwrap();
    };
    let never = never();
    let (end, ()) = within(async { tokio::join!(agent.prompt(Prompt::text("go"), &never), work) }).await;
    assert_eq!((end.reason, end.text.as_str()), (EndReason::Completed, "answer 2"));
    assert_eq!(at.events(), ["Stop", "Stop", "Stop"]);
    assert!(at.noted().iter().all(|stop| stop["stop_hook_active"] == false), "{:?}", at.noted());
    let requests = at.requests();
    assert!(requests[1].contains("builds") && requests[2].contains("builds"), "{requests:?}");
}

// rule: A4
#[tokio::test]
async fn background_tasks_are_waited_for_no_longer_than_the_host_wants() {
    for (one_shot, wait, notices) in [(true, 50, 1), (true, 0, 0), (false, 600_000, 0)] {
        let at = At::new(&json!({}), &answers(1));
        let tasks = Tasks::new(at.dir.join("tasks"));
        let background_wait = Duration::from_millis(wait);
        let options = TurnOptions { one_shot, background_wait, ..TurnOptions::default() };
        let agent = at.builder().tasks(tasks.clone()).options(options).open().await.unwrap();
        let (_ends, end) = tokio::sync::oneshot::channel();
        tasks.start(Waits(end)).unwrap();
        assert_eq!(send_prompt(&agent, "go").await, EndReason::Completed);
        let told = at.notices().iter().filter(|text| text.contains("1 background task still ran")).count();
        assert_eq!(told, notices, "{:?}", at.notices());
        within(agent.close("other")).await;
    }
}

// rule: A4
#[tokio::test]
async fn turns_for_background_tasks_count() {
    let at = At::new(&json!({}), &answers(2));
    let tasks = Tasks::new(at.dir.join("tasks"));
    let options = TurnOptions { one_shot: true, ..TurnOptions::default() };
    let agent = at.builder().tasks(tasks.clone()).options(options).max_turns(1).open().await.unwrap();
    let (ends, end) = tokio::sync::oneshot::channel();
    tasks.start(Waits(end)).unwrap();
    let ends = async {
        becket_testkit::wait::until("the first request", || !at.model.requests().is_empty()).await;
        ends.send(()).unwrap();
    };
    let (end, ()) = tokio::join!(send_prompt(&agent, "go"), ends);
    assert_eq!(end, EndReason::MaxTurns { limit: 1 });
}

// rule: L6
#[tokio::test]
async fn a_failure_of_the_engine_itself_warns_and_holds_nothing() {
    let at = At::new(&json!({}), &answers(1));
    let breaks = |event: &RunEvent| {
        if matches!(&event.what, RunEventKind::Fired { event } if event.kind() == EventKind::Stop) {
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
    let agent = AgentBuilder::new(engine, ToolSet::default(), at.model.clone(), &at.dir)
        .watch(move |update: &becket_agent::update::Update| updates.lock().unwrap().push(update.clone()))
        .open()
        .await
        .unwrap();
    assert_eq!(send_prompt(&agent, "go").await, EndReason::Completed);
    assert!(at.notices().iter().any(|text| text.contains("the engine broke")), "{:?}", at.notices());
}
