//! AskUserQuestion and ExitPlanMode with all checks: only a person's answers count, whatever their source.

#![expect(clippy::unwrap_used, reason = "tests fail by panicking")]

use crate::support::calls::{Place, call_of, hooks, run};
use becket_agent::permission::{ExitPlanMode, SessionPermissions};
use becket_agent::session::Facts;
use becket_agent::tool_call::{
    AskPermission, CallEnd, DeniedBy, PermissionAnswer, PermissionPrompt, Report, ToolCalls,
};
use becket_agent::{AskQuestions, AskUserQuestion, ModelQuestion};
use becket_engine::{CancellationToken, Tool, ToolSet};
use becket_model::event::PermissionMode;
use futures_util::future::BoxFuture;
use serde_json::{Map, Value, json};
use std::sync::{Arc, Mutex};

const DATABASE: &str = "Which database?";

fn questions() -> Value {
    let option = |label: &str| json!({"label": label, "description": "a database"});
    json!([
        {"question": DATABASE, "header": "DB", "options": [option("one"), option("two")]},
        {"question": "Which parts?", "header": "Parts", "options": [option("a"), option("b")], "multiSelect": true},
    ])
}

fn answers() -> Value {
    json!({DATABASE: "two", "Which parts?": ["a", "b"]})
}

/// Answers questions with `two`, and records them.
#[derive(Clone, Default)]
struct RecordingUser(Arc<Mutex<Vec<String>>>);

impl AskQuestions for RecordingUser {
    fn ask<'a>(
        &'a self,
        questions: &'a [ModelQuestion],
        _: &'a CancellationToken,
    ) -> BoxFuture<'a, Option<Map<String, Value>>> {
        let texts: Vec<String> = questions.iter().map(|asked| asked.question.clone()).collect();
        self.0.lock().unwrap().extend(texts.clone());
        Box::pin(async move { Some(texts.into_iter().map(|text| (text, json!("two"))).collect()) })
    }
}

/// Answers the permission prompt of the call itself.
struct Says(PermissionAnswer);

impl AskPermission for Says {
    fn ask<'a>(
        &'a self,
        _: &'a PermissionPrompt,
        _: &'a CancellationToken,
    ) -> BoxFuture<'a, PermissionAnswer> {
        Box::pin(async { self.0.clone() })
    }
}

fn calls_with(place: &Place, settings: &Value, tool: AskUserQuestion) -> ToolCalls {
    let tools = ToolSet::new([Arc::new(tool) as Arc<dyn Tool>]);
    ToolCalls::new(place.engine(settings, true, &tools), tools)
}

/// Returns a hook that allows the call with another input.
fn allows(event: &str, input: Option<Value>) -> Value {
    let answer = match event {
        "PermissionRequest" => {
            let mut decision = json!({"behavior": "allow"});
            if let Some(input) = input {
                decision["updatedInput"] = input;
            }
            json!({"hookEventName": event, "decision": decision})
        }
        _ => {
            let mut answer = json!({"hookEventName": event, "permissionDecision": "allow"});
            if let Some(input) = input {
                answer["updatedInput"] = input;
            }
            answer
        }
    };
    hooks(&[(event, &[&format!("cat <<'END'\n{}\nEND", json!({"hookSpecificOutput": answer}))])])
}

async fn ask(calls: &ToolCalls, place: &Place, mode: &str, input: Value) -> Report {
    run(calls, &place.session(Some(mode)), call_of("AskUserQuestion", input)).await
}

fn response(report: &Report) -> Value {
    let CallEnd::Done { output } = &report.ended else { return json!(format!("{:?}", report.ended)) };
    output.response.clone()
}

// rule: D3
#[tokio::test]
async fn an_allow_of_a_hook_counts_only_beside_answers() {
    let both = json!({"questions": questions(), "answers": answers()});
    for event in ["PreToolUse", "PermissionRequest"] {
        for (input, mode, done) in [
            (Some(both.clone()), "default", true),
            (Some(both.clone()), "bypassPermissions", true),
            (Some(json!({"questions": questions(), "answers": {}})), "default", false),
            (Some(json!({"questions": questions(), "answers": {DATABASE: "one"}})), "default", false),
            (Some(json!({"questions": questions()})), "default", false),
            (None, "default", false),
            (None, "bypassPermissions", false),
        ] {
            let place = Place::new();
            let calls = calls_with(&place, &allows(event, input.clone()), AskUserQuestion::new());
            let report = ask(&calls, &place, mode, json!({"questions": questions()})).await;
            let ended = response(&report);
            assert_eq!(ended["answers"] == answers(), done, "{event} {mode} {input:?}: {ended}");
        }
    }
    let place = Place::new();
    let calls = calls_with(&place, &allows("PreToolUse", Some(both)), AskUserQuestion::new());
    let report = ask(&calls, &place, "default", json!({"questions": questions()})).await;
    let (content, is_error) = report.for_model();
    assert!(!is_error);
    let text = content.first().unwrap().as_text().unwrap();
    assert_eq!(text, "The user answered:\n- Which database? → two\n- Which parts? → a, b");
}

// rule: D3
#[tokio::test]
async fn the_models_own_answers_are_nobodys() {
    let own = json!({"questions": questions(), "answers": answers()});
    let allow_rule = json!({"permissions": {"allow": ["AskUserQuestion"]}});
    for settings in [allow_rule, allows("PreToolUse", Some(own.clone())), allows("PermissionRequest", None)] {
        let place = Place::new();
        let report =
            ask(&calls_with(&place, &settings, AskUserQuestion::new()), &place, "default", own.clone()).await;
        assert!(matches!(report.ended, CallEnd::Failed { .. }), "{:?}", report.ended);
        // If there is a person, the person is asked.
        let person = RecordingUser::default();
        let calls = calls_with(&place, &settings, AskUserQuestion::new().with_user(person.clone()));
        let report = ask(&calls, &place, "default", own.clone()).await;
        assert_eq!(response(&report)["answers"], json!({DATABASE: "two", "Which parts?": "two"}));
        assert_eq!(person.0.lock().unwrap().len(), 2);
    }
}

// rules: D3, D8
#[tokio::test]
async fn a_person_answers_the_prompt_itself_or_is_asked_what_is_left() {
    let place = Place::new();
    let asked = RecordingUser::default();
    let by_prompt = |answer| {
        let lent = AskUserQuestion::new().with_user(asked.clone());
        calls_with(&place, &json!({}), lent).with_person(Says(answer))
    };
    let input = json!({"questions": questions()});
    let all = PermissionAnswer::Answered { answers: answers().as_object().cloned().unwrap() };
    let report = ask(&by_prompt(all), &place, "default", input.clone()).await;
    assert_eq!(response(&report)["answers"], answers());
    assert!(asked.0.lock().unwrap().is_empty(), "the prompt was the question");
    let one = PermissionAnswer::Answered { answers: Map::from_iter([(DATABASE.to_owned(), json!("one"))]) };
    let report = ask(&by_prompt(one), &place, "default", input.clone()).await;
    assert_eq!(response(&report)["answers"], json!({DATABASE: "one", "Which parts?": "two"}));
    assert_eq!(*asked.0.lock().unwrap(), ["Which parts?"]);
    let yes = PermissionAnswer::Allow { updates: Vec::new() };
    let report = ask(&by_prompt(yes), &place, "default", input.clone()).await;
    assert_eq!(response(&report)["answers"][DATABASE], "two");
    let no = PermissionAnswer::Deny { message: None, interrupt: false };
    let report = ask(&by_prompt(no), &place, "default", input.clone()).await;
    assert!(matches!(report.ended, CallEnd::Denied { by: DeniedBy::Person, .. }), "{:?}", report.ended);
    let report = ask(&calls_with(&place, &json!({}), AskUserQuestion::new()), &place, "dontAsk", input).await;
    assert!(matches!(report.ended, CallEnd::Denied { by: DeniedBy::Mode, .. }), "{:?}", report.ended);
}

// rule: L0
#[tokio::test]
async fn questions_that_do_not_fit_are_not_asked() {
    let place = Place::new();
    let calls = calls_with(&place, &json!({}), AskUserQuestion::new().with_user(RecordingUser::default()));
    let of = |change: &dyn Fn(&mut Value)| {
        let mut questions = questions();
        change(&mut questions);
        json!({"questions": questions})
    };
    for (input, part) in [
        (json!({}), "needs `questions`"),
        (json!({"questions": []}), "1 to 4 objects"),
        (of(&|asked| asked[0]["options"] = json!([])), "`questions[0].options` of `AskUserQuestion` must be"),
        (of(&|asked| asked[1]["question"] = json!(DATABASE)), "twice"),
        (of(&|asked| asked[0]["options"][1] = asked[0]["options"][0].clone()), "has `one` twice"),
        (of(&|asked| asked[0]["question"] = json!(" ")), "is empty"),
        (of(&|asked| asked[0]["multiselect"] = json!(true)), "did you mean `multiSelect`?"),
        (json!({"questions": questions(), "answers": {"Who?": "x"}}), "which is not asked"),
        (json!({"questions": questions(), "answers": {DATABASE: 3}}), "an object of strings"),
    ] {
        let report = ask(&calls, &place, "default", input).await;
        assert!(
            matches!(&report.ended, CallEnd::Invalid { error } if error.contains(part)),
            "{:?}",
            report.ended
        );
    }
}

/// A session in a mode, whose model may leave the mode `plan`.
struct PlanSession {
    place: Place,
    calls: ToolCalls,
    facts: Facts,
}

impl PlanSession {
    fn new(settings: &Value, mode: &str, answer: Option<PermissionAnswer>) -> Self {
        let (place, tools) = (Place::new(), ToolSet::default());
        let (engine, facts) = (place.engine(settings, true, &tools), Facts::new(place.session(Some(mode))));
        let file = place.dir.join("plan.md");
        let tool = ExitPlanMode::new(SessionPermissions::new(engine.clone()), facts.clone(), file);
        tools.replace([Arc::new(tool) as Arc<dyn Tool>]);
        let mut calls = ToolCalls::new(engine, tools);
        if let Some(answer) = answer {
            calls = calls.with_person(Says(answer));
        }
        Self { place, calls, facts }
    }

    async fn exit(&self, input: Value) -> Report {
        run(&self.calls, &self.facts.session(), call_of("ExitPlanMode", input)).await
    }

    fn path(&self) -> Value {
        json!(self.place.dir.join("plan.md"))
    }
}

// rules: D3, N3
#[tokio::test]
async fn a_plan_begins_when_a_person_says_so() {
    let yes = || PermissionAnswer::Allow { updates: Vec::new() };
    let no = PermissionAnswer::Deny { message: None, interrupt: false };
    for (mode, answer, leaves) in [
        ("plan", Some(yes()), true),
        ("plan", Some(no), false),
        ("plan", None, false),
        ("default", Some(yes()), false),
        ("bypassPermissions", None, false),
    ] {
        let session = PlanSession::new(&hooks(&[("PreToolUse", &["cat > $HERE/pre"])]), mode, answer);
        let report = session.exit(json!({"plan": "1. do it"})).await;
        let stays = session.facts.mode() == PermissionMode::from_name(mode);
        assert_eq!(!stays, leaves, "{mode}: {:?}", report.ended);
        let input: Value = serde_json::from_str(&session.place.read("pre")).unwrap();
        assert_eq!(input["tool_input"], json!({"plan": "1. do it", "planFilePath": session.path()}));
        if leaves {
            let told = json!({"plan": "1. do it", "isAgent": false, "filePath": session.path()});
            assert_eq!(response(&report), told);
        }
    }
}

// rule: D3
#[tokio::test]
async fn an_allow_of_a_hook_starts_no_plan_but_beside_an_input() {
    for (input, leaves) in [(None, false), (Some(json!({"plan": "better"})), true)] {
        let session = PlanSession::new(&allows("PreToolUse", input), "plan", None);
        let report = session.exit(json!({"plan": "1. do it"})).await;
        assert_eq!(session.facts.mode() != PermissionMode::Plan, leaves, "{:?}", report.ended);
    }
    // Only the host sets the file of the plan.
    let yes = PermissionAnswer::Allow { updates: Vec::new() };
    let session = PlanSession::new(&json!({}), "plan", Some(yes));
    let elsewhere = session.place.dir.join("elsewhere");
    let report = session.exit(json!({"plan": "x", "planFilePath": elsewhere})).await;
    assert_eq!(response(&report)["filePath"], session.path());
    assert!(!elsewhere.exists());
}
