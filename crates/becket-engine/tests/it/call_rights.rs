//! Rights that hooks leave to a call: their intersection, and calls that are refused because their rights are not
//! enforced (E5).
#![expect(clippy::unwrap_used, clippy::panic, reason = "tests fail by panicking")]

use crate::common::{DescribedTool, tool_set};
use crate::common::{Project, bash, call, fire, hooks, pre, says};
use becket_engine::{Builder, Decision, Outcome, Settlement};
use becket_model::event::tool::{ExecutedProgram, PreToolUse};
use becket_model::{Attributed, EventKind, NetworkRights, Rights, SandboxAnswer, Source, interpret};
use proptest::prelude::*;
use serde_json::{Map, Value, json};

fn project(answers: &[Value]) -> Project {
    let handlers = answers.iter().map(|answer| says(answer.clone())).collect();
    Project::with(hooks("PreToolUse", "", handlers))
}

fn sandbox(value: Value) -> Value {
    pre(json!({"sandbox": value}))
}

/// Returns a host that runs Bash with the rights that hooks leave.
fn enforcing(builder: Builder) -> Builder {
    let bash = DescribedTool { enforces_rights: true, ..DescribedTool::new("Bash", |_| Ok(())) };
    builder.tools(tool_set([bash, DescribedTool::new("Read", |_| Ok(()))])).enforces_rights(true)
}

fn read() -> PreToolUse {
    call("Read", json!({"file_path": "/etc/hosts"}))
}

fn denial(outcome: &Outcome) -> &str {
    match &outcome.settlement {
        Some(Settlement::Denied { because }) => because,
        other => panic!("{other:?} {outcome:?}"),
    }
}

// rule: E5
#[test]
fn a_host_that_enforces_nothing_refuses_a_call_with_fewer_rights() {
    for allows in [false, true] {
        let mut answer = sandbox(json!({"network": {"allowedDomains": ["example.com"]}}));
        if allows {
            answer["hookSpecificOutput"]["permissionDecision"] = json!("allow");
        }
        let project = project(&[answer]);
        let engine = project.engine();
        let outcome = fire(&engine, &project.event(bash("true")));
        assert!(outcome.verdict.blocks());
        assert!(matches!(outcome.decision(), Decision::Block), "{outcome:?}");
        let why = denial(&outcome);
        for said in [
            "printf",
            "(project)",
            r#""sandbox": {"network":{"allowedDomains":["example.com"]}}"#,
            "can't be enforced",
        ] {
            assert!(why.contains(said), "{said}: {why}");
        }
    }
}

// rule: E5
#[test]
fn a_tool_that_enforces_nothing_is_refused_and_another_one_is_not() {
    let project = project(&[sandbox(json!({}))]);
    let engine = enforcing(project.builder()).build().unwrap();
    let outcome = fire(&engine, &project.event(read()));
    assert!(denial(&outcome).contains("can't be enforced for `Read`"), "{outcome:?}");
    let outcome = fire(&engine, &project.event(call("Other", json!({}))));
    assert!(denial(&outcome).contains("can't be enforced for `Other`"), "{outcome:?}");
    let outcome = fire(&engine, &project.event(bash("true")));
    assert_eq!(outcome.settlement, Some(Settlement::Undecided));
    let rights = engine.host().call_rights(&outcome.verdict.fields.sandbox, &project.work()).unwrap();
    let [rights] = &*rights else { panic!("{rights:?}") };
    assert!(rights.can_write(&project.work().join("a")) && !rights.can_write("/elsewhere".as_ref()));
    assert_eq!(rights.network, NetworkRights::Nothing);
    // The rights are not enforced if only the tool would do so.
    let builder = project.builder();
    let bash_alone = DescribedTool { enforces_rights: true, ..DescribedTool::new("Bash", |_| Ok(())) };
    let engine = builder.tools(tool_set([bash_alone])).build().unwrap();
    assert!(denial(&fire(&engine, &project.event(bash("true")))).contains("can't be enforced here"));
}

// rules: E5, E6
#[test]
fn a_host_that_passes_on_rights_has_the_calls_of_its_tools() {
    let project = project(&[sandbox(json!({}))]);
    let engine = project.builder().carries_rights(&["Bash"]).build().unwrap();
    let outcome = fire(&engine, &project.event(bash("true")));
    assert_eq!(outcome.settlement, Some(Settlement::Undecided), "{outcome:?}");
    assert_eq!(outcome.verdict.fields.sandbox.len(), 1);
    let outcome = fire(&engine, &project.event(read()));
    assert!(denial(&outcome).contains("this host does not run the call itself"), "{outcome:?}");
}

// rules: E4, E5
#[test]
fn a_program_that_is_being_executed_has_its_rights() {
    let mut hook = says(sandbox(json!({})));
    hook["if"] = json!("Bash(git push *)");
    let project = Project::with(hooks("PreToolUse", "", json!([hook])));
    for builder in [enforcing(project.builder()), project.builder().carries_rights(&["Bash"])] {
        let engine = builder.build().unwrap();
        let outcome = fire(&engine, &project.event(bash("git push").executed(ExecutedProgram::default())));
        assert!(denial(&outcome).contains("too late for a program that is being executed"), "{outcome:?}");
    }
}

// rules: E5, D9
#[test]
fn a_rewritten_call_has_the_rights_that_hooks_leave_to_it() {
    let rewrite = pre(json!({"updatedInput": {"command": "ls"}}));
    let project = project(&[rewrite, sandbox(json!({}))]);
    let outcome = fire(&project.engine(), &project.event(bash("true")));
    assert!(denial(&outcome).contains("can't be enforced here"), "{outcome:?}");
    assert_eq!(outcome.verdict.fields.updated_input, None);
    let engine = enforcing(project.builder()).build().unwrap();
    let outcome = fire(&engine, &project.event(bash("true")));
    assert_eq!(outcome.settlement, Some(Settlement::Undecided), "{outcome:?}");
    assert!(!outcome.verdict.fields.sandbox.is_empty());
}

fn read_answer(value: &Value) -> SandboxAnswer {
    let answer = sandbox(value.clone());
    let object: Map<String, Value> = answer.as_object().unwrap().clone();
    let spec = EventKind::PreToolUse.spec();
    let taken = interpret::object(spec, &object.into(), becket_model::OnFailure::Continue);
    taken.reply.fields.sandbox.clone().unwrap()
}

fn attributed(value: &Value) -> Attributed<SandboxAnswer> {
    Attributed { source: Source::Project, label: "guard.sh".into(), what: read_answer(value) }
}

// rule: E5
#[test]
fn a_right_without_a_meaning_refuses_the_call() {
    let project = Project::new();
    let engine = enforcing(project.builder()).build().unwrap();
    for (value, why) in [
        (
            json!({"network": {"allowedDomains": ["https://example.com"]}}),
            "`https://example.com` is not a host",
        ),
        (json!({"network": {"deniedDomains": ["a b"]}}), "`a b` is not a host"),
        (json!({"filesystem": {"denyRead": [""]}}), "`` is not a path"),
        (json!({"filesystem": {"denyWrite": ["a\u{0}b"]}}), "is not a path"),
        (json!({"filesystem": {"allowRead": ["/"]}}), "`sandbox.filesystem.allowRead` is not known"),
    ] {
        let said = engine.host().call_rights(&[attributed(&value)], &project.work()).unwrap_err();
        assert!(said.contains(why) && said.contains("`guard.sh`"), "{value}: {said}");
    }
}

fn paths() -> impl Strategy<Value = Vec<String>> {
    prop::collection::vec(prop_oneof!["/[ab]", "/[ab]/[ab]", "[ab]", Just("~/c".to_owned())], 0..3)
}

fn answers() -> impl Strategy<Value = Vec<Value>> {
    let domains = || prop::collection::vec(prop_oneof!["[ab]\\.test", Just("*".to_owned())], 0..3);
    let one = (paths(), paths(), paths(), domains(), domains(), any::<bool>(), any::<bool>()).prop_map(
        |(write, no_read, no_write, allowed, denied, binds, sockets)| {
            json!({
                "filesystem": {"allowWrite": write, "denyRead": no_read, "denyWrite": no_write},
                "network": {
                    "allowedDomains": allowed, "deniedDomains": denied,
                    "allowLocalBinding": binds, "allowAllUnixSockets": sockets,
                },
            })
        },
    );
    prop::collection::vec(one, 0..4)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]
    // rule: E5
    #[test]
    fn rights_of_several_hooks_are_what_all_of_them_leave_in_any_order(answers in answers(), turn in 0..4usize) {
        let project = Project::new();
        let engine = enforcing(project.builder()).build().unwrap();
        let mut answers: Vec<_> = answers.iter().map(attributed).collect();
        let of = |answers: &[Attributed<SandboxAnswer>]| {
            let all = engine.host().call_rights(answers, &project.work()).unwrap();
            let all = all.iter().fold(Rights::default(), |all, rights| all.intersection(rights));
            all.intersection(&all)
        };
        let all = of(&answers);
        for answer in &answers {
            let one = of(std::slice::from_ref(answer));
            prop_assert_eq!(&all.intersection(&one), &all, "one more does not grant anything");
        }
        if answers.is_empty() {
            prop_assert_eq!(&all, &Rights::default());
        } else {
            let by = turn % answers.len();
            answers.rotate_left(by);
        }
        prop_assert_eq!(&of(&answers), &all);
        answers.reverse();
        prop_assert_eq!(&of(&answers), &all);
    }
}
