//! Hooks that go to the background, from the event to the delivery (A1–A5), with real processes.
#![expect(clippy::unwrap_used, reason = "tests fail by panicking")]

use crate::common::*;
use becket_engine::{Engine, Outcome, PendingState, Status};
use becket_model::{Event, Failure, Ruling};
use serde_json::{Value, json};
use std::time::{Duration, Instant};

const LONG: Duration = Duration::from_secs(60);

fn with(event: &str, handler: Value) -> (Project, Engine) {
    let project = Project::with(hooks(event, "", json!([handler])));
    let engine = project.engine();
    (project, engine)
}

fn background(script: &str, kind: &str) -> Value {
    json!({ "type": "command", "command": script, kind: true })
}

/// Fires an event, and takes the results of the background hooks.
async fn fired(engine: &Engine, event: &Event) -> (Outcome, Vec<becket_engine::BackgroundDelivery>) {
    let outcome = engine.fire(event).await;
    tokio::time::timeout(LONG, engine.host().wait_for_background(&event.session.id)).await.unwrap();
    (outcome, engine.host().collect_background(&event.session.id))
}

#[test]
fn the_event_goes_on_at_once_and_nothing_is_decided() {
    // rules: A1, A3
    let said = json!({
        "systemMessage": "for the model", "decision": "block", "reason": "no", "continue": false,
        "hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "deny", "additionalContext": "done"},
    });
    let script = format!("cat >got; while [ ! -e go ]; do sleep 0.01; done; echo '{said}'");
    let (project, engine) = with("PreToolUse", background(&script, "async"));
    let event = project.event(bash("ls"));
    block_on(async {
        let outcome = engine.fire(&event).await;
        assert_eq!(outcome.verdict.ruling, Ruling::None);
        let id = outcome.runs[0].background.unwrap();
        let pending = engine.host().background();
        assert_eq!((pending.len(), pending[0].id, pending[0].state), (1, id, PendingState::Running));
        assert!(engine.host().collect_background(&event.session.id).is_empty(), "nothing has ended yet");
        project.write("work/go", "");
        tokio::time::timeout(LONG, engine.host().wait_for_background(&event.session.id)).await.unwrap();
        let delivered = engine.host().collect_background(&event.session.id);
        assert_eq!(delivered.len(), 1);
        assert_eq!(delivered[0].contexts, ["done", "for the model"]);
        assert!(
            delivered[0].warnings.iter().any(|text| text.contains("permissionDecision")),
            "{delivered:?}"
        );
        assert!(engine.host().collect_background(&event.session.id).is_empty(), "delivered twice");
        assert!(project.read("work/got").contains("\"PreToolUse\""), "stdin is fed and closed");
    });
}

#[test]
fn a_first_line_takes_a_running_hook_to_the_background() {
    // rule: A2
    let script = r#"echo '{"async": true, "asyncTimeout": 30}'
        while [ ! -e go ]; do sleep 0.01; done; echo '{"systemMessage": "tests pass"}'"#;
    let (project, engine) = with("PostToolUse", command(script));
    let event = project.event(after("Write", json!({"file_path": "/x"}), json!({})));
    block_on(async {
        let outcome = engine.fire(&event).await;
        assert!(outcome.runs[0].background.is_some());
        assert_eq!(outcome.runs[0].status, Status::Success);
        assert_eq!(engine.host().background()[0].limit, Duration::from_secs(30));
        project.write("work/go", "");
        tokio::time::timeout(LONG, engine.host().wait_for_background(&event.session.id)).await.unwrap();
        assert_eq!(engine.host().collect_background(&event.session.id)[0].contexts, ["tests pass"]);
    });
}

#[test]
fn how_fast_an_announced_hook_ends_changes_nothing() {
    // rules: A2, D1
    let deny = pre(json!({"permissionDecision": "deny"})).to_string();
    for pause in ["", "sleep 0.05;"] {
        let script = format!("echo '{{\"async\": true}}'; {pause} echo '{deny}'");
        let (project, engine) = with("PreToolUse", command(&script));
        let (outcome, delivered) = block_on(fired(&engine, &project.event(bash("ls"))));
        assert_eq!(outcome.verdict.ruling, Ruling::None, "{pause}");
        assert!(outcome.runs[0].background.is_some(), "{pause}");
        assert!(
            delivered[0].warnings.iter().any(|text| text.contains("permissionDecision")),
            "{delivered:?}"
        );
    }
}

#[test]
fn an_announcement_after_other_output_is_none() {
    // rules: A2, O1
    for first in ["echo hello", "echo", r#"echo '{"async": true, "x": 1}'"#] {
        let script = format!("{first}; echo '{{\"async\": true}}'; exit 2");
        let (project, engine) = with("PreToolUse", command(&script));
        let outcome = fire(&engine, &project.event(bash("ls")));
        assert!(outcome.verdict.blocks() && outcome.runs[0].background.is_none(), "{first}: {outcome:?}");
    }
}

#[test]
fn the_new_limit_counts_from_the_announcement() {
    // rules: A2, H4
    let script = r#"echo $$ >pid; echo '{"async": true, "asyncTimeout": 0.3}'; sleep 600"#;
    let (project, engine) = with("PreToolUse", command(script));
    let event = project.event(bash("ls"));
    block_on(async {
        let started = Instant::now();
        let (_, delivered) = fired(&engine, &event).await;
        assert!(started.elapsed() < LONG);
        assert!(matches!(delivered[0].failure, Some(Failure::TimedOut { .. })), "{delivered:?}");
        engine.close().await;
    });
    let pid: i32 = project.read("work/pid").trim().parse().unwrap();
    assert!(!std::path::Path::new(&format!("/proc/{pid}")).exists());
}

#[test]
fn milliseconds_are_read_with_a_warning() {
    // rule: A2
    let (project, engine) = with("PreToolUse", command(r#"echo '{"async": true, "asyncTimeout": 30000}'"#));
    let (outcome, delivered) = block_on(fired(&engine, &project.event(bash("ls"))));
    assert!(outcome.runs[0].background.is_some());
    assert!(delivered[0].warnings.iter().any(|text| text.contains("milliseconds")), "{delivered:?}");
}

#[test]
fn exit_2_of_a_rewaking_hook_wakes_the_host_once() {
    // rule: A4
    for (script, reminder) in [
        ("echo out; echo err >&2; exit 2", "err"),
        ("echo out; exit 2", "out"),
        ("exit 2", "no stderr output"),
    ] {
        let (project, engine) = with("PostToolUse", background(script, "asyncRewake"));
        let event = project.event(after("Write", json!({}), json!({})));
        block_on(async {
            let outcome = engine.fire(&event).await;
            assert!(!outcome.verdict.blocks());
            let wakes = engine.host().wakes();
            let wake = tokio::time::timeout(LONG, wakes.next()).await.unwrap().unwrap();
            assert_eq!((wake.reminder.as_str(), wake.session.as_str()), (reminder, "session-1"));
            engine.host().wait_for_background(&event.session.id).await;
            assert!(engine.host().wait_for_rewakes(&event.session.id).await.is_empty(), "woken twice");
        });
    }
}

#[test]
fn a_host_that_nobody_can_wake_waits_for_its_rewaking_hooks() {
    // rule: A4
    let (project, engine) = with("PostToolUse", background("sleep 0.1; echo red >&2; exit 2", "asyncRewake"));
    let event = project.event(after("Write", json!({}), json!({})));
    block_on(async {
        drop(engine.fire(&event).await);
        let wakes =
            tokio::time::timeout(LONG, engine.host().wait_for_rewakes(&event.session.id)).await.unwrap();
        assert_eq!(wakes.iter().map(|wake| wake.reminder.as_str()).collect::<Vec<_>>(), ["red"]);
    });
    let (project, engine) = with("PostToolUse", background("exit 1", "asyncRewake"));
    let event = project.event(after("Write", json!({}), json!({})));
    block_on(async {
        drop(engine.fire(&event).await);
        assert!(engine.host().wait_for_rewakes(&event.session.id).await.is_empty());
    });
}

#[test]
fn at_most_32_run_at_once_and_more_wait_without_losing_time() {
    // rule: A1
    let handlers: Vec<Value> = (0..40)
        .map(|n| {
            let script = format!("echo x >>started; while [ ! -e go ]; do sleep 0.05; done; true {n}");
            json!({ "type": "command", "command": script, "async": true, "timeout": 50 })
        })
        .collect();
    let project = Project::with(hooks("PreToolUse", "", Value::Array(handlers)));
    let engine = project.engine();
    let event = project.event(bash("ls"));
    block_on(async {
        drop(engine.fire(&event).await);
        let running = |engine: &Engine| {
            engine.host().background().iter().filter(|pending| pending.state == PendingState::Running).count()
        };
        assert_eq!((engine.host().background().len(), running(&engine)), (40, 32));
        let begun =
            || std::fs::read_to_string(project.path("work/started")).map_or(0, |text| text.lines().count());
        becket_testkit::wait::until("32 hooks start", || begun() >= 32).await;
        let only_these = becket_testkit::wait::holds_for(Duration::from_millis(100), || begun() == 32).await;
        assert!(only_these, "a waiting hook was started");
        project.write("work/go", "");
        tokio::time::timeout(LONG, engine.host().wait_for_background(&event.session.id)).await.unwrap();
        let delivered = engine.host().collect_background(&event.session.id);
        assert_eq!(delivered.len(), 40);
        assert!(delivered.iter().all(|one| one.failure.is_none()), "{delivered:?}");
    });
}

#[test]
fn a_sessions_end_ends_what_still_runs() {
    // rules: A5, H4
    let script = "trap '' TERM; echo $$ >pid; sleep 600 & wait";
    let (project, engine) = with("PreToolUse", background(script, "async"));
    let event = project.event(bash("ls"));
    block_on(async {
        drop(engine.fire(&event).await);
        becket_testkit::wait::until("the hook has its pid written", || {
            project.path("work/pid").exists() && !project.read("work/pid").is_empty()
        })
        .await;
        let ended =
            tokio::time::timeout(LONG, engine.host().end_background(&event.session.id)).await.unwrap();
        assert_eq!(ended.len(), 1);
        assert!(matches!(ended[0].failure, Some(Failure::Cancelled)), "{ended:?}");
        assert!(engine.host().background().is_empty());
        engine.close().await;
    });
    let pid: i32 = project.read("work/pid").trim().parse().unwrap();
    assert!(!std::path::Path::new(&format!("/proc/{pid}")).exists());
}

#[test]
fn an_engine_that_goes_leaves_no_background_hook() {
    // rules: A5, H4
    let (project, engine) = with("PreToolUse", background("echo $$ >pid; sleep 600", "async"));
    let event = project.event(bash("ls"));
    block_on(async {
        drop(engine.fire(&event).await);
        becket_testkit::wait::until("the hook has its pid written", || {
            project.path("work/pid").exists() && !project.read("work/pid").is_empty()
        })
        .await;
        let pid: i32 = project.read("work/pid").trim().parse().unwrap();
        drop(engine);
        becket_testkit::wait::until("its process is gone", || {
            !std::path::Path::new(&format!("/proc/{pid}")).exists()
        })
        .await;
    });
}

#[test]
fn the_end_of_an_event_does_not_end_its_background_hooks() {
    // rules: A1, A2
    let (project, engine) = with(
        "PreToolUse",
        command(r#"echo '{"async": true}'; sleep 0.2; echo '{"systemMessage": "whole"}'"#),
    );
    let event = project.event(bash("ls"));
    block_on(async {
        let cancel = becket_engine::CancellationToken::new();
        drop(engine.fire_until(&event, &cancel).await);
        cancel.cancel();
        tokio::time::timeout(LONG, engine.host().wait_for_background(&event.session.id)).await.unwrap();
        assert_eq!(engine.host().collect_background(&event.session.id)[0].contexts, ["whole"]);
    });
}

#[test]
fn a_rewrite_starts_no_background_hook_a_second_time() {
    // rules: D9, A1
    let project = Project::with(hooks(
        "PreToolUse",
        "Bash",
        json!([
            says(pre(json!({"updatedInput": {"command": "ls -l"}}))),
            background("echo x >>count", "async"),
        ]),
    ));
    let engine = project.engine();
    drop(block_on(fired(&engine, &project.event(bash("ls")))));
    assert_eq!(project.read("work/count"), "x\n");
}

#[test]
fn once_waits_for_the_end_of_a_background_run() {
    // rules: C11, A1
    let project = Project::new();
    let engine = project.engine();
    let text = "---\nname: x\nhooks:\n  PreToolUse:\n    - hooks:\n        - type: command\n          once: true\n          async: true\n          \
                command: 'echo x >>count; test -e good'\n---\n";
    let handlers = frontmatter(&project, becket_model::Source::Skill("x".into()), text, None).handlers;
    assert_eq!(handlers.len(), 1);
    engine.register(handlers);
    let event = project.event(bash("ls"));
    block_on(async {
        for _ in 0..2 {
            drop(fired(&engine, &event).await);
        }
        assert_eq!(project.read("work/count"), "x\nx\n", "a run that failed does not count");
        project.write("work/good", "");
        for _ in 0..2 {
            drop(fired(&engine, &event).await);
        }
        assert_eq!(project.read("work/count"), "x\nx\nx\n", "one that ended well does");
    });
}

#[test]
fn a_hook_that_may_ask_reads_the_end_of_its_stdin_in_the_background() {
    // rules: A2, Q1
    let script = r#"read -r event; echo '{"async": true, "asyncTimeout": 50}'; cat >rest; echo '{"systemMessage": "read"}'"#;
    let handler = json!({ "type": "command", "command": script, "questions": true });
    let (project, engine) = with("PreToolUse", handler);
    let (outcome, delivered) = block_on(fired(&engine, &project.event(bash("ls"))));
    assert!(outcome.runs[0].background.is_some());
    assert_eq!(delivered[0].contexts, ["read"], "{delivered:?}");
    assert_eq!(project.read("work/rest"), "");
}

/// Returns an engine of a host that can't continue in the background.
fn without_background(handler: Value) -> (Project, Engine) {
    let project = Project::with(hooks("PreToolUse", "", json!([handler])));
    let engine = project.builder().wait_for_async(true).build().unwrap();
    (project, engine)
}

/// Returns an engine with the hook in a skill's frontmatter.
fn of_a_skill(handler: Value) -> (Project, Engine) {
    let (project, engine) = without_background(command("true"));
    let text = format!("---\nname: s\nhooks: {}\n---\n", hooks("PreToolUse", "", json!([handler]))["hooks"]);
    let handlers = frontmatter(&project, becket_model::Source::Skill("s".into()), &text, None).handlers;
    assert_eq!(handlers.len(), 1);
    engine.register(handlers);
    (project, engine)
}

#[test]
fn a_host_without_a_background_waits_for_every_kind_of_async_hook() {
    // rules: A1, A2, A4, D1
    let deny = pre(json!({"permissionDecision": "deny", "permissionDecisionReason": "no"})).to_string();
    let late = format!("sleep 0.1; echo '{deny}'");
    let announced = format!("echo '{{\"async\": true, \"asyncTimeout\": 0.01}}'; {late}");
    let kinds = [
        background(&late, "async"),
        background(&late, "asyncRewake"),
        background("sleep 0.1; echo no >&2; exit 2", "async"),
        background("sleep 0.1; echo no >&2; exit 2", "asyncRewake"),
        command(&announced),
    ];
    for kind in kinds {
        for (project, engine) in [without_background(kind.clone()), of_a_skill(kind.clone())] {
            let event = project.event(bash("ls"));
            block_on(async {
                let outcome = engine.fire(&event).await;
                assert!(outcome.verdict.blocks(), "{kind}: {outcome:?}");
                assert!(outcome.runs.iter().all(|run| run.background.is_none() && run.warnings.is_empty()));
                assert!(engine.host().background().is_empty());
                assert!(
                    engine.host().wait_for_rewakes(&event.session.id).await.is_empty(),
                    "its exit 2 has counted"
                );
            });
        }
    }
}

#[test]
fn a_host_without_a_background_ends_an_async_hook_at_its_limit() {
    // rules: A1, A2, H4, O10
    let never = |more: Value| {
        let mut handler = json!({"type": "command", "command": "echo $$ >pid; sleep 600", "timeout": 0.3});
        handler.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        handler
    };
    let announced = r#"echo '{"async": true, "asyncTimeout": 500}'; echo $$ >pid; sleep 600"#;
    let kinds = [
        never(json!({"async": true, "onFailure": "block"})),
        never(json!({"asyncRewake": true, "onFailure": "block"})),
        never(json!({"command": announced, "onFailure": "block"})),
    ];
    for kind in kinds {
        let (project, engine) = without_background(kind.clone());
        let event = project.event(bash("ls"));
        block_on(async {
            let outcome = tokio::time::timeout(LONG, engine.fire(&event)).await.unwrap();
            assert!(matches!(outcome.runs[0].failure, Some(Failure::TimedOut { .. })), "{kind}: {outcome:?}");
            assert!(outcome.verdict.blocks(), "`onFailure` counts: {kind}");
            engine.close().await;
        });
        let pid: i32 = project.read("work/pid").trim().parse().unwrap();
        assert!(!std::path::Path::new(&format!("/proc/{pid}")).exists(), "{kind}");
    }
}
