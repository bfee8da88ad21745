//! A denial stays a denial, and messages about it are not lost.

#![expect(clippy::unwrap_used, reason = "tests fail by panicking")]
#![expect(clippy::wildcard_enum_match_arm, reason = "a test picks one end among many")]

use crate::support::calls::{Person, Place, Probe, Says, call, call_of, hooks, run};
use becket_agent::AskUserQuestion;
use becket_agent::definitions::{Dialect, Homes};
use becket_agent::skills::SessionSkills;
use becket_agent::tool_call::{CallEnd, DeniedBy, Report, ToolCalls};
use becket_engine::config::Request;
use becket_engine::{Engine, Profile, Tool, ToolSet};
use becket_tools::{Surroundings, hook_tools};
use serde_json::{Value, json};
use std::fs;
use std::sync::Arc;

/// A PermissionRequest hook that allows an input of its own, and everything else from now on.
const GRANTS: &str = r#"echo '{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"allow",
    "updatedInput":INPUT,
    "updatedPermissions":[{"type":"addRules","behavior":"allow","destination":"session","rules":[{"toolName":"Probe"}]}]}}}'"#;

/// Returns a PreToolUse hook that decides only about the rewritten input.
fn guard(decision: &str) -> String {
    let answer = json!({"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": decision,
        "permissionDecisionReason": "the guard"}});
    format!("grep -q '\"n\":1' && echo '{answer}'; exit 0")
}

fn by(report: &Report) -> Option<DeniedBy> {
    match &report.ended {
        CallEnd::Denied { by, .. } => Some(*by),
        _ => None,
    }
}

// rules: P13, D8, D9
#[tokio::test]
async fn what_a_hook_grants_beside_its_yes_counts_only_if_nobody_holds_the_call_back() {
    for (name, guarded, mode, input, person, denied, granted) in [
        ("nobody minds", None, None, json!({"n": 1}), None, None, true),
        ("a guard denies", Some("deny"), None, json!({"n": 1}), None, Some(DeniedBy::Hook), false),
        ("a guard asks nobody", Some("ask"), None, json!({"n": 1}), None, Some(DeniedBy::Nobody), false),
        (
            "the person says no",
            Some("ask"),
            None,
            json!({"n": 1}),
            Some(Says::NothingThenNo),
            Some(DeniedBy::Person),
            false,
        ),
        (
            "the person says yes to the call",
            Some("ask"),
            None,
            json!({"n": 1}),
            Some(Says::NothingThenYes),
            None,
            false,
        ),
        ("it does not fit", None, None, json!({"n": "x"}), None, Some(DeniedBy::Hook), false),
        (
            "the mode forbids it",
            None,
            Some("plan"),
            json!({"path": "/edit/a"}),
            None,
            Some(DeniedBy::Mode),
            false,
        ),
    ] {
        let (place, probe) = (Place::new(), Probe::default());
        let grants = GRANTS.replace("INPUT", &input.to_string());
        let guards: Vec<String> = guarded.map(guard).into_iter().collect();
        let guards: Vec<&str> = guards.iter().map(String::as_str).collect();
        let settings = hooks(&[("PermissionRequest", &[&grants]), ("PreToolUse", &guards)]);
        let person = person.map(Person::new);
        let engine = place.engine(&settings, person.is_some(), &probe.toolbox());
        let mut tools = ToolCalls::new(engine, probe.toolbox());
        if let Some(person) = &person {
            tools = tools.with_person(person.clone());
        }
        let report = run(&tools, &place.session(mode), call(json!({}))).await;
        assert_eq!(by(&report), denied, "{name}: {:?}", report.ended);
        assert_eq!(probe.ran().is_empty(), denied.is_some(), "{name}");
        assert_eq!(!report.updates.is_empty(), granted, "{name}: {:?}", report.updates);
    }
}

/// A session with one skill, whose text runs two commands.
struct SkillSession {
    place: Place,
    calls: ToolCalls,
    engine: Engine,
}

fn skilled(settings: &Value) -> SkillSession {
    let place = Place::new();
    let skill = place.dir.join(".claude/skills/two/SKILL.md");
    fs::create_dir_all(skill.parent().unwrap()).unwrap();
    fs::write(skill, "---\nname: two\ndescription: d\n---\nfirst !`pwd` then !`ls`\n").unwrap();
    let toolbox = ToolSet::default();
    let engine = place.builder(settings).tools(toolbox.clone()).build().unwrap();
    let request = Request::new(Profile::claude(), place.environment(), &place.dir);
    let bash = hook_tools(Surroundings::new(place.environment()));
    let own = ToolCalls::new(engine.clone(), bash);
    let (homes, dialect) = (Homes::of(&request, &[]), Dialect::of(&request));
    let (skills, _) = SessionSkills::builder(engine.clone(), own, place.environment(), homes, dialect).load();
    toolbox.replace([Arc::new(skills.tool()) as Arc<dyn Tool>]);
    SkillSession { calls: ToolCalls::new(engine.clone(), toolbox), engine, place }
}

/// Returns hooks of one event that only apply to the commands of skills.
fn about_bash(event: &str, command: &str) -> Value {
    json!({"permissions": {"allow": ["Skill"]},
        "hooks": {event: [{"matcher": "Bash", "hooks": [{"type": "command", "command": command}]}]}})
}

// rules: D6, D8, O10, O7
#[tokio::test]
async fn what_hooks_say_to_the_host_about_a_skills_commands_reaches_it() {
    let stop = r#"echo pre >>"$HERE/log"; echo '{"continue": false, "stopReason": "no further"}'"#;
    let interrupts = r#"echo '{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":
        {"behavior":"deny","message":"never","interrupt":true}}}'"#;
    for (event, command, stops, interrupt, failures) in [
        ("PreToolUse", stop, true, false, 0),
        ("PostToolUse", stop, true, false, 0),
        ("PreToolUse", "exit 127", false, false, 2),
        ("PermissionRequest", interrupts, false, true, 0),
    ] {
        let mut settings = about_bash(event, command);
        if event == "PermissionRequest" {
            settings["permissions"]["ask"] = json!(["Bash"]);
        }
        let SkillSession { place, calls, engine } = skilled(&settings);
        let report = run(&calls, &place.session(None), call_of("Skill", json!({"skill": "two"}))).await;
        let reason = report.stop().and_then(|stop| stop.what.reason.clone());
        assert_eq!(reason.as_deref(), stops.then_some("no further"), "{event}: {report:?}");
        assert_eq!(report.interrupt, interrupt, "{event} {command}");
        let told = report.nested.iter().flat_map(|nested| &nested.outcomes);
        let failed: usize = told.map(|outcome| outcome.verdict.failures.len()).sum();
        assert_eq!(failed, failures, "{event} {command}: {report:?}");
        if stops {
            assert!(matches!(report.ended, CallEnd::Failed { .. }), "{:?}", report.ended);
            assert_eq!(place.read("log"), "pre\n", "the second command is not tried");
        }
        drop(engine);
    }
}

// rule: D3
#[tokio::test]
async fn an_answer_that_the_model_wrote_itself_is_nobodys_also_beside_a_hooks() {
    let question = |text: &str| {
        let option = |label: &str| json!({"label": label, "description": "d"});
        json!({"question": text, "header": "h", "options": [option("yes"), option("no")]})
    };
    let questions = json!([question("delete?"), question("colour?")]);
    let input = json!({"questions": questions, "answers": {"delete?": "yes"}});
    let merged = json!({"questions": questions, "answers": {"delete?": "yes", "colour?": "no"}});
    let own = json!({"questions": questions, "answers": {"delete?": "no", "colour?": "no"}});
    for (rewrite, answered) in [(&merged, None), (&input, None), (&own, Some(("no", "no")))] {
        let answer = json!({"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "allow",
            "updatedInput": rewrite}});
        let place = Place::new();
        fs::write(place.dir.join("answer"), answer.to_string()).unwrap();
        let toolbox = ToolSet::new([Arc::new(AskUserQuestion::new()) as Arc<dyn Tool>]);
        let settings = hooks(&[("PreToolUse", &[r#"cat "$HERE/answer""#])]);
        let calls = ToolCalls::new(place.engine(&settings, false, &toolbox), toolbox);
        let report = run(&calls, &place.session(None), call_of("AskUserQuestion", input.clone())).await;
        let said = match &report.ended {
            CallEnd::Done { output } => {
                let said = |question: &str| output.response["answers"][question].as_str().unwrap().to_owned();
                Some((said("delete?"), said("colour?")))
            }
            _ => None,
        };
        let said = said.as_ref().map(|(one, other)| (one.as_str(), other.as_str()));
        assert_eq!(said, answered, "{rewrite}: {:?}", report.ended);
    }
}
