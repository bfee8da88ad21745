//! In-process handlers: the conditions under which they run, their failures, and their cost (H9).
#![expect(clippy::unwrap_used, clippy::panic, reason = "tests fail by panicking")]

use crate::common::*;
use becket_engine::{Callback, CallbackAnswer, Engine, Hook, InvalidCallback, RunEventKind, Status};
use becket_model::{Event, EventKind, Failure, PermissionDecision, Reply, RequestDecision, Ruling, Source};
use becket_process::CancellationToken;
use becket_testkit::proc::wait_until;
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use serde_json::{Value, json};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

const BRIEFLY: Duration = Duration::from_millis(30);

fn with(callbacks: impl IntoIterator<Item = Callback>) -> (Project, Engine) {
    let project = Project::new();
    let engine = project.engine();
    engine.on_all(callbacks).unwrap();
    (project, engine)
}

fn prompt_event(project: &Project) -> Event {
    project.event(prompt("hello"))
}

/// Runs a test without a runtime: nothing may be spawned, and no timer created.
fn fire_bare(engine: &Engine, event: &Event) -> becket_engine::Outcome {
    engine.fire(event).now_or_never().unwrap()
}

#[test]
fn every_way_of_answering_counts() {
    // rule: H9
    let deny = || pre(json!({"permissionDecision": "deny", "permissionDecisionReason": "no"}));
    let kinds: Vec<Callback> = vec![
        Callback::inline(EventKind::PreToolUse, |_| Reply::deny("no")),
        Callback::inline(EventKind::PreToolUse, |_| Reply::block("no")),
        Callback::inline(EventKind::PreToolUse, |_| Some(Reply::deny("no"))),
        Callback::inline(EventKind::PreToolUse, |_| Ok::<_, String>(Reply::deny("no"))),
        Callback::inline(EventKind::PreToolUse, move |_| deny()),
        Callback::inline(EventKind::PreToolUse, |_| json!({"decision": "block", "reason": "no"})),
        Callback::blocking(EventKind::PreToolUse, |_, _| Reply::deny("no")),
        Callback::future(EventKind::PreToolUse, |_, _| Box::pin(async { Reply::deny("no") })),
        Callback::future(EventKind::PreToolUse, |_, _| {
            Box::pin(async {
                tokio::task::yield_now().await;
                Reply::deny("no")
            })
        }),
        Callback::future(EventKind::PreToolUse, |event: &Event, _| {
            // The input is typed, and may be borrowed across awaits.
            Box::pin(async move {
                tokio::task::yield_now().await;
                let (tool, input) = event.body.tool_call().unwrap();
                (tool == "Bash" && input["command"] == "ls").then(|| Reply::deny("no"))
            })
        }),
    ];
    for (nth, callback) in kinds.into_iter().enumerate() {
        let (project, engine) = with([callback]);
        let outcome = fire(&engine, &project.event(bash("ls")));
        assert!(outcome.verdict.blocks(), "{nth}");
        assert_eq!(outcome.verdict.joined_reason().as_deref(), Some("no"), "{nth}");
        assert_eq!(outcome.runs[0].status, Status::Blocked, "{nth}");
    }
    for silent in [
        Callback::inline(EventKind::PreToolUse, |_| ()),
        Callback::inline(EventKind::PreToolUse, |_| None::<Reply>),
        Callback::inline(EventKind::PreToolUse, |_| Value::Null),
        Callback::inline(EventKind::PreToolUse, |_| json!({})),
        Callback::inline(EventKind::PreToolUse, |_| json!({"async": true})),
        Callback::inline(EventKind::PreToolUse, |_| json!({"async": true, "asyncTimeout": 3})),
    ] {
        let (project, engine) = with([silent]);
        let outcome = fire_bare(&engine, &project.event(bash("ls")));
        assert_eq!(outcome.verdict.ruling, Ruling::None);
        assert_eq!((outcome.runs.len(), outcome.runs[0].status), (1, Status::Success));
    }
    let both = Callback::inline(EventKind::PreToolUse, |_| json!({"async": true, "decision": "block"}));
    let (project, engine) = with([both]);
    assert!(fire(&engine, &project.event(bash("ls"))).verdict.blocks(), "a denial is not an announcement");
}

/// Returns every way in which a callback can fail.
fn wrongs(event: EventKind) -> Vec<(&'static str, Callback)> {
    struct PanicsAtOnce;
    impl Hook for PanicsAtOnce {
        fn call<'a>(&'a self, _: &'a Event, _: &'a CancellationToken) -> BoxFuture<'a, CallbackAnswer> {
            panic!("before there is a future")
        }
    }
    vec![
        ("broke", Callback::inline(event, |_| Err::<(), _>("it broke"))),
        ("panicked: oh", Callback::inline(event, |_| oh())),
        ("wrong `systemMessage`", Callback::inline(event, |_| json!({"systemMessage": 3}))),
        ("not a JSON object", Callback::inline(event, |_| json!("deny"))),
        ("not a JSON object", Callback::inline(event, |_| json!([{"decision": "block"}]))),
        ("out of time", Callback::inline(event, |_| std::thread::sleep(BRIEFLY * 2)).timeout(BRIEFLY)),
        ("broke", Callback::future(event, |_, _| Box::pin(async { Err::<(), _>("it broke") }))),
        ("panicked: oh", Callback::future(event, |_, _| Box::pin(async { oh() }))),
        ("before there is a future", Callback::object(event, Arc::new(PanicsAtOnce))),
        (
            "out of time",
            Callback::future(event, |_, _| Box::pin(std::future::pending::<()>())).timeout(BRIEFLY),
        ),
        ("broke", Callback::blocking(event, |_, _| Err::<(), _>("it broke"))),
        ("panicked: oh", Callback::blocking(event, |_, _| oh())),
        ("out of time", Callback::blocking(event, |_, _| std::thread::sleep(BRIEFLY * 20)).timeout(BRIEFLY)),
    ]
}

#[test]
fn what_goes_wrong_denies_a_call_and_rejects_a_prompt() {
    // rules: H9, D7
    for (words, callback) in wrongs(EventKind::PreToolUse) {
        let (project, engine) = with([callback]);
        let outcome = fire(&engine, &project.event(bash("ls")));
        assert!(outcome.verdict.blocks(), "{words}: {:?}", outcome.verdict);
        let reason = outcome.verdict.joined_reason().unwrap();
        assert!(reason.contains(words), "{words}: {reason}");
        assert_eq!(outcome.verdict.failures.len(), 1, "{words}");
        assert_ne!(outcome.runs[0].status, Status::Success, "{words}");
    }
    for (words, callback) in wrongs(EventKind::UserPromptSubmit) {
        let (project, engine) = with([callback]);
        let outcome = fire(&engine, &prompt_event(&project));
        assert!(outcome.verdict.blocks(), "{words}: {:?}", outcome.verdict);
    }
}

#[test]
fn elsewhere_what_goes_wrong_is_told_and_holds_nothing_back() {
    // rule: H9
    for (words, callback) in wrongs(EventKind::Stop) {
        let (project, engine) = with([callback]);
        let outcome = fire(&engine, &project.event(stop()));
        assert!(!outcome.verdict.blocks(), "{words}");
        assert!(
            outcome.verdict.failures[0].what.to_string().contains(words),
            "{words}: {:?}",
            outcome.verdict
        );
    }
}

#[test]
fn an_explicit_denial_goes_before_a_failure() {
    // rules: H9, D2
    let (project, engine) = with([
        Callback::inline(EventKind::PreToolUse, |_| Err::<(), _>("it broke")).named("broken"),
        Callback::inline(EventKind::PreToolUse, |_| Reply::deny("not today")).named("guard"),
    ]);
    let outcome = fire(&engine, &project.event(bash("ls")));
    let reason = outcome.verdict.joined_reason().unwrap();
    assert!(reason.starts_with("[callback] not today"), "{reason}");
}

#[test]
fn a_late_answer_allows_nothing_and_still_holds_back() {
    // rule: H9
    let late = |reply: Reply| {
        move |_: &Event| {
            std::thread::sleep(BRIEFLY * 2);
            reply.clone()
        }
    };
    let allow = Callback::inline(EventKind::PreToolUse, late(Reply::allow()));
    // Callbacks whose future blocks its thread, at its first step or after it.
    let blocks = |is_first: bool| {
        Callback::future(EventKind::PreToolUse, move |_, _| {
            Box::pin(async move {
                if !is_first {
                    tokio::task::yield_now().await;
                }
                std::thread::sleep(BRIEFLY * 2);
                Reply::allow()
            })
        })
    };
    for allow in [allow, blocks(true), blocks(false)] {
        let (project, engine) = with([allow.timeout(BRIEFLY)]);
        let outcome = fire(&engine, &project.event(bash("ls")));
        assert!(outcome.verdict.blocks(), "{:?}", outcome.verdict);
        assert!(matches!(outcome.runs[0].failure, Some(Failure::TimedOut { .. })));
    }
    let request = |project: &Project| {
        let body = json!({"tool_name": "Bash", "tool_input": {"command": "ls"}});
        project.event(
            serde_json::from_value::<becket_model::event::permission::PermissionRequest>(body).unwrap(),
        )
    };
    let refuse = Reply {
        decision: Some(becket_model::Decision::PermissionRequest(RequestDecision::Deny {
            message: Some("no".into()),
            interrupt: false,
        })),
        ..Reply::default()
    };
    let refuse = Callback::inline(EventKind::PermissionRequest, late(refuse)).timeout(BRIEFLY);
    let (project, engine) = with([refuse]);
    let outcome = fire(&engine, &request(&project));
    assert!(outcome.verdict.blocks(), "{:?}", outcome.verdict);
    assert!(matches!(outcome.runs[0].failure, Some(Failure::TimedOut { .. })));
}

#[test]
fn matcher_condition_order_and_once_say_when_it_runs() {
    // rules: H9, C6, C11, P6
    let heard: Arc<Mutex<Vec<&'static str>>> = Arc::default();
    let note = |name: &'static str| {
        let heard = heard.clone();
        move |_: &Event| heard.lock().unwrap().push(name)
    };
    let (project, engine) = with([
        Callback::inline(EventKind::PreToolUse, note("second")).matcher("Bash").order(2),
        Callback::inline(EventKind::PreToolUse, note("first")).matcher("Bash").order(1),
        Callback::inline(EventKind::PreToolUse, note("other tool")).matcher("Write"),
        Callback::inline(EventKind::PreToolUse, note("rm")).when("Bash(rm *)").order(3),
        Callback::inline(EventKind::PreToolUse, note("once")).once().order(4),
    ]);
    drop(fire_bare(&engine, &project.event(bash("ls"))));
    assert_eq!(std::mem::take(&mut *heard.lock().unwrap()), ["first", "second", "once"]);
    drop(fire_bare(&engine, &project.event(bash("rm x"))));
    assert_eq!(*heard.lock().unwrap(), ["first", "second", "rm"]);
}

#[test]
fn once_survives_a_failure() {
    // rule: C11
    let calls = Arc::new(AtomicUsize::new(0));
    let count = calls.clone();
    let fails_at_first = move |_: &Event| match count.fetch_add(1, Ordering::SeqCst) {
        0 => Err("not yet"),
        _ => Ok(()),
    };
    let (project, engine) = with([Callback::inline(EventKind::PreToolUse, fails_at_first).once()]);
    for _ in 0..4 {
        drop(fire_bare(&engine, &project.event(bash("ls"))));
    }
    assert_eq!(calls.load(Ordering::SeqCst), 2);
}

#[test]
fn time_limits_are_those_of_the_event_the_function_and_the_profile() {
    // rules: H9, H11
    let limits = |profile: becket_engine::Profile| {
        let project = Project::new();
        let engine = project.builder().profile(profile).build().unwrap();
        let end = EventKind::SessionEnd;
        engine.on(Callback::inline(EventKind::PreToolUse, |_| ())).unwrap();
        engine.on(Callback::inline(EventKind::PreToolUse, |_| ()).function()).unwrap();
        engine.on(Callback::inline(EventKind::PreToolUse, |_| ()).timeout(BRIEFLY)).unwrap();
        engine.on(Callback::inline(end, |_| ())).unwrap();
        let of = |event| {
            let plan = engine.plan(&event);
            plan.runs().iter().map(|run| run.handler.timeout.limit.as_secs_f64()).collect::<Vec<_>>()
        };
        (of(project.event(bash("ls"))), of(project.event(crate::common::end())))
    };
    let (calls, ends) = limits(becket_engine::Profile::claude());
    assert_eq!((calls, ends), (vec![600.0, 0.03, 5.0], vec![1.5]));
    let (calls, ends) = limits(becket_engine::Profile::agent());
    assert_eq!((calls, ends), (vec![10.0, 0.03, 10.0], vec![10.0]));
}

#[test]
fn the_host_is_released_at_the_limit_and_the_callback_is_told() {
    // rule: H9
    let told = Arc::new(AtomicBool::new(false));
    let (sets, seen) = (told.clone(), told.clone());
    let (project, engine) = with([Callback::blocking(EventKind::PreToolUse, move |_, cancel| {
        wait_until(|| cancel.is_cancelled());
        sets.store(true, Ordering::SeqCst);
    })
    .timeout(BRIEFLY)]);
    let started = Instant::now();
    let outcome = fire(&engine, &project.event(bash("ls")));
    assert!(started.elapsed() < Duration::from_secs(10));
    assert!(matches!(outcome.runs[0].failure, Some(Failure::TimedOut { .. })));
    assert!(wait_until(|| seen.load(Ordering::SeqCst)), "the thread never saw its token");
}

#[test]
fn a_callback_that_never_comes_back_does_not_cost_a_thread_for_each_event() {
    // rule: H9
    const EVENTS: usize = 300;
    let (called, hangs) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicBool::new(true)));
    let (counts, hanging) = (called.clone(), hangs.clone());
    let (project, engine) = with([Callback::blocking(EventKind::PreToolUse, move |_, _| {
        counts.fetch_add(1, Ordering::SeqCst);
        wait_until(|| !hanging.load(Ordering::SeqCst));
        Reply::allow()
    })
    .timeout(Duration::from_secs(600))]);
    let event = project.event(bash("ls"));
    let abandon = || async {
        let mut firing = std::pin::pin!(engine.fire(&event));
        // Started and dropped, as by a host that gives up.
        firing.as_mut().now_or_never()
    };
    block_on(async {
        let mut denied = 0;
        for _ in 0..EVENTS {
            denied += usize::from(abandon().await.is_some_and(|outcome| outcome.verdict.blocks()));
        }
        assert_eq!(denied, EVENTS - 128, "what is not called denies at once");
    });
    hangs.store(false, Ordering::SeqCst);
    assert!(wait_until(|| !fire(&engine, &event).verdict.blocks()), "what came back makes room again");
    assert!(called.load(Ordering::SeqCst) <= 129 + 1, "{called:?}");
}

#[test]
fn a_cancelled_event_cancels_its_callbacks() {
    // rule: H9
    struct DropFlag(Arc<AtomicBool>);
    impl Drop for DropFlag {
        fn drop(&mut self) {
            self.0.store(true, Ordering::SeqCst);
        }
    }
    let (gone, called) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicBool::new(false)));
    let (flag, calls) = (gone.clone(), called.clone());
    let (project, engine) = with([Callback::future(EventKind::PreToolUse, move |_, _| {
        let (held, calls) = (DropFlag(flag.clone()), calls.clone());
        Box::pin(async move {
            let _held = held;
            calls.store(true, Ordering::SeqCst);
            std::future::pending::<()>().await
        })
    })]);
    let cancel = CancellationToken::new();
    let event = project.event(bash("ls"));
    let outcome = block_on(async {
        let cancelling = async {
            becket_testkit::wait::until("it is called", || called.load(Ordering::SeqCst)).await;
            cancel.cancel();
        };
        tokio::join!(engine.fire_until(&event, &cancel), cancelling).0
    });
    assert!(outcome.verdict.blocks(), "a callback that was cut off has not allowed anything");
    assert!(gone.load(Ordering::SeqCst), "its future outlived the event");
}

#[test]
fn managed_settings_leave_out_functions_and_not_callbacks() {
    // rules: G2, H9
    let project = Project::new();
    project.write("managed/managed-settings.json", r#"{"allowManagedHooksOnly": true}"#);
    let engine = project.engine();
    engine.on(Callback::inline(EventKind::PreToolUse, |_| ()).named("host")).unwrap();
    engine.on(Callback::inline(EventKind::PreToolUse, |_| ()).named("session").function()).unwrap();
    let plan = engine.plan(&project.event(bash("ls")));
    let runs: Vec<_> = plan.runs().iter().map(|run| run.handler.place.source.clone()).collect();
    assert_eq!(runs, [Source::Callback]);
    assert_eq!(plan.skipped().count(), 1);
}

#[test]
fn what_can_not_be_registered_says_why() {
    // rules: H9, M4, P12, H11
    let engine = Engine::builder().build().unwrap();
    let wrong = |callback: Callback| engine.on(callback.named("guard")).unwrap_err();
    let on = |event| Callback::inline(event, |_| ());
    let matcher = wrong(on(EventKind::PreToolUse).matcher("(").named("x"));
    assert!(matches!(matcher, InvalidCallback::Matcher { .. }), "{matcher}");
    let condition = wrong(on(EventKind::PreToolUse).when("Bash("));
    assert!(condition.to_string().contains("`guard` on `PreToolUse`"), "{condition}");
    let elsewhere = wrong(on(EventKind::Stop).when("Bash(ls)"));
    assert!(elsewhere.to_string().contains("never run"), "{elsewhere}");
    assert!(matches!(wrong(on(EventKind::Stop).timeout(Duration::ZERO)), InvalidCallback::NoTime { .. }));
    let half = engine.on_all([on(EventKind::Stop), on(EventKind::PreToolUse).matcher("(")]);
    assert!(half.is_err() && !engine.host().has_any(EventKind::Stop), "all or nothing");
}

#[test]
fn callbacks_alone_need_no_json_no_runtime_and_no_progress() {
    // rules: N2, H13, H9
    let project = Project::new();
    let told = Arc::new(AtomicUsize::new(0));
    let count = told.clone();
    let observer = move |_: &becket_engine::RunEvent| {
        count.fetch_add(1, Ordering::SeqCst);
    };
    let engine = project.builder().observe(observer).build().unwrap();
    let internal = || Callback::inline(EventKind::PreToolUse, |_| ()).internal();
    let first = engine.on_all((0..10).map(|_| internal())).unwrap();
    drop(fire_bare(&engine, &project.event(bash("ls"))));
    assert_eq!(told.load(Ordering::SeqCst), 0, "nothing but internal callbacks matches");
    engine.on(Callback::inline(EventKind::PreToolUse, |_| ())).unwrap();
    drop(fire_bare(&engine, &project.event(bash("ls"))));
    assert_eq!(told.load(Ordering::SeqCst), 2 + 2 * 11, "fired, 11 started, 11 finished, decided");
    assert_eq!(engine.host().inputs_serialized(), 0);
    assert!(engine.unregister(first));
    assert_eq!(engine.plan(&project.event(bash("ls"))).runs().len(), 1);
}

#[test]
fn the_input_is_written_once_whatever_needs_it() {
    // rule: N2
    let handlers: Vec<Value> = (0..10).map(|n| command(&format!("true {n}"))).collect();
    let project = Project::with(hooks("PreToolUse", "", Value::Array(handlers)));
    let engine = project.engine();
    engine.on(Callback::inline(EventKind::PreToolUse, |_| ())).unwrap();
    for fired in 1..=3 {
        assert_eq!(fire(&engine, &project.event(bash("ls"))).runs.len(), 11);
        assert_eq!(engine.host().inputs_serialized(), fired);
    }
}

#[test]
fn callbacks_of_64_tasks_come_and_go_without_a_loss() {
    // rules: C10, H9
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(4).enable_all().build().unwrap();
    let project = Project::new();
    let engine = project.engine();
    let calls = Arc::new(AtomicUsize::new(0));
    let event = project.event(bash("ls"));
    runtime.block_on(async {
        let tasks = (0..64).map(|_| {
            let (engine, calls, event) = (engine.clone(), calls.clone(), event.clone());
            tokio::spawn(async move {
                let count = move |_: &Event| {
                    calls.fetch_add(1, Ordering::SeqCst);
                };
                let kept = engine.on(Callback::inline(EventKind::PreToolUse, count)).unwrap();
                let gone =
                    engine.on(Callback::inline(EventKind::PreToolUse, |_| Reply::deny("gone"))).unwrap();
                assert!(engine.fire(&event).await.verdict.blocks());
                assert!(engine.unregister(gone));
                assert!(!engine.unregister(gone));
                kept
            })
        });
        let kept = futures_util::future::join_all(tasks).await;
        calls.store(0, Ordering::SeqCst);
        assert!(!engine.fire(&event).await.verdict.blocks());
        assert_eq!(calls.load(Ordering::SeqCst), 64);
        kept.into_iter().for_each(|id| assert!(engine.unregister(id.unwrap())));
    });
    assert!(!engine.host().has_any(EventKind::PreToolUse));
}

#[test]
fn a_part_of_an_answer_holds_back_and_lets_nothing_pass() {
    // rules: H9, O10
    let in_part = |answer: &Value| CallbackAnswer::InPart {
        answer: answer.as_object().unwrap().clone(),
        why: "`reson` is not a field".into(),
    };
    let pre =
        |decision: &str| pre(json!({"permissionDecision": decision, "permissionDecisionReason": "mine"}));
    for (answer, reason) in [
        (pre("deny"), Some("mine")),
        (pre("allow"), None),
        (pre("ask"), None),
        (json!({}), None),
        (json!({"decision": 7}), None),
    ] {
        let said = in_part(&answer);
        let (project, engine) = with([Callback::inline(EventKind::PreToolUse, move |_| said.clone())]);
        let outcome = fire_bare(&engine, &project.event(bash("ls")));
        assert!(outcome.verdict.blocks(), "{answer}");
        let failure = outcome.runs[0].failure.clone();
        assert!(
            matches!(failure, Some(Failure::Callback { message }) if message.contains("reson")),
            "{answer}"
        );
        if let Some(reason) = reason {
            assert_eq!(outcome.verdict.joined_reason().as_deref(), Some(reason));
        }
    }
    let (block, nothing) = (in_part(&json!({"decision": "block", "reason": "not yet"})), in_part(&json!({})));
    for (said, blocks) in [(block, true), (nothing, false)] {
        let (project, engine) = with([Callback::inline(EventKind::Stop, move |_| said.clone())]);
        let outcome = fire_bare(&engine, &project.event(stop()));
        assert_eq!(outcome.verdict.blocks(), blocks);
        assert!(outcome.runs[0].failure.is_some());
    }
}

#[test]
fn an_event_that_is_ready_runs_what_was_planned_for_it() {
    // rules: H9, N3
    let (project, engine) = with([]);
    let cancel = CancellationToken::new();
    let until = |event: becket_engine::ReadyEvent| event.fire_until(&cancel).now_or_never().unwrap();
    let before = engine.host().ready(project.event(bash("ls")));
    assert!(before.runs().is_empty());
    let guard = engine.on(Callback::inline(EventKind::PreToolUse, |_| Reply::deny("guarded"))).unwrap();
    let ready = engine.host().ready(project.event(bash("ls")));
    assert!(engine.unregister(guard));
    let after = engine.host().ready(project.event(bash("ls")));
    assert_eq!([&before, &ready, &after].map(|event| event.runs().len()), [0, 1, 0]);
    let (event, outcome) = until(ready);
    assert_eq!(event, project.event(bash("ls")));
    assert_eq!(outcome.verdict.joined_reason().as_deref(), Some("guarded"));
    assert_eq!(outcome.plan.runs().len(), 1);
    for silent in [before, after] {
        assert!(!until(silent).1.verdict.blocks());
    }
    // A hook sees the absolute path; the event is returned unchanged.
    let seen = Arc::new(Mutex::new(Value::Null));
    let sees = seen.clone();
    let look =
        move |event: &Event| *sees.lock().unwrap() = event.body.tool_call().unwrap().1["file_path"].clone();
    engine.on(Callback::inline(EventKind::PreToolUse, look)).unwrap();
    let relative = project.event(call("Read", json!({"file_path": "./a"})));
    let (event, _) = until(engine.host().ready(relative.clone()));
    assert_eq!(event, relative);
    assert_eq!(*seen.lock().unwrap(), json!(project.path("work/a")));
}

#[test]
fn a_callback_beside_a_command_folds_with_it() {
    // rules: D1, D4, H9
    let project = Project::with(hooks(
        "PreToolUse",
        "Bash",
        json!([says(pre(json!({"permissionDecision": "allow"})))]),
    ));
    let engine = project.engine();
    engine.on(Callback::inline(EventKind::PreToolUse, |_| Reply::ask("sure?"))).unwrap();
    let outcome = fire(&engine, &project.event(bash("ls")));
    assert!(matches!(outcome.verdict.ruling, Ruling::Permission { decision: PermissionDecision::Ask, .. }));
}

#[test]
fn a_subscriber_sees_a_callback_start_and_end() {
    // rule: H13
    let (project, engine) = with([Callback::inline(EventKind::PreToolUse, |_| Reply::deny("no"))
        .named("guard")
        .status_message("looking")]);
    let mut events = engine.subscribe();
    drop(fire_bare(&engine, &project.event(bash("ls"))));
    let mut seen = Vec::new();
    while let Some(Some(becket_engine::StreamItem::Event(event))) = events.next().now_or_never() {
        match event.what {
            RunEventKind::Started { handler } => {
                seen.push(format!("started {}", handler.status_message.as_deref().unwrap()))
            }
            RunEventKind::Finished { run } => seen.push(format!("ended {}", run.status.as_str())),
            RunEventKind::Fired { .. }
            | RunEventKind::Skipped(_)
            | RunEventKind::Output { .. }
            | RunEventKind::Backgrounded { .. }
            | RunEventKind::BackgroundFinished { .. }
            | RunEventKind::Decided { .. } => {}
        }
    }
    assert_eq!(seen, ["started looking", "ended blocked"]);
}

fn oh() {
    panic!("oh")
}
