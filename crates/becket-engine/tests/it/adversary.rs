//! Hostile answers, inputs and settings: a denial is never lost to them (O1–O5, O10, D3, D9, P8, H3).
#![expect(clippy::unwrap_used, reason = "tests fail by panicking")]

use crate::common::{DescribedTool, tool_set};
use crate::common::{Project, bash, call, command, fire, hooks, pre, prompt, says};
use becket_engine::{Outcome, Settlement};
use becket_model::Ruling;
use becket_model::event::permission::PermissionRequest;
use serde_json::{Map, Value, json};

/// Fires one hook on PreToolUse in a fresh project.
fn pre_tool_use(script: &str) -> Outcome {
    let project = Project::with(hooks("PreToolUse", "", json!([command(script)])));
    fire(&project.engine(), &project.event(bash("make")))
}

const DENY: &str = r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny"}}"#;

#[test]
fn a_denial_survives_what_a_hook_prints_around_it() {
    // rules: O1, O3, O4
    for (script, why) in [
        (format!("printf '\\357\\273\\277%s' '{DENY}'"), "a byte-order mark"),
        (format!("printf '\\n\\n  %s\\n\\n' '{DENY}'"), "blanks"),
        (format!("printf '%s' '{DENY}'; exit 1"), "exit 1"),
        (format!("printf '%s' '{DENY}'; exit 124"), "exit 124"),
        (format!("printf '%s' '{DENY}'; exec >&-; exit 3"), "stdout closed early"),
        (format!("printf '%s' '{DENY}'; sleep 20 & exit 0"), "a grandchild that holds the pipe"),
        (format!("(sleep 0.1; printf '%s' '{DENY}') & exit 0"), "an answer from a child"),
        ("printf '%s' '{\"permissionDecision\":\"allow\"}'; exit 2".to_owned(), "exit 2 beside an allow"),
        ("printf '{\"a\": 1'; echo no >&2; exit 2".to_owned(), "exit 2 beside half an object"),
        (
            r#"printf '%s' '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"\ud83d"}}'"#
                .to_owned(),
            "half a surrogate pair",
        ),
    ] {
        assert!(pre_tool_use(&script).verdict.blocks(), "{why}");
    }
}

#[test]
fn an_answer_that_can_not_be_read_is_never_lost_unseen() {
    // rules: O1, O10
    let deep = "{\"a\":".repeat(300) + "1" + &"}".repeat(300);
    for script in [
        format!("printf '%s\\n%s' '{DENY}' '{DENY}'"),
        format!("printf '%s\\noops' '{DENY}'"),
        format!("printf '%s' '{deep}'"),
        format!("printf '%s' '{}'", &DENY[..DENY.len() - 3]),
        format!("printf '%s' '{}'; kill -9 $$", &DENY[..DENY.len() - 3]),
        format!("printf '%s' '{DENY}'; exit 126"),
        format!("printf '%s' '{DENY}'; exit 137"),
    ] {
        let outcome = pre_tool_use(&script);
        assert_eq!(outcome.verdict.failures.len(), 1, "{script:.60}");
        assert!(outcome.verdict.failures[0].what.is_unchecked());
    }
}

#[test]
fn an_answer_behind_other_text_is_told_of() {
    // rule: O1
    let outcome = pre_tool_use(&format!("echo 'nvm: using node 22'; echo '{DENY}'"));
    assert!(!outcome.verdict.blocks(), "plain text, as the rule says");
    assert!(outcome.runs[0].warnings[0].contains("was not read"), "{:?}", outcome.runs[0].warnings);
    assert!(pre_tool_use("echo a; echo '{not an answer}'").runs[0].warnings.is_empty());
}

#[test]
fn an_answer_past_the_cap_is_an_error_and_no_text() {
    // rules: O1, H3
    let script = "printf '{\"decision\":\"block\",\"reason\":\"'; head -c 3000000 /dev/zero | tr '\\0' x; printf '\"}'";
    for event in ["UserPromptSubmit", "PreToolUse"] {
        let project = Project::with(hooks(event, "", json!([command(script)])));
        let engine = project.engine();
        let outcome = if event == "PreToolUse" {
            fire(&engine, &project.event(bash("make")))
        } else {
            fire(&engine, &project.event(prompt("hello")))
        };
        assert_eq!(outcome.verdict.failures.len(), 1, "{event}");
        assert!(outcome.verdict.context.is_empty(), "{event}");
        let told = outcome.verdict.failures[0].what.to_string();
        assert!(told.contains("1048576"), "says what it was cut at: {told}");
    }
}

fn asked_for(line: &str) -> PermissionRequest {
    serde_json::from_value(json!({
        "tool_name": "Bash", "tool_input": {"command": line}, "tool_use_id": "t", "permission_suggestions": []
    }))
    .unwrap()
}

#[test]
fn exit_2_beside_a_denial_of_a_request_keeps_its_message_and_its_interrupt() {
    // rule: O3
    let answer = json!({"hookSpecificOutput": {"hookEventName": "PermissionRequest",
        "decision": {"behavior": "deny", "message": "not today", "interrupt": true}}});
    let script = format!("printf '%s' '{answer}'; echo stderr >&2; exit 2");
    let project = Project::with(hooks("PermissionRequest", "", json!([command(&script)])));
    let outcome = fire(&project.engine(), &project.event(asked_for("make")));
    let Ruling::RequestDeny { reasons, interrupt } = &outcome.verdict.ruling else { panic!("{outcome:?}") };
    assert!(interrupt);
    assert_eq!(reasons[0].what.text, "not today");
}

#[test]
fn settings_can_not_keep_hooks_from_starting_through_env() {
    // rules: H3, O10
    for (name, value) in [
        ("A", "x\u{0}y".to_owned()),
        ("A\u{0}B", "x".to_owned()),
        ("", "x".to_owned()),
        ("A=B", "x".to_owned()),
        ("A", "x".repeat(3_000_000)),
    ] {
        let mut settings = hooks("PreToolUse", "", json!([command("exit 2")]));
        settings["env"] = json!({ name: value });
        let project = Project::with(settings);
        let outcome = fire(&project.engine(), &project.event(bash("make")));
        assert!(outcome.verdict.blocks(), "{name:?}: {:?}", outcome.verdict.failures);
    }
    let many: Map<String, Value> = (0..100).map(|n| (format!("V{n}"), json!("x".repeat(60_000)))).collect();
    let mut settings = hooks("PreToolUse", "", json!([command("exit 2")]));
    settings["env"] = Value::Object(many);
    let project = Project::with(settings);
    let outcome = fire(&project.engine(), &project.event(bash("make")));
    assert!(outcome.verdict.blocks(), "{:?}", outcome.verdict.failures);
}

#[test]
fn a_strange_session_keeps_no_hook_from_running() {
    // rules: H3, H12
    for id in ["../../../etc/passwd", "a\u{0}b", "", &"x".repeat(10_000), "a\nb", "💥"] {
        let project = Project::with(hooks("PreToolUse", "", json!([command("exit 2")])));
        let mut event = project.event(bash("make"));
        event.session.id = id.into();
        let outcome = fire(&project.engine(), &event);
        assert!(outcome.verdict.blocks(), "{id:.20?}: {:?}", outcome.verdict.failures);
    }
}

#[test]
fn a_directory_that_is_gone_keeps_no_hook_from_running() {
    // rules: H3, O10
    let project = Project::with(hooks("PreToolUse", "", json!([command("exit 2")])));
    let engine = project.engine();
    let mut event = project.event(bash("make"));
    std::fs::remove_dir_all(project.work()).unwrap();
    assert!(fire(&engine, &event).verdict.blocks());
    for cwd in ["a\nb", "a\u{0}b", "/proc/1/nowhere"] {
        event.session.cwd = cwd.into();
        assert!(fire(&engine, &event).verdict.blocks(), "{cwd:?}");
    }
}

#[test]
fn tool_names_and_inputs_of_any_shape_meet_the_guard() {
    // rules: M1, M3, N1
    let guard = command("cat >/dev/null; exit 2");
    let project = Project::with(hooks("PreToolUse", ".*", json!([guard])));
    let engine = project.engine();
    let long = "k".repeat(10_000_000);
    for (tool, input) in [
        ("a\u{0}b", json!({})),
        ("Bash|Write", json!({"command": 1})),
        ("", json!({})),
        ("Read", json!({ "file_path": "\u{0}" })),
        ("Read", json!({ "file_path": null })),
        ("Bash", json!({ long: 1 })),
    ] {
        assert!(fire(&engine, &project.event(call(tool, input))).verdict.blocks(), "{tool:?}");
    }
    let name = "x".repeat(1_000_000);
    assert!(fire(&engine, &project.event(call(&name, json!({})))).verdict.blocks());
}

#[test]
fn a_path_as_long_as_a_book_ends_no_process() {
    // rules: P8, N3
    let permissions = json!({"deny": ["Read(//etc/**)"]});
    let mut settings = hooks("PreToolUse", "Read", json!([command("exit 2")]));
    settings["permissions"] = permissions;
    let project = Project::with(settings);
    let path = "a/".repeat(500_000);
    let event = project.event(call("Read", json!({ "file_path": path })));
    assert!(fire(&project.engine(), &event).verdict.blocks());
    let line = format!("cat {}", "a/".repeat(4_000));
    assert!(fire(&project.engine(), &project.event(bash(&line))).settlement.is_some());
}

fn written(project: &Project, path: &str) -> Settlement {
    fire(&project.engine(), &project.event(call("Write", json!({"file_path": path, "content": ""}))))
        .settlement
        .unwrap()
}

#[cfg(unix)]
#[test]
fn a_chain_of_links_to_nothing_leads_past_no_deny_rule() {
    // rule: P8
    use std::os::unix::fs::symlink;
    let project = Project::new();
    let target = project.path("out/new");
    std::fs::create_dir_all(project.path("out/deep/er")).unwrap();
    project.write(
        "work/.claude/settings.json",
        &json!({"permissions": {"deny": [format!("Edit(/{})", target.display())]}}).to_string(),
    );
    let work = project.work();
    symlink(&target, work.join("one")).unwrap();
    symlink("one", work.join("two")).unwrap();
    symlink("two", work.join("three")).unwrap();
    symlink(project.path("out/deep/er"), work.join("dir")).unwrap();
    symlink("../../new", project.path("out/deep/er/back")).unwrap();
    symlink("loop", work.join("loop")).unwrap();
    for path in ["one", "two", "three", "dir/back"] {
        let settled = written(&project, path);
        assert!(matches!(settled, Settlement::Denied { .. }), "{path}: {settled:?}");
    }
    assert!(matches!(written(&project, "loop"), Settlement::Undecided));
}

#[test]
fn questions_to_a_person_are_not_answered_by_any_other_rewrite() {
    // rule: D3
    let project = Project::with(hooks(
        "PreToolUse",
        "",
        json!([
            says(pre(json!({"permissionDecision": "allow"}))),
            says(pre(json!({"updatedInput": {"questions": [], "seen": true}}))),
        ]),
    ));
    let strict = DescribedTool::new("AskUserQuestion", |input| {
        if input.contains_key("bad") { Err("no `bad`".into()) } else { Ok(()) }
    });
    let engine = project.builder().interactive(true).tools(tool_set([strict])).build().unwrap();
    let ask = call("AskUserQuestion", json!({"questions": []}));
    let settled = fire(&engine, &project.event(ask)).settlement.unwrap();
    assert!(matches!(settled, Settlement::Asked { .. }), "{settled:?}");
}

#[test]
fn a_guard_that_matches_only_the_rewrite_sees_it_whoever_rewrote() {
    // rule: D9
    let guard = |rule: &str| json!({"type": "command", "if": rule, "command": "cat >/dev/null; exit 2"});
    for (tool, given, rewrite, rule) in [
        ("Bash", json!({"command": "ls"}), json!({"command": "git push"}), "Bash(git push *)"),
        ("Bash", json!({"command": "ls"}), json!({"command": "cd /tmp && \"git\" push"}), "Bash(git push *)"),
        ("Write", json!({"file_path": "a"}), json!({"file_path": "sub/../secret"}), "Write(secret)"),
    ] {
        let rewriter = says(pre(json!({"permissionDecision": "allow", "updatedInput": rewrite})));
        let project = Project::with(hooks(
            "PreToolUse",
            "",
            json!([guard(rule), rewriter, says(pre(json!({"updatedInput": given.clone()})))]),
        ));
        // Two rewrites: the last one of a source counts, so the result depends on the position of the guard.
        let outcome = fire(&project.engine(), &project.event(call(tool, given.clone())));
        assert!(!outcome.verdict.blocks(), "the harmless one counts");
        let project = Project::with(hooks("PreToolUse", "", json!([guard(rule), rewriter])));
        let outcome = fire(&project.engine(), &project.event(call(tool, given)));
        assert!(outcome.verdict.blocks(), "{tool} {rewrite}");
        assert!(matches!(outcome.settlement, Some(Settlement::Denied { .. })));
    }
}

#[test]
fn a_guard_that_runs_once_looks_at_the_rewrite_of_its_one_event() {
    // rules: D9, C11
    let skill = "---\nhooks:\n  PreToolUse:\n    - hooks:\n        - {type: command, once: true, command: 'grep -q danger && exit 2; exit 0'}\n---\n";
    let rewriter = says(pre(json!({"updatedInput": {"command": "danger"}})));
    let project = Project::with(hooks("PreToolUse", "", json!([rewriter])));
    let registered =
        crate::common::frontmatter(&project, becket_model::Source::Skill("s".into()), skill, None);
    let engine = project.engine();
    engine.register(registered.handlers);
    assert!(fire(&engine, &project.event(bash("make"))).verdict.blocks());
    let again = fire(&engine, &project.event(bash("make")));
    assert_eq!(again.runs.len(), 1, "it has had its one event");
}

#[test]
fn numbers_past_all_reason_neither_panic_nor_hang() {
    // rule: H11
    for timeout in [json!(1e300), json!(1e-300), json!(u64::MAX), json!(0.0000001)] {
        let guard = json!({"type": "command", "command": "exit 2", "timeout": timeout, "onFailure": "block"});
        let project = Project::with(hooks("PreToolUse", "", json!([guard])));
        let engine = project.engine();
        let outcome = fire(&engine, &project.event(bash("make")));
        let told = engine.config().diagnostics.len();
        assert!(outcome.verdict.blocks() || told > 0, "{timeout}");
    }
    for budget in ["18446744073709551615", "18446744073709551616", "-1", "soon", "", "0"] {
        let project = Project::with(hooks("SessionEnd", "", json!([command("echo bye")])));
        let name = "CLAUDE_CODE_SESSIONEND_HOOKS_TIMEOUT_MS";
        let environment = project.environment().with_var(name, budget);
        let engine = project.builder().environment(environment).build().unwrap();
        let outcome = fire(&engine, &project.event(crate::common::end()));
        assert_eq!(outcome.runs.len(), 1, "{budget}");
        // Without any time both results are possible.
        assert!(outcome.runs[0].failure.is_none() || budget == "0", "{budget}");
    }
}

#[test]
fn matchers_of_any_size_hold_the_guard() {
    // rules: M2, M3, M4
    let many = (0..60_000).map(|n| format!("Tool{n}")).chain(["Bash".into()]).collect::<Vec<_>>().join("|");
    for matcher in
        [many, format!("^({}Bash)$", "x?".repeat(5_000)), "(".repeat(200) + "Bash" + &")".repeat(200)]
    {
        let project = Project::with(hooks("PreToolUse", &matcher, json!([command("exit 2")])));
        let engine = project.engine();
        let outcome = fire(&engine, &project.event(bash("make")));
        let told = !engine.config().diagnostics.is_empty();
        assert!(outcome.verdict.blocks() || told, "{matcher:.40}");
    }
}

#[test]
fn copies_with_other_conditions_stay_apart() {
    // rule: H1
    let guard = |rule: &str| json!({"type": "command", "if": rule, "command": "cat >/dev/null; exit 2"});
    let project = Project::new();
    for file in ["work/.claude/settings.json", "home/.claude/settings.json"] {
        project.write(file, &hooks("PreToolUse", "", json!([guard("Read(/secret)")])).to_string());
    }
    let engine = project.engine();
    for dir in ["work", "home", "home/.claude", "work/.claude"] {
        let path = project.path(dir).join("secret");
        let plan = engine.plan(&project.event(call("Read", json!({ "file_path": path }))));
        let skipped: Vec<String> = plan.skipped().map(|skipped| skipped.to_string()).collect();
        assert!(!skipped.iter().any(|why| why.contains("does the same")), "{skipped:?}");
    }
    let covered = ["work/secret", "home/.claude/secret", "home/secret"]
        .iter()
        .filter(|path| {
            let event = project.event(call("Read", json!({ "file_path": project.path(path) })));
            fire(&engine, &event).verdict.blocks()
        })
        .count();
    assert!(covered >= 2, "one place for each file");
}
