//! Hooks that ask the user, with real processes on the other side (Q1–Q3).
#![expect(clippy::unwrap_used, reason = "tests fail by panicking")]

use crate::common::*;
use becket_engine::{Answer, AskUser, Engine, Question};
use becket_model::{Failure, Ruling};
use becket_process::CancellationToken;
use futures_util::future::BoxFuture;
use serde_json::{Value, json};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

const LONG: Duration = Duration::from_secs(60);

/// A user who thinks for a while, and chooses the last option; records the questions.
#[derive(Clone, Default)]
struct User {
    thinks: Duration,
    asked: Arc<Mutex<Vec<Question>>>,
    at_once: Arc<AtomicUsize>,
    most_at_once: Arc<AtomicUsize>,
}

impl AskUser for User {
    fn ask<'a>(&'a self, question: &'a Question, _: &'a CancellationToken) -> BoxFuture<'a, Option<String>> {
        Box::pin(async move {
            let now = self.at_once.fetch_add(1, Ordering::SeqCst) + 1;
            self.most_at_once.fetch_max(now, Ordering::SeqCst);
            tokio::time::sleep(self.thinks).await;
            self.asked.lock().unwrap().push(question.clone());
            self.at_once.fetch_sub(1, Ordering::SeqCst);
            question.options.last().map(|option| option.key.clone())
        })
    }
}

/// A hook in Python: `ask(id, message, keys)` asks and returns the answer's line, `done(...)` prints the verdict.
fn hook(body: &str, more: Value) -> Value {
    let script = format!(
        r#"import json, sys
event = json.loads(sys.stdin.readline())
def ask(id, message, *keys):
    print(json.dumps({{"prompt": id, "message": message, "options": [{{"key": k, "label": k.upper()}} for k in keys]}}), flush=True)
    return json.loads(sys.stdin.readline())
def deny(why):
    print(json.dumps({{"hookSpecificOutput": {{"hookEventName": "PreToolUse", "permissionDecision": "deny", "permissionDecisionReason": why}}}}))
{body}"#
    );
    let mut handler =
        json!({ "type": "command", "command": "python3", "args": ["-c", script], "questions": true });
    handler.as_object_mut().unwrap().extend(more.as_object().cloned().unwrap());
    handler
}

fn with(handlers: Vec<Value>, user: Option<User>) -> (Project, Engine) {
    let project = Project::with(hooks("PreToolUse", "", Value::Array(handlers)));
    let builder = project.builder();
    let engine = match user {
        Some(user) => builder.ask_user(user).build().unwrap(),
        None => builder.build().unwrap(),
    };
    (project, engine)
}

#[test]
fn a_question_is_asked_and_its_answer_decides() {
    // rules: Q1, O1
    let user = User::default();
    let body = r#"answer = ask("deploy \"now\"", "Deploy to production?", "yes", "no")
assert answer == {"prompt_response": "deploy \"now\"", "selected": "no"}, answer
deny("the user said " + answer["selected"])"#;
    let (project, engine) = with(vec![hook(body, json!({}))], Some(user.clone()));
    let outcome = fire(&engine, &project.event(bash("make deploy")));
    assert_eq!(outcome.verdict.joined_reason().as_deref(), Some("the user said no"), "{outcome:?}");
    let asked = user.asked.lock().unwrap();
    assert_eq!((asked.len(), asked[0].message.as_str()), (1, "Deploy to production?"));
    assert!(asked[0].asked_by.contains("python3"), "{asked:?}");
    let run = &outcome.runs[0];
    assert_eq!(run.questions[0].answer, Answer::Selected("no".into()));
    assert!(run.warnings.is_empty() && run.failure.is_none(), "{run:?}");
}

#[test]
fn the_limit_stands_still_while_the_user_thinks_and_then_goes_on() {
    // rule: Q2
    let user = User { thinks: Duration::from_millis(1_500), ..User::default() };
    let (project, engine) = with(
        vec![hook(r#"deny(ask("a", "?", "x")["selected"])"#, json!({ "timeout": 1 }))],
        Some(user.clone()),
    );
    let outcome = fire(&engine, &project.event(bash("ls")));
    assert_eq!(outcome.verdict.joined_reason().as_deref(), Some("x"), "{outcome:?}");
    let body = r#"ask("a", "?", "x")
import signal; signal.pause()"#;
    let (project, engine) = with(vec![hook(body, json!({ "timeout": 1 }))], Some(user));
    let started = Instant::now();
    let outcome = fire(&engine, &project.event(bash("ls")));
    assert!(matches!(outcome.runs[0].failure, Some(Failure::TimedOut { .. })), "{outcome:?}");
    assert!(started.elapsed() < LONG, "the limit goes on after the answer");
}

#[test]
fn questions_of_several_hooks_are_asked_one_after_another() {
    // rule: Q2
    let user = User { thinks: Duration::from_millis(50), ..User::default() };
    let handlers = (0..3)
        .map(|n| hook(&format!("for i in range(3): ask(f'{n}-{{i}}', '?', 'a')\ndeny('asked')"), json!({})))
        .collect();
    let (project, engine) = with(handlers, Some(user.clone()));
    let outcome = fire(&engine, &project.event(bash("ls")));
    assert!(outcome.verdict.blocks());
    assert_eq!(user.asked.lock().unwrap().len(), 9);
    assert_eq!(user.most_at_once.load(Ordering::SeqCst), 1);
    for run in &outcome.runs {
        assert_eq!(run.questions.len(), 3);
    }
}

#[test]
fn with_nobody_to_ask_the_answer_is_null() {
    // rule: Q3
    let body = r#"answer = ask("a", "?", "x")
deny("nobody" if answer == {"prompt_response": "a", "selected": None} else str(answer))"#;
    let (project, engine) = with(vec![hook(body, json!({}))], None);
    let outcome = fire(&engine, &project.event(bash("ls")));
    assert_eq!(outcome.verdict.joined_reason().as_deref(), Some("nobody"));
    assert_eq!(outcome.runs[0].questions[0].answer, Answer::Nobody);
}

#[test]
fn without_the_key_stdin_is_closed_and_a_question_is_a_named_error() {
    // rules: Q1, H3
    let question = json!({"prompt": "sure", "message": "?", "options": [{"key": "a", "label": "A"}]});
    let (project, engine) =
        with(vec![command(&format!("cat >/dev/null; echo '{question}'"))], Some(User::default()));
    let outcome = fire(&engine, &project.event(bash("ls")));
    assert!(!outcome.verdict.blocks());
    let told = outcome.verdict.failures[0].what.to_string();
    assert!(told.contains("`sure`") && told.contains("questions: true"), "{told}");
    let (project, engine) = with(vec![command(&format!("echo '{question}'; exit 1"))], None);
    let outcome = fire(&engine, &project.event(bash("ls")));
    assert!(outcome.verdict.failures[0].what.to_string().contains("questions: true"), "{outcome:?}");
    // The hook's own decision still counts.
    let deny = pre(json!({"permissionDecision": "deny"}));
    for script in [format!("echo '{question}'; echo '{deny}'"), format!("echo '{question}'; exit 2")] {
        let (project, engine) = with(vec![command(&script)], Some(User::default()));
        let outcome = fire(&engine, &project.event(bash("ls")));
        assert!(outcome.verdict.blocks() && !outcome.verdict.failures.is_empty(), "{script}");
    }
    let allow = pre(json!({"permissionDecision": "allow"}));
    let (project, engine) = with(vec![command(&format!("echo '{question}'; echo '{allow}'"))], None);
    assert_eq!(
        fire(&engine, &project.event(bash("ls"))).verdict.ruling,
        Ruling::None,
        "no allow beside an error"
    );
}

#[test]
fn wrong_questions_are_answered_with_null_and_named() {
    // rule: Q1
    let option = |key: &str| json!({"key": key, "label": "x"});
    let many: Vec<Value> = (0..10_000).map(|n| option(&n.to_string())).collect();
    let body = format!(
        r#"for line in json.loads({:?}):
    print(json.dumps(line), flush=True)
    answer = json.loads(sys.stdin.readline())
    assert answer["selected"] is None, answer
deny("all null")"#,
        json!([
            {"prompt": "no options", "message": "?", "options": []},
            {"prompt": "many", "message": "?", "options": many},
            {"prompt": "twice", "message": "?", "options": [option("a"), option("a")]},
            {"prompt": 7, "message": "?", "options": [option("a")]},
            {"prompt": "no message", "options": [option("a")]},
        ])
        .to_string()
    );
    let project = Project::new();
    project.write("work/ask.py", &format!(
        "import json, sys\nsys.stdin.readline()\ndef deny(why):\n    print(json.dumps({{\"decision\": \"block\", \"reason\": why}}))\n{body}"
    ));
    project.write(
        "work/.claude/settings.json",
        &hooks(
            "PreToolUse",
            "",
            json!([{"type": "command", "command": "python3 ask.py", "questions": true}]),
        )
        .to_string(),
    );
    let user = User::default();
    let engine = project.builder().ask_user(user.clone()).build().unwrap();
    let outcome = fire(&engine, &project.event(bash("ls")));
    assert_eq!(outcome.verdict.joined_reason().as_deref(), Some("all null"), "{outcome:?}");
    assert!(user.asked.lock().unwrap().is_empty());
    assert_eq!(outcome.runs[0].warnings.len(), 5, "{:?}", outcome.runs[0].warnings);
}

#[test]
fn an_id_is_asked_once() {
    // rule: Q1
    let user = User::default();
    let body = r#"first, second = ask("a", "?", "x"), ask("a", "again?", "x")
deny(f"{first['selected']} {second['selected']}")"#;
    let (project, engine) = with(vec![hook(body, json!({}))], Some(user.clone()));
    let outcome = fire(&engine, &project.event(bash("ls")));
    assert_eq!(outcome.verdict.joined_reason().as_deref(), Some("x None"));
    assert_eq!(user.asked.lock().unwrap().len(), 1);
}

/// A user who never answers. Counts the questions, and those that were withdrawn.
#[derive(Clone, Default)]
struct Silent {
    asked: Arc<AtomicUsize>,
    given_up: Arc<AtomicUsize>,
}

impl AskUser for Silent {
    fn ask<'a>(&'a self, _: &'a Question, cancel: &'a CancellationToken) -> BoxFuture<'a, Option<String>> {
        struct DropCounter<'a>(&'a AtomicUsize);
        impl Drop for DropCounter<'_> {
            fn drop(&mut self) {
                self.0.fetch_add(1, Ordering::SeqCst);
            }
        }
        let given = DropCounter(&self.given_up);
        self.asked.fetch_add(1, Ordering::SeqCst);
        Box::pin(async move {
            let _given = given;
            cancel.cancelled().await;
            std::future::pending().await
        })
    }
}

#[test]
fn a_question_goes_with_its_hook_and_with_its_event() {
    // rules: Q2, H4
    let user = Silent::default();
    let body = r#"print(json.dumps({"prompt": "a", "message": "?", "options": [{"key": "k", "label": "K"}]}), flush=True)
import time; time.sleep(0.2); deny("did not wait")"#;
    let project = Project::with(hooks("PreToolUse", "", json!([hook(body, json!({}))])));
    let engine = project.builder().ask_user(user.clone()).build().unwrap();
    let outcome = fire(&engine, &project.event(bash("ls")));
    assert_eq!(outcome.verdict.joined_reason().as_deref(), Some("did not wait"));
    assert_eq!(outcome.runs[0].questions[0].answer, Answer::Withdrawn);
    assert_eq!(user.given_up.load(Ordering::SeqCst), 1);

    let project = Project::with(hooks("PreToolUse", "", json!([hook(r#"ask("a", "?", "x")"#, json!({}))])));
    let engine = project.builder().ask_user(user.clone()).build().unwrap();
    let (event, cancel) = (project.event(bash("ls")), CancellationToken::new());
    let outcome = block_on(async {
        let cancelling = async {
            becket_testkit::wait::until("the user is asked", || user.asked.load(Ordering::SeqCst) == 2).await;
            cancel.cancel();
        };
        let fired = tokio::time::timeout(LONG, engine.fire_until(&event, &cancel));
        let outcome = tokio::join!(fired, cancelling).0.unwrap();
        engine.close().await;
        outcome
    });
    assert!(matches!(outcome.runs[0].failure, Some(Failure::Cancelled)), "{outcome:?}");
    assert_eq!(user.given_up.load(Ordering::SeqCst), 2);
}

#[test]
fn a_big_input_and_a_question_do_not_wait_for_each_other() {
    // rules: Q1, H3
    let body = r#"deny(ask("a", "?", "x")["selected"] + str(len(event["tool_input"]["command"])))"#;
    let (project, engine) = with(vec![hook(body, json!({}))], Some(User::default()));
    let outcome = fire(&engine, &project.event(bash(&"x".repeat(3_000_000))));
    assert_eq!(outcome.verdict.joined_reason().as_deref(), Some("x3000000"));
}
