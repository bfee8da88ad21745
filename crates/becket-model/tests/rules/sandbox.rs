//! The field `sandbox` of an answer: rights that a handler leaves to its call (E5).

use becket_model::fold::{Entry, FoldOptions, blocks_alone, fold, second_look};
use becket_model::interpret::{self, HandlerOutput, OutputOrigin};
use becket_model::{
    CallSandbox, Decision, Enforcement, EventKind, Fields, HandlerOrigin, OnFailure, PermissionDecision,
    Privileges, Reply, Ruling, SandboxAnswer, Source, Verdict,
};
use serde_json::{Value, json};

fn take(event: EventKind, stdout: &str) -> interpret::Interpretation {
    let nothing = HandlerOutput::nothing(OutputOrigin::Command);
    interpret::printed(event.spec(), &HandlerOutput { stdout: stdout.as_bytes(), ..nothing })
}

fn sandbox(stdout: &str) -> Option<SandboxAnswer> {
    take(EventKind::PreToolUse, stdout).reply.fields.sandbox.clone()
}

fn unread(event: EventKind, answer: &str) -> String {
    let sandbox = take(event, answer).reply.fields.sandbox.clone();
    sandbox
        .and_then(|sandbox| sandbox.unread().map(str::to_owned))
        .unwrap_or_else(|| panic!("read: {answer}"))
}

fn answer(sandbox: &Value) -> String {
    json!({"hookSpecificOutput": {"hookEventName": "PreToolUse", "sandbox": sandbox}}).to_string()
}

fn place(label: &str, on_failure: OnFailure) -> HandlerOrigin {
    HandlerOrigin {
        position: 0,
        source: Source::Project,
        label: label.into(),
        privileges: Privileges::Untrusted,
        on_failure,
        enforcement: Enforcement::Enforce,
    }
}

fn verdict_of(event: EventKind, stdout: &str, on_failure: OnFailure) -> Verdict {
    let taken = take(event, stdout);
    let entry = Entry { place: place("guard.sh", on_failure), reply: taken.reply, failure: taken.failure };
    fold(event.spec(), FoldOptions::default(), [entry])
}

fn granting(sandbox: SandboxAnswer) -> Reply {
    Reply { fields: Fields { sandbox: Some(sandbox), ..Fields::default() }.into(), ..Reply::default() }
}

// rule: E5
#[test]
fn the_words_are_those_of_the_settings() {
    let whole = json!({
        "filesystem": {"allowWrite": ["~/.cache"], "denyRead": ["~/.ssh"], "denyWrite": ["src"]},
        "network": {
            "allowedDomains": ["example.com"],
            "deniedDomains": ["gist.github.com"],
            "allowLocalBinding": true,
            "allowAllUnixSockets": true,
        },
    });
    assert_eq!(sandbox(&answer(&whole)).unwrap().on_the_wire(), whole);
    for nothing in [json!({}), json!({"filesystem": null, "network": {}})] {
        assert_eq!(sandbox(&answer(&nothing)), Some(SandboxAnswer::Grant(CallSandbox::default())));
    }
    assert_eq!(sandbox(&answer(&Value::Null)), None);
    assert!(take(EventKind::PreToolUse, &answer(&whole)).unknown_fields.is_empty());
}

// rule: E5
#[test]
fn a_value_that_cannot_be_read_is_known_as_such() {
    for (value, why) in [
        (json!(true), "expected object"),
        (json!("none"), "expected object"),
        (json!({"filesystem": {"allowRead": ["/work"]}}), "`sandbox.filesystem.allowRead` is not known"),
        (json!({"enabled": false}), "`sandbox.enabled` is not known"),
        (json!({"filesystem": {"denyRead": "~/.ssh"}}), "sandbox.filesystem.denyRead"),
        (json!({"filesystem": {"denyRead": ["a", 5]}}), "holds a number"),
        (json!({"network": {"allowAllUnixSockets": "no"}}), "expected boolean"),
        (json!({"network": []}), "sandbox.network"),
    ] {
        let text = unread(EventKind::PreToolUse, &answer(&value));
        assert!(text.contains(why), "{value}: {text}");
    }
}

// rule: E5
#[test]
fn rights_in_another_place_refuse_the_call() {
    let own = |text: &str| format!(r#"{{"hookSpecificOutput": {{"hookEventName": "PreToolUse", {text}}}}}"#);
    for (answer, why) in [
        (r#"{"sandbox": {}}"#.to_owned(), "at the top level"),
        (own(r#""sandbox": {}, "sandbox": {"network": {"allowedDomains": ["*"]}}"#), "more than once"),
        (own(r#""sandbox": {"filesystem": {"denyRead": ["a"], "denyRead": []}}"#), "denyRead` occurs more"),
        (
            r#"{"hookSpecificOutput": {"hookEventName": "PreToolUse", "sandbox": {}},
                "hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "ask"}}"#
                .to_owned(),
            "more than once",
        ),
        (own(r#""sandbox": {}, "updatedInput": 5"#), "updatedInput"),
        (
            r#"{"hookSpecificOutput": {"hookEventName": "PostToolUse", "sandbox": {}}}"#.to_owned(),
            "answered for `PostToolUse`",
        ),
    ] {
        let text = unread(EventKind::PreToolUse, &answer);
        assert!(text.contains(why), "{answer}: {text}");
    }
    for inside in [
        r#""decision": {"behavior": "allow"}, "sandbox": {}"#,
        r#""decision": {"behavior": "allow", "sandbox": {}}"#,
    ] {
        let answer =
            format!(r#"{{"hookSpecificOutput": {{"hookEventName": "PermissionRequest", {inside}}}}}"#);
        let verdict = verdict_of(EventKind::PermissionRequest, &answer, OnFailure::Continue);
        assert!(verdict.blocks(), "{answer}: {verdict:?}");
    }
    // An event that is not about a call has no rights.
    let stop = r#"{"sandbox": {}, "hookSpecificOutput": {"hookEventName": "Stop", "sandbox": {}}}"#;
    assert_eq!(take(EventKind::Stop, stop).reply.fields.sandbox, None);
}

// rule: E5
#[test]
fn what_cannot_be_read_denies_and_names_the_handler() {
    for on_failure in [OnFailure::Continue, OnFailure::Block] {
        let verdict = verdict_of(EventKind::PreToolUse, &answer(&json!(5)), on_failure);
        let reason = verdict.joined_reason().unwrap();
        assert!(
            verdict.blocks() && reason.contains("`guard.sh`") && reason.contains("`sandbox`"),
            "{reason}"
        );
    }
    let allows = r#"{"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "allow", "sandbox": 5}}"#;
    assert!(verdict_of(EventKind::PreToolUse, allows, OnFailure::Continue).blocks());
}

// rule: E5
#[test]
fn a_grant_decides_nothing_and_is_kept_whoever_gives_it() {
    let verdict = verdict_of(EventKind::PreToolUse, &answer(&json!({})), OnFailure::Continue);
    assert_eq!(verdict.ruling, Ruling::None);
    assert_eq!(verdict.fields.sandbox.len(), 1);
    // An answer that defers becomes an ask if there is a person: its rights stay.
    let defers = r#"{"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "defer", "sandbox": {}}}"#;
    let taken = take(EventKind::PreToolUse, defers);
    let entry = Entry { place: place("guard.sh", OnFailure::Continue), reply: taken.reply, failure: None };
    let interactive = FoldOptions { interactive: true, ..FoldOptions::default() };
    let verdict = fold(EventKind::PreToolUse.spec(), interactive, [entry]);
    assert!(verdict.asks_or_defers() && verdict.fields.sandbox.len() == 1, "{verdict:?}");
}

// rules: E5, D9
#[test]
fn the_second_look_takes_rights_away_too() {
    let spec = EventKind::PreToolUse.spec();
    let first = verdict_of(EventKind::PreToolUse, &answer(&json!({})), OnFailure::Continue);
    let other = json!({"filesystem": {"denyWrite": ["a"]}});
    let taken = take(EventKind::PreToolUse, &answer(&other));
    let entry = Entry { place: place("late.sh", OnFailure::Continue), reply: taken.reply, failure: None };
    let both = second_look(spec, FoldOptions::default(), first, [entry]);
    assert_eq!(both.fields.sandbox.len(), 2);
    let taken = take(EventKind::PreToolUse, &answer(&json!(5)));
    let entry = Entry { place: place("late.sh", OnFailure::Continue), reply: taken.reply, failure: None };
    assert!(second_look(spec, FoldOptions::default(), both, [entry]).blocks());
}

// rules: E5, G5
#[test]
fn an_observed_handler_takes_nothing_away_and_is_noted() {
    let taken = take(EventKind::PreToolUse, &answer(&json!({})));
    let place = HandlerOrigin { enforcement: Enforcement::Observe, ..place("o", OnFailure::Continue) };
    let entry = Entry { place, reply: taken.reply, failure: None };
    let verdict = fold(EventKind::PreToolUse.spec(), FoldOptions::default(), [entry]);
    assert!(verdict.fields.sandbox.is_empty());
    assert_eq!(verdict.observed[0].what.effect.as_str(), "restrict");
}

// rule: E5
#[test]
fn a_callback_that_takes_rights_away_from_a_prompt_refuses_it() {
    let grant = granting(SandboxAnswer::Grant(CallSandbox::default()));
    let unread = granting(SandboxAnswer::Unread { why: "x".into() });
    let origin = place("c", OnFailure::Continue);
    for (event, reply, blocks) in [
        (EventKind::PreToolUse, &grant, false),
        (EventKind::PreToolUse, &unread, true),
        (EventKind::PermissionRequest, &grant, true),
        (EventKind::PermissionRequest, &unread, true),
        (EventKind::Stop, &unread, false),
    ] {
        assert_eq!(blocks_alone(event.spec(), &origin, reply), blocks, "{event}");
        let entry = Entry { place: origin.clone(), reply: reply.clone(), failure: None };
        assert_eq!(fold(event.spec(), FoldOptions::default(), [entry]).blocks(), blocks, "{event}");
    }
    let allow = Decision::Permission {
        decision: PermissionDecision::Allow,
        reason: None,
        by: becket_model::DecidedBy::Answer,
    };
    let allows = Reply { decision: Some(allow), ..unread };
    assert!(blocks_alone(EventKind::PreToolUse.spec(), &origin, &allows));
}
