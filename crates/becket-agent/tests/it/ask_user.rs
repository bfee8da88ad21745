//! AskUserQuestion and ExitPlanMode under the whole gate: only a person's answers count, from whatever source.

#![expect(clippy::unwrap_used, reason = "tests fail by panicking")]

use crate::support::calls::{Place, call_of, hooks, run};
use becket_agent::tool_call::{
    AskPermission, DeniedBy, Ended, PermissionAnswer, PermissionPrompt, Report, ToolCalls, Toolbox,
};
use becket_agent::{AskQuestions, LeavePlan, ModelQuestion, SessionTools, Surroundings, session_tools};
use becket_engine::CancellationToken;
use futures_util::future::BoxFuture;
use serde_json::{Map, Value, json};
use std::sync::atomic::{AtomicUsize, Ordering};
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

/// Answers what it is asked with `two`; remembers what that was.
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

/// Answers the prompt about the call itself.
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

fn lent(place: &Place) -> SessionTools {
    SessionTools::new(Surroundings::new(place.environment()))
}

fn calls_with(place: &Place, settings: &Value, lent: SessionTools) -> ToolCalls {
    let tools = Toolbox::new(session_tools(lent));
    ToolCalls::new(place.engine(settings, true, &tools), tools)
}

/// Returns a hook that lets the call pass, with another input.
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
    let Ended::Done { output } = &report.ended else { return json!(format!("{:?}", report.ended)) };
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
            let calls = calls_with(&place, &allows(event, input.clone()), lent(&place));
            let report = ask(&calls, &place, mode, json!({"questions": questions()})).await;
            let ended = response(&report);
            assert_eq!(ended["answers"] == answers(), done, "{event} {mode} {input:?}: {ended}");
        }
    }
    let place = Place::new();
    let calls = calls_with(&place, &allows("PreToolUse", Some(both)), lent(&place));
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
        let report = ask(&calls_with(&place, &settings, lent(&place)), &place, "default", own.clone()).await;
        assert!(matches!(report.ended, Ended::Failed { .. }), "{:?}", report.ended);
        // With a person, the person is asked.
        let person = RecordingUser::default();
        let calls = calls_with(&place, &settings, lent(&place).with_person(person.clone()));
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
        let lent = lent(&place).with_person(asked.clone());
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
    assert!(matches!(report.ended, Ended::Denied { by: DeniedBy::Person, .. }), "{:?}", report.ended);
    let report = ask(&calls_with(&place, &json!({}), lent(&place)), &place, "dontAsk", input).await;
    assert!(matches!(report.ended, Ended::Denied { by: DeniedBy::Mode, .. }), "{:?}", report.ended);
}

// rule: L0
#[tokio::test]
async fn questions_that_do_not_fit_are_not_asked() {
    let place = Place::new();
    let calls = calls_with(&place, &json!({}), lent(&place).with_person(RecordingUser::default()));
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
            matches!(&report.ended, Ended::Invalid { error } if error.contains(part)),
            "{:?}",
            report.ended
        );
    }
}

fn plan(place: &Place, left: &Arc<AtomicUsize>) -> SessionTools {
    let (left, file) = (left.clone(), place.dir.join("plan.md"));
    let leave = LeavePlan::new(move |_| _ = left.fetch_add(1, Ordering::SeqCst));
    lent(place).with_plan_mode(leave.with_file(move || file.clone()))
}

// rules: D3, N3
#[tokio::test]
async fn a_plan_begins_when_a_person_says_so() {
    let seen = "cat > $HERE/pre";
    let yes = || PermissionAnswer::Allow { updates: Vec::new() };
    let no = PermissionAnswer::Deny { message: None, interrupt: false };
    let path = |place: &Place| json!(place.dir.join("plan.md"));
    for (mode, answer, leaves) in [
        ("plan", Some(yes()), 1),
        ("plan", Some(no), 0),
        ("plan", None, 0),
        ("default", Some(yes()), 0),
        ("bypassPermissions", None, 0),
    ] {
        let (place, left) = (Place::new(), Arc::default());
        let mut calls = calls_with(&place, &hooks(&[("PreToolUse", &[seen])]), plan(&place, &left));
        if let Some(answer) = answer {
            calls = calls.with_person(Says(answer));
        }
        let call = call_of("ExitPlanMode", json!({"plan": "1. do it"}));
        let report = run(&calls, &place.session(Some(mode)), call).await;
        assert_eq!(left.load(Ordering::SeqCst), leaves, "{mode}: {:?}", report.ended);
        let input: Value = serde_json::from_str(&place.read("pre")).unwrap();
        assert_eq!(input["tool_input"], json!({"plan": "1. do it", "planFilePath": path(&place)}));
        if leaves == 1 {
            let told = json!({"plan": "1. do it", "isAgent": false, "filePath": path(&place)});
            assert_eq!(response(&report), told);
        }
    }
}

// rule: D3
#[tokio::test]
async fn an_allow_of_a_hook_starts_no_plan_but_beside_an_input() {
    for (input, leaves) in [(None, 0), (Some(json!({"plan": "better"})), 1)] {
        let (place, left) = (Place::new(), Arc::default());
        let calls = calls_with(&place, &allows("PreToolUse", input), plan(&place, &left));
        let call = call_of("ExitPlanMode", json!({"plan": "1. do it"}));
        let report = run(&calls, &place.session(Some("plan")), call).await;
        assert_eq!(left.load(Ordering::SeqCst), leaves, "{:?}", report.ended);
    }
    // Only the host sets the place of the plan.
    let (place, left) = (Place::new(), Arc::default());
    let calls = calls_with(&place, &json!({}), plan(&place, &left));
    let call = call_of("ExitPlanMode", json!({"plan": "x", "planFilePath": "/home/ada/.bashrc"}));
    let report = run(&calls, &place.session(Some("plan")), call).await;
    assert!(matches!(&report.ended, Ended::Invalid { error } if error.contains("planFilePath")));
}
