//! Handlers in observation (G5): real processes that run, and whose answers do not count.
#![expect(clippy::unwrap_used, reason = "tests fail by panicking")]

use crate::common::{Project, bash, command, fire, hooks, pre, says, stop};
use becket_engine::{Decision, Engine, Outcome, Status};
use becket_model::{Enforcement, ObservedEffect};
use serde_json::{Value, json};
use std::time::{Duration, SystemTime};

/// Noon of 2026-06-15.
fn noon() -> SystemTime {
    SystemTime::UNIX_EPOCH + Duration::from_secs(1_781_524_800)
}

fn with(mut handler: Value, keys: Value) -> Value {
    handler.as_object_mut().unwrap().extend(keys.as_object().cloned().unwrap());
    handler
}

fn denies() -> Value {
    command("echo no >&2; exit 2")
}

fn engine(project: &Project) -> Engine {
    project.builder().environment(project.environment().with_clock(noon)).build().unwrap()
}

fn fired(project: &Project) -> Outcome {
    fire(&engine(project), &project.event(bash("git push")))
}

#[test]
fn an_observed_guard_runs_and_the_call_does_too() {
    // rule: G5
    let guard = with(command("touch ran; echo 'no pushes' >&2; exit 2"), json!({"mode": "observe"}));
    let project = Project::with(hooks("PreToolUse", "Bash", json!([guard])));
    let outcome = fired(&project);
    assert!(project.path("work/ran").exists(), "it really runs");
    assert_eq!(outcome.decision(), Decision::Proceed, "{outcome:?}");
    let [observed] = &*outcome.verdict.observed else { panic!("{:?}", outcome.verdict) };
    assert_eq!(observed.what.effect, ObservedEffect::Deny);
    assert_eq!(observed.what.reason.as_deref(), Some("no pushes"));
    assert!(outcome.verdict.warnings.is_empty(), "nobody is told: {:?}", outcome.verdict.warnings);
    let run = &outcome.runs[0];
    assert!(run.reply.is_silent() && run.status == Status::Success && run.exit == Some(2), "{run:?}");
    assert_eq!(run.withheld.as_ref().unwrap().observed.as_ref(), Some(&observed.what));
}

#[test]
fn one_that_warns_tells_the_user() {
    // rule: G5
    let project =
        Project::with(hooks("PreToolUse", "Bash", json!([with(denies(), json!({"mode": "warn"}))])));
    let outcome = fired(&project);
    assert_eq!(outcome.decision(), Decision::Proceed);
    let expected = "`echo no >&2; exit 2` (project, mode `warn`) would have denied this: no";
    assert_eq!(outcome.verdict.warnings, [expected]);
}

#[test]
fn a_file_observes_its_own_handlers_and_no_others() {
    // rules: G5, H1
    let settings = |keys: Value| hooks("PreToolUse", "Bash", json!([with(denies(), keys)]));
    let (plain, observed) = (settings(json!({})), settings(json!({"mode": "observe"})));
    let dated = settings(json!({"mode": "observe", "observeUntil": "2026-06-15"}));
    let over = settings(json!({"mode": "observe", "observeUntil": "2026-06-14"}));
    let unreadable = settings(json!({"mode": "observe", "observeUntil": "15 June"}));
    let unknown = settings(json!({"mode": "audit"}));
    let mut of_file = observed.clone();
    of_file["mode"] = "observe".into();
    of_file["hooks"]["PreToolUse"] = json!([{"mode": "observe", "hooks": [denies()]}]);
    let none = json!({});
    for (managed, user, work, expected) in [
        // A copy in another file changes nothing for the guard that is there.
        (&plain, &none, &observed, Decision::Block),
        (&none, &plain, &observed, Decision::Block),
        (&none, &observed, &plain, Decision::Block),
        (&none, &observed, &observed, Decision::Proceed),
        (&dated, &none, &plain, Decision::Block),
        // A managed file needs an end.
        (&observed, &none, &none, Decision::Block),
        (&dated, &none, &none, Decision::Proceed),
        (&over, &none, &none, Decision::Block),
        (&none, &over, &none, Decision::Block),
        (&none, &dated, &over, Decision::Block),
        (&none, &unreadable, &none, Decision::Block),
        (&none, &unknown, &none, Decision::Block),
        // A mode is a key of a handler: in a file or a group it has no effect.
        (&none, &none, &of_file, Decision::Block),
    ] {
        let project = Project::with(work.clone());
        project.write("home/.claude/settings.json", &user.to_string());
        project.write("managed/managed-settings.json", &managed.to_string());
        assert_eq!(fired(&project).decision(), expected, "{managed} {user} {work}");
    }
}

#[test]
fn nothing_of_an_observed_answer_counts() {
    // rule: G5
    let mut all = pre(json!({
        "permissionDecision": "allow", "updatedInput": {"command": "true"}, "additionalContext": "c"
    }));
    all["systemMessage"] = "m".into();
    let observed = with(says(all), json!({"mode": "observe"}));
    let mut settings = hooks("PreToolUse", "Bash", json!([observed]));
    settings["permissions"] = json!({"ask": ["Bash"]});
    let outcome = fired(&Project::with(settings));
    assert_eq!(outcome.decision(), Decision::Wait, "its allow does not answer the ask rule");
    let verdict = &outcome.verdict;
    assert!(verdict.context.is_empty() && verdict.messages.is_empty(), "{verdict:?}");
    assert!(verdict.fields.updated_input.is_none() && outcome.runs.len() == 1, "{verdict:?}");
}

#[test]
fn a_failure_in_observation_blocks_nothing_and_a_cancelled_guard_does() {
    // rules: G5, O10
    let observed = |script: &str, keys: Value| {
        let mut keys = keys;
        keys["mode"] = "observe".into();
        Project::with(hooks("PreToolUse", "Bash", json!([with(command(script), keys)])))
    };
    for (script, keys, effect) in [
        ("exit 127", json!({}), ObservedEffect::Fail),
        ("exit 127", json!({"onFailure": "block"}), ObservedEffect::Deny),
        ("sleep 60", json!({"timeout": 0.2, "onFailure": "block"}), ObservedEffect::Deny),
    ] {
        let outcome = fired(&observed(script, keys.clone()));
        assert_eq!(outcome.decision(), Decision::Proceed, "{script} {keys}");
        assert!(outcome.verdict.failures.is_empty() && outcome.runs[0].has_failed(), "{outcome:?}");
        assert_eq!(outcome.verdict.observed[0].what.effect, effect, "{script} {keys}");
    }
    let project = observed("sleep 60", json!({}));
    let engine = engine(&project);
    let cancel = becket_engine::CancellationToken::new();
    cancel.cancel();
    let outcome = crate::common::block_on(engine.fire_until(&project.event(bash("ls")), &cancel));
    assert_eq!(outcome.decision(), Decision::Block, "{outcome:?}");
}

#[test]
fn an_observed_hook_does_not_leave_its_event() {
    // rules: G5, A2
    let leaves = "echo '{\"async\": true}'; echo late >&2; exit 2";
    let project =
        Project::with(hooks("PreToolUse", "", json!([with(command(leaves), json!({"mode": "observe"}))])));
    let outcome = fired(&project);
    assert!(outcome.runs[0].background.is_none(), "{outcome:?}");
    assert_eq!(outcome.verdict.observed[0].what.effect, ObservedEffect::Deny);
}

#[test]
fn the_end_of_a_turn_is_observed_as_a_call_is() {
    // rule: G5
    let project = Project::with(hooks("Stop", "", json!([with(denies(), json!({"mode": "observe"}))])));
    let outcome = fire(&engine(&project), &project.event(stop()));
    assert_eq!(outcome.decision(), Decision::Proceed);
    assert_eq!(outcome.verdict.observed[0].what.effect, ObservedEffect::Block);
    assert_eq!(outcome.verdict.observed[0].what.enforcement, Enforcement::Observe);
}
