//! Questions of servers, as data: hooks and user in, answer out.

#![expect(clippy::unwrap_used, clippy::panic, reason = "tests fail by panicking")]

use crate::support::calls::{LONG, Place};
use becket_agent::elicit::{
    AnsweredBy, ElicitUser, ElicitationRecord, ElicitationRequest, McpHost, UserQuestion,
};
use becket_engine::CancellationToken;
use becket_mcp::{Elicitation, ElicitationAnswer, Host};
use futures_util::future::BoxFuture;
use serde_json::{Map, Value, json};
use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use tokio::sync::Notify;

/// A user with prepared answers.
#[derive(Clone, Default)]
struct User {
    answers: Arc<Mutex<VecDeque<Value>>>,
    seen: Arc<Mutex<Vec<UserQuestion>>>,
    asked: Arc<Notify>,
}

impl ElicitUser for User {
    fn answer<'a>(
        &'a self,
        question: &'a UserQuestion,
        _: &'a CancellationToken,
    ) -> BoxFuture<'a, ElicitationAnswer> {
        self.seen.lock().unwrap().push(question.clone());
        self.asked.notify_one();
        let answer = self.answers.lock().unwrap().pop_front();
        Box::pin(async move {
            match answer {
                None => std::future::pending().await,
                Some(Value::Object(content)) => ElicitationAnswer::Accept(content),
                Some(word) if word == "panics" => panic!("no screen"),
                Some(word) => ElicitationAnswer::of(word.as_str().unwrap(), None).unwrap(),
            }
        })
    }
}

fn schema() -> Map<String, Value> {
    let schema = json!({
        "type": "object",
        "properties": {
            "name": {"type": "string", "minLength": 2},
            "age": {"type": "integer", "minimum": 0},
            "news": {"type": "boolean", "default": false},
        },
        "required": ["name"],
    });
    schema.as_object().cloned().unwrap()
}

fn asked(case: &Value) -> Elicitation {
    let message = "who are you?".to_owned();
    if let Some(url) = case["asked"].as_str() {
        return Elicitation::Url { message, url: url.into(), id: "e1".into() };
    }
    let schema = case["asked"].as_object().cloned().unwrap_or_else(schema);
    Elicitation::Form { message, schema }
}

fn settings(case: &Value) -> Value {
    let mut hooks = Map::new();
    for (event, list) in case["hooks"].as_object().into_iter().flatten() {
        let handler = |hook: &Value| {
            let mut hook = hook.clone();
            let closed = hook.as_object_mut().and_then(|hook| hook.remove("onFailure"));
            let command = hook.as_str().map(str::to_owned).unwrap_or_else(|| {
                hook["hookEventName"] = event.as_str().into();
                format!("cat <<'END'\n{}\nEND", json!({"hookSpecificOutput": hook}))
            });
            let mut handler = json!({"type": "command", "command": command});
            if let Some(closed) = closed {
                handler["onFailure"] = closed;
            }
            handler
        };
        let handlers: Vec<Value> = list.as_array().unwrap().iter().map(handler).collect();
        hooks.insert(event.clone(), json!([{"hooks": handlers}]));
    }
    json!({"hooks": hooks})
}

fn in_json(answer: &ElicitationAnswer) -> Value {
    match answer {
        ElicitationAnswer::Accept(content) => Value::Object(content.clone()),
        ElicitationAnswer::Decline | ElicitationAnswer::Cancel => json!(answer.action()),
    }
}

/// The outcome of a question, and the user who may have been asked.
struct QuestionOutcome {
    place: Place,
    user: User,
    elicited: ElicitationRecord,
}

async fn ask(case: &Value) -> QuestionOutcome {
    let (place, user, told) = (Place::new(), User::default(), Arc::new(Mutex::new(Vec::new())));
    let keep = told.clone();
    let mut host = McpHost::new().with_observer(move |elicited| keep.lock().unwrap().push(elicited.clone()));
    if let Some(answers) = case["user"].as_array() {
        user.answers.lock().unwrap().extend(answers.iter().cloned());
        host = host.with_user(user.clone());
    }
    let engine = place.builder(&settings(case)).build().unwrap();
    let session = place.session(None);
    host.ready(engine, move || session.clone());
    let cancel = CancellationToken::new();
    let answer = tokio::time::timeout(LONG, host.elicit("it", asked(case), &cancel)).await.unwrap();
    let elicited = told.lock().unwrap().pop().unwrap();
    assert_eq!(elicited.answer, answer);
    QuestionOutcome { place, user, elicited }
}

async fn check(case: &Value) -> Result<(), String> {
    let QuestionOutcome { user, elicited, .. } = ask(case).await;
    let by = match elicited.by {
        AnsweredBy::Hook => "hook",
        AnsweredBy::User => "user",
        AnsweredBy::Nobody => "nobody",
        AnsweredBy::Refused => "refused",
    };
    let prompts = user.seen.lock().unwrap().len();
    let got = json!([in_json(&elicited.answer), by, prompts]);
    let wanted = json!([case["answer"], case["by"], case["prompts"].as_u64().unwrap_or(0)]);
    let failures = elicited.failures.join("\n");
    if got != wanted {
        return Err(format!("{got}, not {wanted}; {failures}"));
    }
    match case["failure"].as_str() {
        None if failures.is_empty() => Ok(()),
        Some(wanted) if failures.contains(wanted) => Ok(()),
        wanted => Err(format!("failures `{failures}`, not {wanted:?}")),
    }
}

// The rules are in the cases.
#[tokio::test]
async fn questions_are_answered_as_the_cases_say() {
    let cases: Vec<Value> = serde_json::from_str(include_str!("../cases/elicit.json")).unwrap();
    let mut wrong = Vec::new();
    for case in &cases {
        if let Err(why) = check(case).await {
            wrong.push(format!("{}: {why}", case["name"]));
        }
    }
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), cases.len(), wrong.join("\n"));
}

// rule: X6
#[tokio::test]
async fn hooks_see_the_question_and_the_answer_as_they_are_on_the_wire() {
    let seen = json!({
        "hooks": {"Elicitation": ["cat > $HERE/before"], "ElicitationResult": ["cat > $HERE/after"]},
        "user": [{"name": "Ann"}],
    });
    let form = ask(&seen).await;
    let without_session = |file: &str| {
        let event: Map<String, Value> = serde_json::from_str(&form.place.read(file)).unwrap();
        let own = event
            .into_iter()
            .filter(|(key, _)| !["session_id", "transcript_path", "cwd"].contains(&key.as_str()));
        Value::Object(own.collect()).to_string()
    };
    let before = json!({
        "hook_event_name": "Elicitation", "mcp_server_name": "it", "message": "who are you?", "mode": "form",
        "requested_schema": schema(),
    });
    assert_eq!(without_session("before"), before.to_string());
    let after = json!({
        "hook_event_name": "ElicitationResult", "mcp_server_name": "it", "action": "accept", "mode": "form",
        "content": {"name": "Ann", "news": false},
    });
    assert_eq!(without_session("after"), after.to_string());

    let mut visit = seen.clone();
    visit["asked"] = json!("https://example.org/a?b=c");
    let visit = ask(&visit).await;
    let before: Value = serde_json::from_str(&visit.place.read("before")).unwrap();
    assert_eq!(
        [&before["mode"], &before["url"], &before["elicitation_id"], &before["requested_schema"]],
        [&json!("url"), &json!("https://example.org/a?b=c"), &json!("e1"), &Value::Null]
    );
    let after: Value = serde_json::from_str(&visit.place.read("after")).unwrap();
    assert_eq!([&after["elicitation_id"], &after["content"]], [&json!("e1"), &Value::Null]);
    let shown = visit.user.seen.lock().unwrap()[0].wanted.clone();
    let ElicitationRequest::Visit(address) = shown else { panic!("{shown:?}") };
    assert_eq!((address.url(), address.host()), ("https://example.org/a?b=c", "example.org"));
}

// rule: X6
#[tokio::test]
async fn a_question_that_is_withdrawn_has_no_answer() {
    let (place, user) = (Place::new(), User::default());
    let host = McpHost::new().with_user(user.clone());
    let session = place.session(None);
    let hooks = crate::support::calls::hooks(&[("ElicitationResult", &["touch $HERE/after"])]);
    host.ready(place.builder(&hooks).build().unwrap(), move || session.clone());
    let cancel = CancellationToken::new();
    let withdraw = async {
        user.asked.notified().await;
        cancel.cancel();
    };
    let asked = asked(&json!({}));
    let both = async { tokio::join!(host.elicit("it", asked, &cancel), withdraw).0 };
    let answer = tokio::time::timeout(LONG, both).await.unwrap();
    assert_eq!(answer, ElicitationAnswer::Cancel);
    assert!(!place.dir.join("after").exists());
}

// rules: X6, S3
#[tokio::test]
async fn the_content_of_an_answer_is_not_shown() {
    let case = json!({"user": [{"name": "hunter2"}]});
    let shown = format!("{:?}", ask(&case).await.elicited);
    assert!(shown.contains("accept") && !shown.contains("hunter2"), "{shown}");
}

// rule: X6
#[tokio::test]
async fn what_nobody_lends_is_refused() {
    let host = McpHost::new();
    let cancel = CancellationToken::new();
    assert!(host.sample("it", Map::new(), &cancel).await.is_err());
    assert_eq!(host.roots("it").await, []);
    let offers = host.offers();
    assert_eq!([offers.form, offers.url, offers.sampling, offers.roots], [true, true, false, false]);
    assert_eq!(host.elicit("it", asked(&json!({})), &cancel).await, ElicitationAnswer::Cancel);
}
