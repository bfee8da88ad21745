//! An input that a PermissionRequest hook wrote, guards in the host's own process, parallel calls, and oversized
//! inputs: none of them lets a denied call run.

use crate::support::calls::{LONG, Person, Place, Probe, Says, call, hooks, run};
use becket_agent::tool_call::{CallEnd, DeniedBy, ToolCalls};
use becket_engine::{Callback, CancellationToken, Tool, ToolSet};
use becket_model::EventKind;
use serde_json::{Value, json};
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

const REWRITES: &str = r#"echo '{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"allow","updatedInput":{"n":2}}}}'"#;
const ALLOWS: &str =
    r#"echo '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow"}}'"#;

// rules: D9, L1
#[tokio::test]
async fn a_call_that_is_cancelled_or_dropped_in_the_second_look_does_not_run() {
    let guard = r#"grep -q '"n":2' || exit 0; touch $HERE/begun; exec sleep 1000"#;
    let settings = hooks(&[("PreToolUse", &[guard]), ("PermissionRequest", &[REWRITES])]);
    for dropped in [false, true] {
        let (place, probe, cancel) = (Place::new(), Probe::default(), CancellationToken::new());
        let engine = place.engine(&settings, false, &probe.toolbox());
        let (tools, session) = (ToolCalls::new(engine, probe.toolbox()), place.session(None));
        {
            let mut run = pin!(tools.run(&session, call(json!({"n": 1})), &cancel));
            tokio::select! {
                report = run.as_mut() => panic!("{report:?}"),
                () = place.wait_for("begun") => {}
            }
            if !dropped {
                cancel.cancel();
                let report = tokio::time::timeout(LONG, run).await.unwrap();
                assert_eq!(report.ended, CallEnd::Cancelled { started: false });
            }
        }
        let never_ran =
            becket_testkit::wait::holds_for(Duration::from_millis(200), || probe.ran().is_empty()).await;
        assert!(never_ran, "{:?}", probe.ran());
    }
}

// rules: D3, D9
#[tokio::test]
async fn a_person_who_is_asked_by_the_second_look_sees_what_would_run() {
    let guard = r#"grep -q '"n":2' && echo '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"ask","permissionDecisionReason":"a two?"}}'; exit 0"#;
    let allow = json!({"hookSpecificOutput": {"hookEventName": "PermissionRequest",
        "decision": {"behavior": "allow", "updatedInput": {"n": 2}}}});
    for (says, ran) in [(Says::Yes, vec![json!({"n": 2})]), (Says::No, vec![])] {
        let (place, probe, person) = (Place::new(), Probe::default(), Person::new(says));
        let engine = place.engine(&hooks(&[("PreToolUse", &[guard])]), true, &probe.toolbox());
        // At once: the person is not asked about the model's input.
        let answer = allow.clone();
        engine.on(Callback::inline(EventKind::PermissionRequest, move |_| answer.clone())).unwrap();
        let tools = ToolCalls::new(engine, probe.toolbox()).with_person(person.clone());
        run(&tools, &place.session(None), call(json!({"n": 1}))).await;
        assert_eq!(probe.ran(), ran);
        let seen = person.seen.lock().unwrap().clone();
        assert_eq!(seen.len(), 1);
        assert_eq!(Value::Object(seen[0].input.clone()), json!({"n": 2}));
        assert!(seen[0].because.contains("a two?"), "{}", seen[0].because);
    }
}

// rules: G3, D8
#[tokio::test]
async fn what_a_folder_without_trust_rewrites_is_asked_about_and_the_original_does_not_run() {
    let before = r#"echo '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow","updatedInput":{"n":2}}}'"#;
    for (event, command, first) in [("PreToolUse", before, 0), ("PermissionRequest", REWRITES, 1)] {
        for (says, ran) in [
            (Some(Says::NothingThenYes), vec![json!({"n": 2})]),
            (Some(Says::NothingThenNo), vec![]),
            (None, vec![]),
        ] {
            // The person never answers the prompts that a PermissionRequest hook sees at the same time.
            let says = says.map(|says| match (first, says) {
                (0, Says::NothingThenYes) => Says::Yes,
                (0, _) => Says::No,
                (_, says) => says,
            });
            let (place, probe) = (Place::new(), Probe::default());
            let settings = place.dir.join(".claude/settings.json");
            std::fs::create_dir_all(settings.parent().unwrap()).unwrap();
            std::fs::write(&settings, hooks(&[(event, &[command])]).to_string()).unwrap();
            let builder = place.builder(&json!({})).interactive(says.is_some()).tools(probe.toolbox());
            let engine =
                builder.request(|request| request.trust.this_folder_trusted = false).build().unwrap();
            let tools = ToolCalls::new(engine, probe.toolbox());
            let Some(says) = says else {
                let report = run(&tools, &place.session(None), call(json!({"n": 1}))).await;
                assert!(matches!(report.ended, CallEnd::Denied { .. }), "{event}: {report:?}");
                assert_eq!(probe.ran(), ran, "{event}");
                continue;
            };
            let person = Person::new(says);
            let tools = tools.with_person(person.clone());
            run(&tools, &place.session(None), call(json!({"n": 1}))).await;
            assert_eq!(probe.ran(), ran, "{event}");
            let seen = person.seen.lock().unwrap().clone();
            assert_eq!(seen.len(), first + 1, "{event}");
            assert_eq!(Value::Object(seen[first].input.clone()), json!({"n": 2}), "{event}");
            assert!(seen[first].because.contains("is not trusted"), "{}", seen[first].because);
        }
    }
}

// rule: H9
#[tokio::test]
async fn a_guard_in_the_hosts_process_that_panics_or_takes_too_long_denies() {
    let panics = Callback::inline(EventKind::PreToolUse, |_| -> Value { panic!("the guard broke") });
    let hangs = Callback::future(EventKind::PreToolUse, |_, _| Box::pin(std::future::pending::<Value>()));
    for guard in [panics, hangs.timeout(Duration::from_millis(50))] {
        let (place, probe, person) = (Place::new(), Probe::default(), Person::new(Says::Yes));
        let engine = place.engine(&hooks(&[("PreToolUse", &[ALLOWS])]), true, &probe.toolbox());
        engine.on(guard).unwrap();
        let tools = ToolCalls::new(engine, probe.toolbox()).with_person(person.clone());
        let report = run(&tools, &place.session(Some("bypassPermissions")), call(json!({}))).await;
        let CallEnd::Denied { by, .. } = report.ended else { panic!("{:?}", report.ended) };
        assert_eq!((by, person.asked()), (DeniedBy::Hook, 0));
        assert_eq!(probe.ran(), [] as [Value; 0]);
    }
}

// rules: L1, D1
#[tokio::test]
async fn of_calls_beside_each_other_each_has_its_own_verdict() {
    let (place, probe) = (Place::new(), Probe::default());
    let guard = format!(r#"grep -qE '"n":[0-9]*[13579]}}' && exit 2; {ALLOWS}"#);
    let engine = place.engine(&hooks(&[("PreToolUse", &[&guard])]), false, &probe.toolbox());
    let (tools, session) = (ToolCalls::new(engine, probe.toolbox()), place.session(None));
    let all = (0..24).map(|n| run(&tools, &session, call(json!({"n": n}))));
    futures_util::future::join_all(all).await;
    let mut ran: Vec<u64> = probe.ran().iter().map(|input| input["n"].as_u64().unwrap()).collect();
    ran.sort_unstable();
    assert_eq!(ran, (0..24).filter(|n| n % 2 == 0).collect::<Vec<u64>>());
}

// rules: H3, D1
#[tokio::test]
async fn an_input_without_measure_gets_past_no_guard() {
    let huge = "x".repeat(8 << 20);
    for guard in ["exit 2", "cat > /dev/null; exit 2", "head -c 10 > /dev/null; exit 2"] {
        let (place, probe) = (Place::new(), Probe::default());
        let engine = place.engine(&hooks(&[("PreToolUse", &[guard, ALLOWS])]), false, &probe.toolbox());
        let tools = ToolCalls::new(engine, probe.toolbox());
        let report =
            run(&tools, &place.session(Some("bypassPermissions")), call(json!({"path": huge}))).await;
        assert!(matches!(report.ended, CallEnd::Denied { by: DeniedBy::Hook, .. }), "{:?}", report.ended);
        assert_eq!(probe.ran(), [] as [Value; 0]);
    }
}

// rules: L1, D9
#[tokio::test]
async fn a_toolbox_that_changes_while_somebody_is_asked_changes_nothing() {
    let (place, probe) = (Place::new(), Probe::default());
    let toolbox: ToolSet = probe.toolbox();
    let other = Probe { defaults: json!({"force": true}), ..Probe::default() };
    let engine = place.engine(&json!({}), false, &toolbox);
    let box_too = toolbox.clone();
    let other_tool = other.clone();
    let allow = json!({"hookSpecificOutput":
        {"hookEventName": "PermissionRequest", "decision": {"behavior": "allow"}}});
    let swap = Callback::inline(EventKind::PreToolUse, move |_| {
        box_too.replace([Arc::new(other_tool.clone()) as Arc<dyn Tool>]);
        json!({})
    });
    engine.on_all([swap, Callback::inline(EventKind::PermissionRequest, move |_| allow.clone())]).unwrap();
    let tools = ToolCalls::new(engine, toolbox);
    run(&tools, &place.session(None), call(json!({"n": 1}))).await;
    assert_eq!(probe.ran(), [json!({"n": 1})]);
    assert_eq!(other.ran(), [] as [Value; 0]);
}
