//! The permissions of a session, from a host's point of view: modes, updates by a hook or a person, plans, and the
//! classifier with a model.

#![expect(clippy::unwrap_used, reason = "tests fail by panicking")]

use crate::support::calls::{Judge, Person, Place, Probe, Says, call, call_of, hooks, run};
use becket_agent::permission::{
    AutoMode, Classification, Classifier, ExitPlanMode, ModeRefused, ModelClassifier, SessionPermissions,
    ToClassify,
};
use becket_agent::session::Facts;
use becket_agent::tool_call::{CallEnd, Report, ToolCalls};
use becket_engine::{CancellationToken, Engine, Tool, ToolSet};
use becket_llm::{Model, ModelError, Models, Script, ScriptedModel, Turn};
use becket_model::event::PermissionMode;
use becket_rules::PermissionUpdate;
use serde_json::{Value, json};
use std::sync::Arc;

fn engine(place: &Place, settings: &Value, probe: &Probe) -> Engine {
    place.engine(settings, false, &probe.toolbox())
}

fn updates(of: Value) -> Vec<PermissionUpdate> {
    of.as_array().unwrap().iter().map(|update| PermissionUpdate::parse(update).unwrap()).collect()
}

/// Returns a hook that stores its input and allows the call with these updates.
fn yes_with(updates: &Value) -> String {
    let decision = json!({"behavior": "allow", "updatedPermissions": updates});
    let answer = json!({"hookSpecificOutput": {"hookEventName": "PermissionRequest", "decision": decision}});
    format!("cat >> $HERE/asked; cat <<'END'\n{answer}\nEND")
}

// rules: P13, D8
#[tokio::test]
async fn what_a_hook_grants_beside_its_yes_is_written_and_asked_no_more() {
    let (place, probe) = (Place::new(), Probe::default());
    let grant = json!([{"type": "addRules", "rules": [{"toolName": "Probe"}], "behavior": "allow",
        "destination": "localSettings"}, {"type": "setMode", "mode": "acceptEdits", "destination": "session"}]);
    let settings = hooks(&[("PermissionRequest", &[&yes_with(&grant)])]);
    let engine = engine(&place, &settings, &probe);
    let tools = ToolCalls::new(engine.clone(), probe.toolbox());
    let (permissions, facts) = (SessionPermissions::new(engine), Facts::new(place.session(None)));
    let report = run(&tools, &facts.session(), call(json!({}))).await;
    assert_eq!(report.updates, updates(grant));
    let changed = permissions.apply(&facts, &report.updates);
    assert_eq!(changed.mode, Some((PermissionMode::Default, PermissionMode::AcceptEdits)));
    assert_eq!(facts.mode(), PermissionMode::AcceptEdits);
    assert_eq!(changed.applied.warnings, [] as [String; 0]);
    let file = place.dir.join(".claude/settings.local.json");
    let written: Value = serde_json::from_str(&std::fs::read_to_string(&file).unwrap()).unwrap();
    assert_eq!(written, json!({"permissions": {"allow": ["Probe"]}}));
    let report = run(&tools, &facts.session(), call(json!({}))).await;
    assert!(matches!(report.ended, CallEnd::Done { .. }), "{:?}", report.ended);
    assert_eq!(place.read("asked").lines().count(), 1, "nobody is asked a second time");
}

// rule: P13
#[tokio::test]
async fn suggestions_leave_out_what_holds_already() {
    struct Suggests(Probe);
    impl Tool for Suggests {
        fn name(&self) -> &str {
            self.0.name()
        }
        fn spec(&self) -> becket_llm::ToolSpec {
            self.0.spec()
        }
        fn suggestions(
            &self,
            _: &becket_model::Session,
            _: &serde_json::Map<String, Value>,
        ) -> Vec<PermissionUpdate> {
            updates(json!([{"tool": "Probe(n:1)", "behavior": "allow"},
                {"type": "setMode", "mode": "acceptEdits"}, {"type": "setMode", "mode": "bypassPermissions"}]))
        }
        fn run<'a>(
            &'a self,
            running: becket_engine::RunningCall<'a>,
        ) -> futures_util::future::BoxFuture<'a, Result<becket_engine::ToolOutput, becket_engine::ToolFailure>>
        {
            self.0.run(running)
        }
    }
    let place = Place::new();
    let toolbox = ToolSet::new([Arc::new(Suggests(Probe::default())) as Arc<dyn Tool>]);
    // Tested separately, since a person's answer ends the hooks.
    let for_hooks = place.engine(&hooks(&[("PermissionRequest", &["cat > $HERE/asked"])]), true, &toolbox);
    let for_person = place.engine(&json!({}), true, &toolbox);
    let person = Person::new(Says::No);
    let by_hooks = ToolCalls::new(for_hooks.clone(), toolbox.clone());
    let by_person = ToolCalls::new(for_person.clone(), toolbox).with_person(person.clone());
    let asked = async |mode: &str| {
        let session = place.session(Some(mode));
        run(&by_hooks, &session, call(json!({}))).await;
        let event: Value = serde_json::from_str(&place.read("asked")).unwrap();
        let offered = event["permission_suggestions"].clone();
        run(&by_person, &session, call(json!({}))).await;
        let shown = person.seen.lock().unwrap().last().unwrap().suggestions.clone();
        assert_eq!(json!(shown.iter().map(PermissionUpdate::to_json).collect::<Vec<_>>()), offered);
        offered
    };
    let rule = json!({"type": "addRules", "rules": [{"toolName": "Probe", "ruleContent": "n:1"}],
        "behavior": "allow", "destination": "session"});
    let mode = json!({"type": "setMode", "mode": "acceptEdits", "destination": "session"});
    assert_eq!(asked("default").await, json!([rule, mode]));
    assert_eq!(asked("acceptEdits").await, json!([rule]));
    for engine in [for_hooks, for_person] {
        engine.host().apply(&updates(json!([{"tool": "Probe(n:1)", "behavior": "allow"}])));
    }
    assert_eq!(asked("acceptEdits").await, json!([]));
}

// rules: P13, P14
#[test]
fn a_session_enters_no_mode_that_it_may_not_be_in() {
    let (place, probe) = (Place::new(), Probe::default());
    let settings = json!({"permissions": {"defaultMode": "plan"}});
    let permissions = SessionPermissions::new(engine(&place, &settings, &probe));
    let facts = Facts::new(place.session(None));
    assert_eq!(permissions.begin(&facts), None);
    assert_eq!(facts.mode(), PermissionMode::Plan);
    let refused = permissions.set_mode(&facts, PermissionMode::BypassPermissions).unwrap_err();
    assert!(matches!(refused, ModeRefused::NoBypass { .. }), "{refused}");
    let refused = permissions.set_mode(&facts, PermissionMode::from_name("yolo")).unwrap_err();
    assert!(refused.to_string().contains("`yolo`"), "{refused}");
    let changed =
        permissions.apply(&facts, &updates(json!([{"type": "setMode", "mode": "bypassPermissions"}])));
    assert_eq!((changed.mode, changed.applied.warnings.len()), (None, 1));
    assert_eq!(facts.mode(), PermissionMode::Plan, "whatever was tried");
    assert_eq!(permissions.set_mode(&facts, PermissionMode::AcceptEdits), Ok(PermissionMode::Plan));

    let forbidden = json!({"permissions":
        {"defaultMode": "bypassPermissions", "disableBypassPermissionsMode": "disable"}});
    let permissions = SessionPermissions::new(engine(&place, &forbidden, &probe));
    let warning = permissions.begin(&facts).unwrap();
    assert!(warning.contains("disableBypassPermissionsMode"), "{warning}");
    assert_eq!((facts.mode(), permissions.may_bypass()), (PermissionMode::Default, false));
}

// rules: P13, P14
#[test]
fn directories_are_the_cwd_and_what_was_added() {
    let (place, probe) = (Place::new(), Probe::default());
    let permissions = SessionPermissions::new(engine(&place, &json!({}), &probe));
    let facts = Facts::new(place.session(None));
    let added =
        json!([{"type": "addDirectories", "directories": ["/srv", place.dir], "destination": "session"}]);
    let changed = permissions.apply(&facts, &updates(added));
    assert_eq!(changed.applied.added, ["/srv".into(), place.dir.clone()]);
    assert_eq!(permissions.directories(&facts), [place.dir.clone(), "/srv".into()]);
}

/// Creates a session in the mode `plan`, entered from another one, and its tool.
fn planning(
    place: &Place,
    settings: &Value,
    person: Option<&Person>,
) -> (ToolCalls, SessionPermissions, Facts) {
    let toolbox = ToolSet::default();
    let engine = place.engine(settings, person.is_some(), &toolbox);
    let permissions = SessionPermissions::new(engine.clone());
    let facts = Facts::new(place.session(None));
    permissions.set_mode(&facts, PermissionMode::AcceptEdits).unwrap();
    permissions.set_mode(&facts, PermissionMode::Plan).unwrap();
    let tool = ExitPlanMode::new(permissions.clone(), facts.clone(), place.dir.join("plans/plan.md"));
    toolbox.replace([Arc::new(tool) as Arc<dyn Tool>]);
    let tools = ToolCalls::new(engine, toolbox);
    let tools = match person {
        Some(person) => tools.with_person(person.clone()),
        None => tools,
    };
    (tools, permissions, facts)
}

async fn leave_plan(tools: &ToolCalls, facts: &Facts) -> Report {
    run(tools, &facts.session(), call_of("ExitPlanMode", json!({"plan": "first A, then B"}))).await
}

// rules: P14, D3, N3
#[tokio::test]
async fn a_plan_ends_its_mode_once_a_person_approves() {
    for (says, approved) in [(Says::Yes, true), (Says::No, false)] {
        let (place, person) = (Place::new(), Person::new(says));
        let settings = hooks(&[("PreToolUse", &["cat > $HERE/seen"])]);
        let (tools, _, facts) = planning(&place, &settings, Some(&person));
        let report = leave_plan(&tools, &facts).await;
        assert_eq!(matches!(report.ended, CallEnd::Done { .. }), approved, "{:?}", report.ended);
        let mode = if approved { PermissionMode::AcceptEdits } else { PermissionMode::Plan };
        assert_eq!((facts.mode(), person.asked()), (mode, 1));
        let kept = place.read("plans/plan.md");
        assert_eq!(kept, if approved { "first A, then B" } else { "" });
        let seen: Value = serde_json::from_str(&place.read("seen")).unwrap();
        assert_eq!(seen["tool_input"]["planFilePath"], json!(place.dir.join("plans/plan.md")));
    }
}

// rules: P14, D3
#[tokio::test]
async fn no_hooks_allow_and_nobody_at_all_approves_a_plan_but_beside_an_input() {
    let allow = |more: &str| {
        format!(
            r#"echo '{{"hookSpecificOutput":{{"hookEventName":"PreToolUse","permissionDecision":"allow"{more}}}}}'"#
        )
    };
    let with_input = allow(r#","updatedInput":{"plan":"only A"}"#);
    for (hook, approved) in [("exit 0".to_owned(), false), (allow(""), false), (with_input, true)] {
        let place = Place::new();
        let (tools, _, facts) = planning(&place, &hooks(&[("PreToolUse", &[&hook])]), None);
        let report = leave_plan(&tools, &facts).await;
        assert_eq!(matches!(report.ended, CallEnd::Done { .. }), approved, "{hook}: {:?}", report.ended);
        assert_eq!(facts.mode() == PermissionMode::AcceptEdits, approved);
        assert_eq!(place.read("plans/plan.md"), if approved { "only A" } else { "" });
    }
}

// rule: P14
#[tokio::test]
async fn a_plan_outside_its_mode_and_an_empty_one_change_nothing() {
    let (place, person) = (Place::new(), Person::new(Says::Yes));
    let (tools, permissions, facts) = planning(&place, &json!({}), Some(&person));
    let report = run(&tools, &facts.session(), call_of("ExitPlanMode", json!({"plan": " "}))).await;
    assert!(matches!(report.ended, CallEnd::Invalid { .. }), "{:?}", report.ended);
    permissions.set_mode(&facts, PermissionMode::Default).unwrap();
    assert_eq!(permissions.leave_plan(&facts), None);
    let report = leave_plan(&tools, &facts).await;
    assert!(matches!(report.ended, CallEnd::Failed { .. }), "{:?}", report.ended);
    assert_eq!(facts.mode(), PermissionMode::Default);
    assert_eq!(place.read("plans/plan.md"), "");
}

// rules: P14, D11
#[tokio::test]
async fn the_classifier_sees_what_the_user_said_and_hooks_noted_and_no_output() {
    let (place, probe, judge) = (Place::new(), Probe::default(), Judge::new("allow"));
    let note =
        r#"echo '{"hookSpecificOutput":{"hookEventName":"PostToolUse","classifierContext":"it was clean"}}'"#;
    let engine = engine(&place, &hooks(&[("PostToolUse", &[note])]), &probe);
    engine.host().apply(&updates(json!([{"type": "addDirectories", "directories": ["/srv"]}])));
    let auto = AutoMode::new(judge.clone());
    let tools = ToolCalls::new(engine, probe.toolbox()).with_auto_mode(auto.clone());
    auto.user_said("tidy up");
    let session = place.session(Some("auto"));
    run(&tools, &session, call(json!({"n": 1}))).await;
    run(&tools, &session, call(json!({"n": 2}))).await;
    let [first, second]: [ToClassify; 2] = judge.asked().try_into().unwrap();
    assert_eq!((first.prompts, first.notes), (vec!["tidy up".to_owned()], vec![]));
    assert_eq!(json!(second.input), json!({"n": 2}));
    assert_eq!((second.cwd, second.directories), (place.dir.clone(), vec!["/srv".into()]));
    assert_eq!(second.notes, ["it was clean"]);
}

// rule: P14
#[tokio::test]
async fn denials_in_a_row_end_a_turn_that_nobody_watches() {
    for (watched, ends) in [(false, [None, None, Some(3), Some(4)]), (true, [None; 4])] {
        let (place, probe) = (Place::new(), Probe::default());
        let engine = place.engine(&json!({}), watched, &probe.toolbox());
        let mut tools =
            ToolCalls::new(engine, probe.toolbox()).with_auto_mode(AutoMode::new(Judge::new("deny")));
        if watched {
            tools = tools.with_person(Person::new(Says::Yes));
        }
        let session = place.session(Some("auto"));
        for end in ends {
            let report = run(&tools, &session, call(json!({}))).await;
            assert_eq!(report.denied_too_often, end);
        }
        assert_eq!(probe.ran(), [] as [Value; 0]);
    }
}

// rule: P14
#[tokio::test]
async fn a_call_that_is_cancelled_while_it_is_judged_does_not_run() {
    let (place, probe, judge) = (Place::new(), Probe::default(), Judge::new("hangs"));
    let settings = hooks(&[("PermissionDenied", &["touch $HERE/denied"])]);
    let engine = engine(&place, &settings, &probe);
    let tools = ToolCalls::new(engine, probe.toolbox()).with_auto_mode(AutoMode::new(judge.clone()));
    let (cancel, session) = (CancellationToken::new(), place.session(Some("auto")));
    let end = async {
        while judge.asked().is_empty() {
            tokio::task::yield_now().await;
        }
        cancel.cancel();
    };
    let (report, ()) = tokio::join!(tools.run(&session, call(json!({})), &cancel), end);
    assert_eq!(report.ended, CallEnd::Cancelled { started: false });
    assert_eq!(report.warnings, [] as [String; 0], "nothing is wrong with the classifier");
    assert_eq!((probe.ran().len(), place.dir.join("denied").exists()), (0, false));
}

/// The host's only model, for every name.
struct Only(Arc<dyn Model>);

impl Models for Only {
    fn model(&self, _: Option<&str>) -> Result<Arc<dyn Model>, ModelError> {
        Ok(Arc::clone(&self.0))
    }
}

fn to_classify(input: Value) -> ToClassify {
    ToClassify {
        tool: "Bash".into(),
        input: input.as_object().cloned().unwrap(),
        cwd: "/work".into(),
        directories: Vec::new(),
        prompts: vec!["tidy up".into()],
        notes: vec!["the tree was clean".into()],
    }
}

// rule: P14
#[tokio::test]
async fn a_models_judgement_is_read_strictly() {
    let cases: Vec<Value> = serde_json::from_str(include_str!("../cases/judgements.json")).unwrap();
    for case in &cases {
        let answer = &case["answer"];
        let turn = answer.as_str().map_or_else(|| Turn::json(answer.clone()), Turn::text);
        let turn = turn.expecting("tidy up").expecting("rm -rf build").expecting("the tree was clean");
        let model = Only(Arc::new(ScriptedModel::new(Script::new("small", vec![turn]))));
        let judged = ModelClassifier::new(Arc::new(model), None)
            .classify(&to_classify(json!({"command": "rm -rf build"})), &CancellationToken::new())
            .await;
        let said = match judged {
            Ok(Classification::Allow) => "allow".to_owned(),
            Ok(Classification::Deny { reason }) => format!("deny: {reason}"),
            Ok(Classification::Unsure { reason }) => format!("unsure: {reason}"),
            Err(why) => format!("error: {why}"),
        };
        assert!(said.starts_with(case["says"].as_str().unwrap()), "{case}: {said}");
    }
}

// rule: P14
#[tokio::test]
async fn an_input_that_is_too_long_is_a_persons_to_judge() {
    let model = Only(Arc::new(ScriptedModel::new(Script::new("small", vec![]))));
    let long = to_classify(json!({"command": "x".repeat(60_000)}));
    let judged = ModelClassifier::new(Arc::new(model), None).classify(&long, &CancellationToken::new()).await;
    let Ok(Classification::Unsure { .. }) = judged else { panic!("{judged:?}") };
}
