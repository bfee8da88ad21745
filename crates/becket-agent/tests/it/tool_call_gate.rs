//! After any crash, timeout or cancel between a denial and a tool, the tool does not run.

#![expect(clippy::unwrap_used, clippy::panic, reason = "tests fail by panicking")]

use crate::support::calls::{Does, LONG, Person, Place, Probe, Says, call, call_of, hooks, run};
use becket_agent::tool_call::{CallEnd, DeniedBy, Report, ToolCalls};
use becket_engine::{Callback, CancellationToken, RunEvent, RunEventKind, Tool};
use becket_model::EventKind;
use becket_testkit::proc::Marker;
use becket_tools::{Surroundings, hook_tools};
use serde_json::{Value, json};
use std::pin::pin;
use std::sync::Arc;
use tokio::sync::Notify;

const ALLOW: &str =
    r#"echo '{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"allow"}}}'"#;
const DENY: &str = r#"echo '{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"deny","message":"never"}}}'; touch $HERE/denied"#;
/// A hook that starts, and does not end on its own.
const SLEEPS: &str = "touch $HERE/begun; exec sleep 1000";

/// Lets all ready tasks run: this single-threaded runtime polls each of them each time.
async fn let_all_go_on() {
    for _ in 0..100 {
        tokio::task::yield_now().await;
    }
}

fn denied_by(report: &Report) -> DeniedBy {
    let CallEnd::Denied { by, .. } = &report.ended else { panic!("{:?}", report.ended) };
    *by
}

fn tools(place: &Place, settings: &Value, probe: &Probe, person: Option<&Person>) -> ToolCalls {
    let engine = place.engine(settings, person.is_some(), &probe.toolbox());
    let tools = ToolCalls::new(engine, probe.toolbox());
    match person {
        Some(person) => tools.with_person(person.clone()),
        None => tools,
    }
}

fn allowing(mut settings: Value) -> Value {
    settings["permissions"] = json!({"allow": ["Probe"]});
    settings
}

/// Runs a call until `seen`, then cancels it.
async fn cancelled(tools: &ToolCalls, place: &Place, seen: impl Future<Output = ()>) -> Report {
    let cancel = CancellationToken::new();
    let session = place.session(None);
    let run = async { tools.run(&session, call(json!({})), &cancel).await };
    let end = async {
        seen.await;
        cancel.cancel();
    };
    tokio::time::timeout(LONG, async { tokio::join!(run, end).0 }).await.unwrap()
}

/// Runs a call until `seen`, then drops it.
async fn dropped(tools: &ToolCalls, place: &Place, seen: impl Future<Output = ()>) {
    let (cancel, session) = (CancellationToken::new(), place.session(None));
    {
        let run = pin!(tools.run(&session, call(json!({})), &cancel));
        tokio::select! {
            report = run => panic!("{report:?}"),
            () = seen => {}
        }
    }
    let_all_go_on().await;
}

// rules: L1, D3
#[tokio::test]
async fn a_call_that_is_cancelled_or_dropped_while_hooks_judge_it_does_not_run() {
    let (place, probe) = (Place::new(), Probe::default());
    let settings = allowing(hooks(&[("PreToolUse", &[SLEEPS])]));
    let tools = tools(&place, &settings, &probe, None);
    let report = cancelled(&tools, &place, place.wait_for("begun")).await;
    assert_eq!(report.ended, CallEnd::Cancelled { started: false });
    std::fs::remove_file(place.dir.join("begun")).unwrap();
    dropped(&tools, &place, place.wait_for("begun")).await;
    assert_eq!(probe.ran(), [] as [Value; 0]);
}

// rule: L1
#[tokio::test]
async fn a_call_that_was_cancelled_before_it_began_does_not_run() {
    for settings in [allowing(json!({})), allowing(hooks(&[("PreToolUse", &["exit 0"])]))] {
        let (place, probe) = (Place::new(), Probe::default());
        let tools = tools(&place, &settings, &probe, None);
        let (cancel, session) = (CancellationToken::new(), place.session(Some("bypassPermissions")));
        cancel.cancel();
        let report = tools.run(&session, call(json!({})), &cancel).await;
        assert_eq!(report.ended, CallEnd::Cancelled { started: false });
        assert_eq!(probe.ran(), [] as [Value; 0]);
    }
}

// rule: L1
#[tokio::test]
async fn a_call_that_is_cancelled_at_the_last_moment_does_not_run() {
    let (place, cancel) = (Place::new(), CancellationToken::new());
    let probe = Probe { cancels: Some(cancel.clone()), ..Probe::default() };
    let tools = tools(&place, &allowing(json!({})), &probe, None);
    let report = tools.run(&place.session(None), call(json!({})), &cancel).await;
    assert_eq!(report.ended, CallEnd::Cancelled { started: false });
    assert_eq!(probe.ran(), [] as [Value; 0]);
}

// rules: D3, D9
#[tokio::test]
async fn an_engine_that_does_not_know_the_tools_opens_nothing() {
    let allow =
        r#"echo '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow"}}'"#;
    let rewrite = allow.replace(r#""allow""#, r#""allow","updatedInput":{"n":"five"}"#);
    for (hook, requires_user, by) in [(allow, true, DeniedBy::Nobody), (&rewrite, false, DeniedBy::Rewrite)] {
        let (place, probe) = (Place::new(), Probe { requires_user, ..Probe::default() });
        let engine = place.builder(&hooks(&[("PreToolUse", &[hook])])).build().unwrap();
        let tools = ToolCalls::new(engine, probe.toolbox());
        let report = run(&tools, &place.session(None), call(json!({}))).await;
        assert_eq!(denied_by(&report), by);
        assert_eq!(probe.ran(), [] as [Value; 0]);
    }
}

// rules: L1, D8
#[tokio::test]
async fn a_call_that_is_cancelled_or_dropped_while_a_person_is_asked_does_not_run() {
    let (place, probe, told) = (Place::new(), Probe::default(), Arc::new(Notify::new()));
    let person = Person::new(Says::YesAfter(told.clone()));
    let tools = tools(&place, &json!({}), &probe, Some(&person));
    let report = cancelled(&tools, &place, person.shown.notified()).await;
    assert_eq!(report.ended, CallEnd::Cancelled { started: false });
    dropped(&tools, &place, person.shown.notified()).await;
    // An approval of a prompt that no longer exists.
    told.notify_one();
    let_all_go_on().await;
    assert_eq!(probe.ran(), [] as [Value; 0]);
    assert_eq!(person.asked(), 2);
}

// rule: D8
#[tokio::test]
async fn a_persons_yes_ends_the_hooks_and_never_overrides_a_denial_that_came_in() {
    for (answers, expected) in [(DENY, Err(DeniedBy::Hook)), ("touch $HERE/denied", Ok(()))] {
        let (place, probe, told) = (Place::new(), Probe::default(), Arc::new(Notify::new()));
        let marker = Marker::new();
        let (name, value) = marker.env();
        let person = Person::new(Says::YesAfter(told.clone()));
        let settings = hooks(&[("PermissionRequest", &[answers, SLEEPS])]);
        let environment = place.environment().with_var(name, value);
        let answered = Arc::new(Notify::new());
        let first = answered.clone();
        let builder = place.builder(&settings).environment(environment).interactive(true);
        let builder = builder.observe(move |event: &RunEvent| {
            if matches!(event.what, RunEventKind::Finished { .. }) {
                first.notify_one();
            }
        });
        let tools = ToolCalls::new(builder.tools(probe.toolbox()).build().unwrap(), probe.toolbox());
        let tools = tools.with_person(person.clone());
        let answer = async {
            place.wait_for("denied").await;
            place.wait_for("begun").await;
            // Until the first hook's answer is in.
            answered.notified().await;
            told.notify_one();
        };
        let session = place.session(None);
        let (report, ()) = tokio::join!(run(&tools, &session, call(json!({}))), answer);
        match expected {
            Ok(()) => assert!(matches!(report.ended, CallEnd::Done { .. }), "{:?}", report.ended),
            Err(by) => assert_eq!(denied_by(&report), by),
        }
        assert_eq!(probe.ran().len(), usize::from(expected.is_ok()));
        marker.wait_for(0);
    }
}

// rule: D8
#[tokio::test]
async fn a_hooks_allow_counts_once_all_have_answered_and_withdraws_the_prompt() {
    let late = format!("while [ ! -e $HERE/allowed ]; do sleep 0.01; done; {DENY}");
    let early = format!("{ALLOW}; touch $HERE/allowed");
    for (hooks_of, runs) in
        [(vec![early.as_str(), late.as_str()], 0), (vec!["sleep 0.05", early.as_str()], 1)]
    {
        let (place, probe) = (Place::new(), Probe::default());
        let person = Person::new(Says::Nothing);
        let tools = tools(&place, &hooks(&[("PermissionRequest", &hooks_of)]), &probe, Some(&person));
        let report = run(&tools, &place.session(None), call(json!({}))).await;
        assert_eq!(probe.ran().len(), runs, "{:?}", report.ended);
        assert_eq!(person.asked(), 1);
    }
}

// rule: D8
#[tokio::test]
async fn a_persons_no_counts_whatever_hooks_are_about_to_say() {
    let (place, probe) = (Place::new(), Probe::default());
    let person = Person::new(Says::No);
    let hook = format!("sleep 0.05; {ALLOW}");
    let tools = tools(&place, &hooks(&[("PermissionRequest", &[&hook])]), &probe, Some(&person));
    let report = run(&tools, &place.session(None), call(json!({}))).await;
    assert_eq!(denied_by(&report), DeniedBy::Person);
    assert_eq!(probe.ran(), [] as [Value; 0]);
}

// rule: D8
#[tokio::test]
async fn an_answer_on_the_spot_spares_the_person_the_prompt() {
    let (place, probe, person) = (Place::new(), Probe::default(), Person::new(Says::No));
    let engine = place.engine(&json!({}), true, &probe.toolbox());
    let allow = json!({"hookSpecificOutput":
        {"hookEventName": "PermissionRequest", "decision": {"behavior": "allow"}}});
    engine.on(Callback::inline(EventKind::PermissionRequest, move |_| allow.clone())).unwrap();
    let tools = ToolCalls::new(engine, probe.toolbox()).with_person(person.clone());
    run(&tools, &place.session(None), call(json!({}))).await;
    assert_eq!((probe.ran().len(), person.asked()), (1, 0));
}

// rules: D8, Q2
#[tokio::test]
async fn a_person_is_asked_one_thing_at_a_time() {
    let (place, probe, told) = (Place::new(), Probe::default(), Arc::new(Notify::new()));
    let person = Person::new(Says::YesAfter(told.clone()));
    let tools = tools(&place, &json!({}), &probe, Some(&person));
    let session = place.session(None);
    let both = async {
        tokio::join!(
            run(&tools, &session, call(json!({"n": 1}))),
            run(&tools, &session, call(json!({"n": 2})))
        )
    };
    let answers = async {
        for asked in 1..=2 {
            person.shown.notified().await;
            let_all_go_on().await;
            assert_eq!(person.asked(), asked, "the second is asked once the first is answered");
            told.notify_one();
        }
    };
    let (_, ()) = tokio::join!(both, answers);
    assert_eq!(probe.ran(), [json!({"n": 1}), json!({"n": 2})]);
}

// rule: L1
#[tokio::test]
async fn a_tool_that_panics_has_failed_and_one_that_panics_before_does_not_run() {
    let (place, probe) = (Place::new(), Probe { does: Does::Panics, ..Probe::default() });
    let settings = allowing(hooks(&[("PostToolUseFailure", &["cat > $HERE/failure"])]));
    let report = run(&tools(&place, &settings, &probe, None), &place.session(None), call(json!({}))).await;
    let CallEnd::Failed { error, .. } = &report.ended else { panic!("{:?}", report.ended) };
    assert_eq!(error, "the tool panicked: the probe broke");
    assert!(place.read("failure").contains("the probe broke"));

    let (place, probe) = (Place::new(), Probe { does: Does::PanicsEarly, ..Probe::default() });
    let report = run(&tools(&place, &settings, &probe, None), &place.session(None), call(json!({}))).await;
    let CallEnd::Failed { error, .. } = &report.ended else { panic!("{:?}", report.ended) };
    assert!(error.contains("the probe knows nothing"), "{error}");
    assert_eq!(probe.ran(), [] as [Value; 0]);
}

// rule: L1
#[tokio::test]
async fn hooks_hear_of_a_call_that_is_cancelled_while_it_runs_and_not_of_one_that_is_dropped() {
    let (place, probe) = (Place::new(), Probe { does: Does::Hangs, ..Probe::default() });
    let settings = allowing(hooks(&[
        ("PostToolUse", &["touch $HERE/after"]),
        ("PostToolUseFailure", &["touch $HERE/failed"]),
    ]));
    let tools = tools(&place, &settings, &probe, None);
    let report = cancelled(&tools, &place, probe.started.notified()).await;
    assert_eq!(report.ended, CallEnd::Cancelled { started: true });
    assert!(report.took.is_some());
    let fired: Vec<EventKind> = report.outcomes.iter().map(|outcome| outcome.verdict.event).collect();
    assert_eq!(fired, [EventKind::PreToolUse, EventKind::PostToolUseFailure]);
    std::fs::remove_file(place.dir.join("failed")).unwrap();
    dropped(&tools, &place, probe.started.notified()).await;
    assert!(!place.dir.join("after").exists() && !place.dir.join("failed").exists());
    assert_eq!(probe.ran().len(), 2);
}

// rule: L1
#[tokio::test]
async fn a_call_keeps_the_tool_that_was_judged() {
    let (place, judged, other) = (Place::new(), Probe::default(), Probe::default());
    let toolbox = judged.toolbox();
    let engine =
        place.engine(&allowing(hooks(&[("PreToolUse", &["touch $HERE/begun; sleep 0.1"])])), false, &toolbox);
    let tools = ToolCalls::new(engine, toolbox.clone());
    let swap = async {
        place.wait_for("begun").await;
        toolbox.replace([Arc::new(other.clone()) as Arc<dyn Tool>]);
    };
    let session = place.session(None);
    let _ = tokio::join!(run(&tools, &session, call(json!({}))), swap);
    assert_eq!((judged.ran().len(), other.ran().len()), (1, 0));
    run(&tools, &session, call(json!({}))).await;
    assert_eq!((judged.ran().len(), other.ran().len()), (1, 1));
}

// rules: D3, P14
#[tokio::test]
async fn no_mode_removes_a_critical_path_unasked() {
    let place = Place::new();
    for (command, runs) in [("rm -rf /", 0), ("rm -rf $X/*", 0), ("rm -rf ~", 0), ("rm -rf build", 1)] {
        let probe = Probe { name: Some("Bash"), ..Probe::default() };
        let tools = tools(&place, &json!({}), &probe, None);
        let session = place.session(Some("bypassPermissions"));
        let report = run(&tools, &session, call_of("Bash", json!({"command": command}))).await;
        assert_eq!(probe.ran().len(), runs, "{command}: {:?}", report.ended);
    }
    let allow =
        r#"echo '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow"}}'"#;
    for pre_tool_use in [&[allow][..], &["exit 0"], &[]] {
        for mode in [None, Some("bypassPermissions"), Some("acceptEdits"), Some("auto")] {
            let mut settings = hooks(&[("PreToolUse", pre_tool_use), ("PermissionRequest", &["exit 0"])]);
            settings["permissions"] = json!({"allow": ["Bash"]});
            let probe = Probe { name: Some("Bash"), ..Probe::default() };
            let tools = tools(&place, &settings, &probe, None);
            let call = call_of("Bash", json!({"command": "rm -rf ~"}));
            let report = run(&tools, &place.session(mode), call).await;
            assert_eq!(denied_by(&report), DeniedBy::Nobody, "an allow rule answers no prompt ({mode:?})");
            assert_eq!(probe.ran(), [] as [Value; 0]);
        }
    }
    let yes = r#"echo '{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"allow"}}}'"#;
    let mut settings = hooks(&[("PermissionRequest", &[yes])]);
    settings["permissions"] = json!({"allow": ["Bash"]});
    let probe = Probe { name: Some("Bash"), ..Probe::default() };
    let tools = tools(&place, &settings, &probe, None);
    run(&tools, &place.session(None), call_of("Bash", json!({"command": "rm -rf ~"}))).await;
    assert_eq!(probe.ran().len(), 1, "the answer of a PermissionRequest hook holds");
}

// rules: N3, D9, L1
#[tokio::test]
async fn hooks_see_what_runs_and_the_conversation_keeps_what_the_model_wrote() {
    let place = Place::new();
    std::fs::write(place.dir.join("a.txt"), "one\n").unwrap();
    let toolbox = hook_tools(Surroundings::new(place.environment()));
    let seen = "python3 -c 'import json,sys,os; e=json.load(sys.stdin); print(e[\"hook_event_name\"], e[\"tool_input\"][\"file_path\"], file=open(os.environ[\"HERE\"]+\"/seen\",\"a\"))'";
    for (settings, times) in
        [(hooks(&[("PreToolUse", &[seen]), ("PostToolUse", &[seen])]), 2), (json!({}), 0)]
    {
        let _ = std::fs::remove_file(place.dir.join("seen"));
        let engine = place.engine(&settings, false, &toolbox);
        let calls = ToolCalls::new(engine, toolbox.clone());
        let report = run(&calls, &place.session(None), call_of("Read", json!({"file_path": "a.txt"}))).await;
        let CallEnd::Done { output } = &report.ended else { panic!("{:?}", report.ended) };
        assert_eq!(output.as_text(), "     1\tone\n");
        let path = place.dir.join("a.txt");
        assert_eq!(place.read("seen").lines().count(), times);
        assert!(place.read("seen").lines().all(|line| line.ends_with(path.to_str().unwrap())));
        assert_eq!(report.input.as_ref().unwrap()["file_path"], path.to_str().unwrap());
        assert_eq!(report.of_batch()["tool_input"], json!({"file_path": "a.txt"}));
        assert_eq!(report.of_batch()["tool_response"], "     1\tone\n");
    }
    let calls = ToolCalls::new(place.engine(&json!({}), false, &toolbox), toolbox);
    let report = run(&calls, &place.session(None), call_of("Bash", json!({"command": "touch made"}))).await;
    assert_eq!(denied_by(&report), DeniedBy::Nobody);
    assert!(!place.dir.join("made").exists());
}
