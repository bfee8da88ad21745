//! The background hooks of an engine as its host, and other processes, see them: many receivers at once, several
//! sessions, an engine that is dropped, files that show the running hooks.
#![expect(clippy::unwrap_used, reason = "tests fail by panicking")]

use crate::common::*;
use becket_engine::{BackgroundId, Engine, Owner, PendingState, Status, background_in};
use becket_model::{Event, SessionId};
use becket_testkit::proc::{Marker, PATIENCE, wait_until};
use serde_json::{Value, json};
use std::collections::HashSet;
use std::sync::{Arc, Mutex};

fn hook(script: &str, kind: &str) -> Value {
    json!({ "type": "command", "command": script, kind: true })
}

/// Returns a hook that waits until the file exists.
fn waits_for(file: &str) -> String {
    format!("while [ ! -e {file} ]; do sleep 0.01; done")
}

fn with(handlers: Value) -> (Project, Engine) {
    let project = Project::with(hooks("PreToolUse", "", handlers));
    let engine = project.builder().session_dir(project.path("session")).build().unwrap();
    (project, engine)
}

fn of(project: &Project, session: &str) -> (SessionId, Event) {
    let mut event = project.event(bash("ls"));
    event.session.id = session.into();
    (session.into(), event)
}

async fn soon<T>(future: impl Future<Output = T>) -> T {
    tokio::time::timeout(PATIENCE, future).await.unwrap()
}

#[test]
fn under_sixty_four_takers_each_result_and_each_wake_comes_out_once() {
    // rules: A4, A5
    const FIRINGS: usize = 20;
    let said = r#"echo '{"systemMessage": "x"}'"#;
    let handlers = json!([hook(said, "async"), hook("echo up >&2; exit 2", "asyncRewake")]);
    let (project, engine) = with(handlers);
    let (session, event) = of(&project, "many");
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(4).enable_all().build().unwrap();
    let results: Arc<Mutex<Vec<(BackgroundId, usize)>>> = Arc::default();
    let wakes: Arc<Mutex<Vec<BackgroundId>>> = Arc::default();
    runtime.block_on(async {
        let mut takers = tokio::task::JoinSet::new();
        for _ in 0..32 {
            let (stream, wakes) = (engine.host().wakes(), wakes.clone());
            let (engine, session, results) = (engine.clone(), session.clone(), results.clone());
            takers.spawn(async move {
                while results.lock().unwrap().len() < 2 * FIRINGS {
                    let some = engine.host().collect_background(&session);
                    results.lock().unwrap().extend(some.iter().map(|one| (one.id, one.contexts.len())));
                    tokio::task::yield_now().await;
                }
            });
            takers.spawn(async move {
                while wakes.lock().unwrap().len() < FIRINGS {
                    let next =
                        tokio::time::timeout(std::time::Duration::from_millis(20), stream.next()).await;
                    wakes.lock().unwrap().extend(next.ok().flatten().map(|wake| wake.id));
                }
            });
        }
        for _ in 0..FIRINGS {
            drop(engine.fire(&event).await);
        }
        soon(takers.join_all()).await;
    });
    let (results, wakes) = (results.lock().unwrap().clone(), wakes.lock().unwrap().clone());
    let distinct: HashSet<BackgroundId> = results.iter().map(|(id, _)| *id).collect();
    assert_eq!((results.len(), distinct.len()), (2 * FIRINGS, 2 * FIRINGS));
    assert_eq!(results.iter().map(|(_, contexts)| contexts).sum::<usize>(), FIRINGS);
    let woken: HashSet<BackgroundId> = wakes.iter().copied().collect();
    assert!(wakes.len() == FIRINGS && woken.len() == FIRINGS && woken.is_subset(&distinct));
}

#[test]
fn a_session_waits_for_its_own_hooks_and_ends_no_others() {
    // rule: A5
    let script = format!(r#"{}; echo '{{"systemMessage": "done"}}'"#, waits_for("$CLAUDE_CODE_SESSION_ID"));
    let (project, engine) = with(json!([hook(&script, "async")]));
    let ((a, of_a), (b, of_b)) = (of(&project, "a"), of(&project, "b"));
    block_on(async {
        drop(engine.fire(&of_a).await);
        drop(engine.fire(&of_b).await);
        assert_eq!(engine.host().background().len(), 2);
        project.write("work/a", "");
        soon(engine.host().wait_for_background(&a)).await;
        assert!(engine.host().collect_background(&b).is_empty());
        assert_eq!(engine.host().collect_background(&a)[0].contexts, ["done"]);
        let ended = soon(engine.host().end_background(&a)).await;
        assert!(ended.is_empty() && engine.host().background().len() == 1, "{ended:?}");
        let ended = soon(engine.host().end_background(&b)).await;
        assert_eq!((ended.len(), ended[0].outcome, &ended[0].session), (1, Status::Cancelled, &b));
    });
}

#[test]
fn a_forgotten_session_leaves_nothing() {
    // rules: A5, H12
    let (project, engine) = with(json!([hook("exec sleep 600", "async"), hook("exit 2", "asyncRewake")]));
    let (session, event) = of(&project, "s");
    block_on(async {
        drop(engine.fire(&event).await);
        soon(engine.host().wait_for_rewakes(&session)).await;
        engine.host().forget_session(&session);
        soon(engine.host().wait_for_background(&session)).await;
        assert!(engine.host().collect_background(&session).is_empty());
        drop(engine.fire(&event).await);
        assert_eq!(
            soon(engine.host().wait_for_rewakes(&session)).await.len(),
            1,
            "a session may begin again"
        );
        soon(engine.host().end_background(&session)).await;
    });
}

#[cfg(target_os = "linux")]
#[test]
fn no_task_no_process_and_no_file_outlives_the_engine() {
    // rules: A5, H4
    let marker = Marker::new();
    let (name, value) = marker.env();
    let mut settings = hooks("PreToolUse", "", json!([hook("sleep 600", "async")]));
    settings["env"] = json!({ name: value });
    let project = Project::with(settings);
    let engine = project.builder().session_dir(project.path("session")).build().unwrap();
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    let before = runtime.metrics().num_alive_tasks();
    runtime.block_on(async {
        for session in ["a", "b"] {
            for _ in 0..20 {
                drop(engine.fire(&of(&project, session).1).await);
            }
        }
        assert!(wait_until(|| marker.alive().len() >= 40));
        assert!(runtime.metrics().num_alive_tasks() >= before + 40);
        let wakes = engine.host().wakes();
        let waiting = tokio::spawn(async move { wakes.next().await });
        drop(engine);
        assert_eq!(soon(waiting).await.unwrap(), None);
    });
    marker.wait_for(0);
    let alive = || runtime.metrics().num_alive_tasks();
    assert!(wait_until(|| alive() == before), "{} tasks are left", alive());
    assert!(background_in(&project.path("session")).unwrap().is_empty());
}

#[test]
fn other_processes_see_what_is_pending_and_no_secret() {
    // rules: A5, S3
    let script = format!("{}; : make lint", waits_for("go"));
    let mut settings = hooks("PreToolUse", "", json!([hook(&script, "async")]));
    settings["env"] = json!({ "TOKEN": "s3cret" });
    let project = Project::with(settings);
    let directory = project.path("session");
    let engine = project.builder().session_dir(&directory).build().unwrap();
    let (session, mut event) = of(&project, "s");
    event.body = bash("curl -H 'Authorization: t0psecret'").into();
    block_on(async {
        for _ in 0..33 {
            drop(engine.fire(&event).await);
        }
        let listed = background_in(&directory).unwrap();
        assert_eq!(listed.len(), 33);
        let mut waiting = 0;
        for one in &listed {
            let hook = one.hook.as_ref().unwrap();
            assert_eq!((hook.label.as_str(), hook.event.as_str()), (script.as_str(), "PreToolUse"));
            assert_eq!((hook.pid, hook.owner), (std::process::id(), Owner::Alive));
            waiting += usize::from(hook.state == PendingState::Waiting);
            let text = std::fs::read_to_string(&one.file).unwrap();
            assert!(!text.contains("s3cret") && !text.contains("t0psecret"), "{text}");
        }
        assert_eq!(waiting, 1);
        project.write("work/go", "");
        soon(engine.host().wait_for_background(&session)).await;
        assert!(background_in(&directory).unwrap().is_empty());
    });
}
