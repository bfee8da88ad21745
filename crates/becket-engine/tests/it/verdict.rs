//! The joint result of hooks and rules, with real hooks: settlement, second looks, order (D1–D11, H1, O8).
#![expect(clippy::unwrap_used, reason = "tests fail by panicking")]

use crate::common::{
    DescribedTool, Project, bash, block_on, call, command, fire, hooks, pre, says, start, tool_set,
};
use becket_engine::{CancellationToken, Outcome, Settlement, ToolSet};
use becket_model::Ruling;
use becket_model::event::PermissionMode;
use becket_model::event::permission::PermissionRequest;
use serde_json::{Map, Value, json};

fn allow() -> Value {
    says(pre(json!({"permissionDecision": "allow", "permissionDecisionReason": "fine"})))
}

/// Returns settings with hooks on PreToolUse and permission rules.
fn settings(handlers: Value, permissions: Value) -> Value {
    let mut settings = hooks("PreToolUse", "", handlers);
    settings["permissions"] = permissions;
    settings
}

fn settled(handlers: Value, permissions: Value, command: &str) -> Settlement {
    let project = Project::with(settings(handlers, permissions));
    fire(&project.engine(), &project.event(bash(command))).settlement.unwrap()
}

fn interactive(handlers: Value, permissions: Value, command: &str, mode: PermissionMode) -> Settlement {
    let project = Project::with(settings(handlers, permissions));
    let engine = project.builder().interactive(true).build().unwrap();
    let mut event = project.event(bash(command));
    event.session.permission_mode = Some(mode);
    fire(&engine, &event).settlement.unwrap()
}

#[test]
fn a_hooks_allow_passes_no_deny_rule_and_no_ask_rule() {
    // rule: D3
    let denied = settled(json!([allow()]), json!({"deny": ["Bash(git push *)"]}), "git push origin");
    assert!(
        matches!(&denied, Settlement::Denied { because } if because.contains("Bash(git push *)")),
        "{denied:?}"
    );
    let asked = settled(json!([allow()]), json!({"ask": ["Bash(git *)"]}), "cd x && git push");
    assert!(matches!(&asked, Settlement::Asked { because } if because.contains("Bash(git *)")), "{asked:?}");
    assert!(matches!(settled(json!([allow()]), json!({}), "git push"), Settlement::Allowed { .. }));
}

#[test]
fn a_deny_rule_holds_beside_every_other_answer_of_a_hook() {
    // rules: D3, P11
    let deny = json!({"deny": ["Bash(rm *)"], "allow": ["Bash(rm *)"]});
    for decision in ["allow", "ask", "defer"] {
        let hook = says(pre(json!({"permissionDecision": decision})));
        let settled = settled(json!([hook]), deny.clone(), "rm -rf build");
        assert!(matches!(settled, Settlement::Denied { .. }), "{decision}: {settled:?}");
    }
    assert!(matches!(settled(json!([command("true")]), deny, "rm x"), Settlement::Denied { .. }));
}

#[test]
fn an_allow_is_void_for_critical_removals() {
    // rule: D3
    for line in ["rm -rf /", "rm -rf /usr", "rm -rf ~", "sudo rm -rf .", "rmdir ..", "rm -rf $DIR/*"] {
        let settled = settled(json!([allow()]), json!({}), line);
        assert!(matches!(settled, Settlement::Asked { .. }), "{line}: {settled:?}");
    }
    assert!(matches!(settled(json!([allow()]), json!({}), "rm -rf build/out"), Settlement::Allowed { .. }));
}

/// Returns the settlement of a critical removal, with rules, in a mode.
fn removed(handlers: Value, permissions: Value, line: &str, mode: Option<PermissionMode>) -> Settlement {
    let mut settings = settings(handlers, permissions);
    if settings["hooks"]["PreToolUse"][0]["hooks"].as_array().is_some_and(Vec::is_empty) {
        settings.as_object_mut().unwrap().remove("hooks");
    }
    let project = Project::with(settings);
    let mut event = project.event(bash(line));
    event.session.permission_mode = mode;
    fire(&project.engine(), &event).settlement.unwrap()
}

#[test]
fn a_critical_removal_is_asked_about_whoever_allows_it() {
    // rules: D3, P14
    let (nobody, none) = (json!([]), json!({}));
    let rules = ["Bash", "Bash(rm *)", "Bash(rm -rf ~)"].map(|rule| json!({"allow": [rule]}));
    let modes = || {
        [
            PermissionMode::BypassPermissions,
            PermissionMode::AcceptEdits,
            PermissionMode::Auto,
            PermissionMode::Other("yolo".into()),
        ]
    };
    for permissions in rules {
        for handlers in [nobody.clone(), json!([command("true")]), json!([allow()])] {
            for mode in modes().map(Some).into_iter().chain([None]) {
                let settled = removed(handlers.clone(), permissions.clone(), "rm -rf ~", mode.clone());
                assert!(
                    matches!(&settled, Settlement::Asked { because } if because.contains("home directory")),
                    "{handlers} {permissions} {mode:?}: {settled:?}"
                );
            }
        }
    }
    // A host without a mode runs what nothing decides.
    for mode in modes().map(Some).into_iter().chain([None]) {
        let settled = removed(nobody.clone(), none.clone(), "bash -c 'rm -rf .'", mode.clone());
        assert!(matches!(settled, Settlement::Asked { .. }), "{mode:?}: {settled:?}");
        let settled = removed(nobody.clone(), none.clone(), "rm -rf build/out", mode.clone());
        assert_eq!(settled, Settlement::Undecided, "{mode:?}");
    }
    // These modes ask or deny by themselves.
    for mode in [PermissionMode::Default, PermissionMode::Plan, PermissionMode::DontAsk] {
        assert_eq!(removed(nobody.clone(), none.clone(), "rm -rf ~", Some(mode)), Settlement::Undecided);
    }
    let deny = json!({"deny": ["Bash(rm *)"], "allow": ["Bash"]});
    let settled = removed(nobody, deny, "rm -rf ~", Some(PermissionMode::BypassPermissions));
    assert!(matches!(settled, Settlement::Denied { .. }), "{settled:?}");
}

#[test]
fn an_allow_of_permission_request_hooks_answers_for_a_critical_removal_and_a_rule_does_not() {
    // rule: D3
    let of = |hook: Value| {
        let mut settings = hooks("PermissionRequest", "", json!([hook]));
        settings["permissions"] = json!({"allow": ["Bash"]});
        let project = Project::with(settings);
        let input = json!({"command": "rm -rf ~"}).as_object().unwrap().clone();
        let request = PermissionRequest::new("Bash".into(), input);
        fire(&project.engine(), &project.event(request)).settlement.unwrap()
    };
    let allowed = of(says(json!({"hookSpecificOutput": {"hookEventName": "PermissionRequest",
        "decision": {"behavior": "allow"}}})));
    assert!(matches!(allowed, Settlement::Allowed { .. }), "{allowed:?}");
    let asked = of(command("true"));
    assert!(matches!(asked, Settlement::Asked { .. }), "{asked:?}");
}

#[test]
fn a_critical_removal_is_seen_through_the_variables_of_the_host() {
    // rule: D3
    let mut settings = settings(json!([command("true")]), json!({"allow": ["Bash"]}));
    settings.as_object_mut().unwrap().remove("hooks");
    let project = Project::with(settings);
    let home = project.environment().home().unwrap().to_owned();
    let environment = project.environment().with_var("BACKUP", home).with_var("BUILD", project.path("a/b"));
    let engine = project.builder().environment(environment).build().unwrap();
    let settled = |line: &str| fire(&engine, &project.event(bash(line))).settlement.unwrap();
    for line in ["rm -rf \"$BACKUP\"", "X=$BACKUP; sudo rm -r $X"] {
        let settled = settled(line);
        assert!(
            matches!(&settled, Settlement::Asked { because } if because.contains("home directory")),
            "{line}: {settled:?}"
        );
    }
    for line in ["rm -rf \"$BUILD\"", "rm -rf \"$OTHER\""] {
        assert!(matches!(settled(line), Settlement::Allowed { .. }), "{line}");
    }
}

/// Returns tools that take a command; the user has to answer the prompts of one.
fn with_command() -> ToolSet {
    let check = |input: &Map<String, Value>| {
        if input.get("command").is_some_and(Value::is_string) {
            Ok(())
        } else {
            Err("`command` must be a string".into())
        }
    };
    let pay = DescribedTool { requires_user: true, ..DescribedTool::new("mcp__bank__pay", check) };
    let others = ["Bash", "AskUserQuestion", "ExitPlanMode", "mcp__bank__read"];
    tool_set([pay].into_iter().chain(others.map(|name| DescribedTool::new(name, check))))
}

#[test]
fn an_allow_is_void_for_tools_that_need_a_person() {
    // rule: D3
    let project = Project::with(settings(json!([allow()]), json!({})));
    let engine = project.builder().tools(with_command()).build().unwrap();
    let settle =
        |tool: &str| fire(&engine, &project.event(call(tool, json!({"command": "x"})))).settlement.unwrap();
    assert!(matches!(settle("mcp__bank__pay"), Settlement::Asked { .. }));
    assert!(matches!(settle("AskUserQuestion"), Settlement::Asked { .. }));
    assert!(matches!(settle("ExitPlanMode"), Settlement::Asked { .. }));
    assert!(matches!(settle("mcp__bank__read"), Settlement::Allowed { .. }));
    let answers =
        says(pre(json!({"permissionDecision": "allow", "updatedInput": {"command": "x", "answers": {}}})));
    let project = Project::with(settings(json!([answers]), json!({})));
    let engine = project.builder().tools(with_command()).build().unwrap();
    let outcome = fire(&engine, &project.event(call("AskUserQuestion", json!({"command": "x"}))));
    assert!(matches!(outcome.settlement, Some(Settlement::Allowed { .. })), "{:?}", outcome.settlement);
}

#[test]
fn a_hooks_ask_asks_over_any_allow_rule_and_denies_where_nobody_is_there() {
    // rule: D3
    let ask = json!([says(pre(json!({"permissionDecision": "ask", "permissionDecisionReason": "sure?"})))]);
    let rules = json!({"allow": ["Bash"]});
    let bypass = PermissionMode::BypassPermissions;
    let asked = interactive(ask.clone(), rules.clone(), "ls", bypass);
    assert!(matches!(&asked, Settlement::Asked { because } if because.contains("sure?")), "{asked:?}");
    let modes =
        [interactive(ask.clone(), rules.clone(), "ls", PermissionMode::DontAsk), settled(ask, rules, "ls")];
    for denied in modes {
        assert!(matches!(&denied, Settlement::Denied { because } if because.contains("sure?")), "{denied:?}");
    }
}

#[test]
fn without_a_hooks_decision_the_rules_decide_and_else_the_mode() {
    // rule: P11
    let silent = json!([command("true")]);
    let rules = json!({"allow": ["Bash(ls *)"], "ask": ["Bash(ls -R *)"]});
    assert!(matches!(settled(silent.clone(), rules.clone(), "ls -la"), Settlement::Allowed { .. }));
    assert!(matches!(settled(silent.clone(), rules.clone(), "ls -R /"), Settlement::Asked { .. }));
    assert_eq!(settled(silent, rules, "make"), Settlement::Undecided);
}

#[test]
fn a_stop_keeps_the_call_from_running() {
    // rule: D6
    let stop = says(json!({"continue": false, "stopReason": "enough for today"}));
    let settled = settled(json!([allow(), stop]), json!({}), "ls");
    assert_eq!(settled, Settlement::Stopped { because: "enough for today".into() });
}

#[test]
fn a_stop_beside_a_permission_requests_allow_holds_the_call_back() {
    // rule: D6
    let decision = json!({"hookEventName": "PermissionRequest", "decision": {"behavior": "allow"}});
    let answer = json!({"continue": false, "stopReason": "not now", "hookSpecificOutput": decision});
    let project = Project::with(hooks("PermissionRequest", "", json!([says(answer)])));
    let outcome = fire(&project.engine(), &project.event(request(json!({"command": "ls"}))));
    assert_eq!(outcome.settlement, Some(Settlement::Stopped { because: "not now".into() }));
}

#[test]
fn rules_are_heard_where_no_hook_is_configured() {
    // rules: P11, D3
    let project = Project::with(json!({"permissions": {"deny": ["Bash(rm *)"]}}));
    let engine = project.engine();
    let settled = |command: &str| fire(&engine, &project.event(bash(command))).settlement.unwrap();
    assert!(matches!(settled("rm -rf x"), Settlement::Denied { .. }));
    assert_eq!(settled("ls"), Settlement::Undecided);
    let silent = Project::with(json!({}));
    assert_eq!(fire(&silent.engine(), &silent.event(bash("rm x"))).settlement, Some(Settlement::Undecided));
}

#[test]
fn parameter_rules_see_what_was_written_and_not_what_a_schema_filled_in() {
    // rule: P10
    let settled = |input: Value, handlers: Value| {
        let mut settings = hooks("PreToolUse", "", handlers);
        settings["permissions"] = json!({"deny": ["Agent(run_in_background:false)"]});
        let project = Project::with(settings);
        let engine = project.builder().tools(in_foreground()).build().unwrap();
        fire(&engine, &project.event(call("Agent", input))).settlement.unwrap()
    };
    let silent = || json!([command("true")]);
    assert_eq!(
        settled(json!({"prompt": "x"}), silent()),
        Settlement::Undecided,
        "omitted: the default is not a match"
    );
    let denied = settled(json!({"prompt": "x", "run_in_background": false}), silent());
    assert!(matches!(denied, Settlement::Denied { .. }), "{denied:?}");
    let rewritten = says(pre(json!({"updatedInput": {"prompt": "x", "run_in_background": false}})));
    let denied = settled(json!({"prompt": "x"}), json!([rewritten]));
    assert!(matches!(denied, Settlement::Denied { .. }), "a hook's own value counts too: {denied:?}");
}

/// Returns a host whose `Agent` has a default.
fn in_foreground() -> ToolSet {
    let defaults = json!({"run_in_background": false}).as_object().cloned().unwrap();
    tool_set([DescribedTool { defaults, ..DescribedTool::new("Agent", |_| Ok(())) }])
}

#[test]
fn a_permission_requests_rewrite_meets_the_schema_and_a_second_look() {
    // rule: D9
    let answer = |input: Value| {
        let decision = json!({"behavior": "allow", "updatedInput": input});
        says(json!({"hookSpecificOutput": {"hookEventName": "PermissionRequest", "decision": decision}}))
    };
    let deny = json!({"hookSpecificOutput": {"hookEventName": "PermissionRequest",
        "decision": {"behavior": "deny", "message": "not that"}}});
    let guard = command(&format!("grep -q 'rm -rf' && printf '%s' '{deny}'; exit 0"));
    let settled = |handlers: Value| {
        let project = Project::with(hooks("PermissionRequest", "", handlers));
        let engine = project.builder().tools(with_command()).build().unwrap();
        fire(&engine, &project.event(request(json!({"command": "ls"})))).settlement.unwrap()
    };
    let broken = settled(json!([answer(json!({"command": 7}))]));
    assert!(
        matches!(&broken, Settlement::Denied { because } if because.contains("not at fault")),
        "{broken:?}"
    );
    let seen = settled(json!([guard, answer(json!({"command": "rm -rf x"}))]));
    assert!(matches!(&seen, Settlement::Denied { because } if because.contains("not that")), "{seen:?}");
}

#[test]
fn a_background_hook_neither_decides_nor_stops() {
    // rule: A1
    let mut hook = says(json!({"continue": false, "decision": "block", "reason": "x"}));
    hook["async"] = json!(true);
    let project = Project::with(hooks("UserPromptSubmit", "", json!([hook])));
    let verdict = fire(&project.engine(), &project.event(crate::common::prompt("hi"))).verdict;
    assert!(!verdict.blocks() && verdict.stop.is_none());
}

#[test]
fn a_defer_is_never_an_allow() {
    // rule: D10
    let defer =
        json!([says(pre(json!({"permissionDecision": "defer", "updatedInput": {"command": "x"}}))), allow()]);
    let project = Project::with(settings(defer.clone(), json!({})));
    let outcome = fire(&project.engine(), &project.event(bash("ls")));
    assert_eq!(outcome.settlement, Some(Settlement::Deferred));
    assert!(outcome.verdict.fields.updated_input.is_none());
    let asked = interactive(defer, json!({}), "ls", PermissionMode::Default);
    assert!(matches!(asked, Settlement::Asked { .. }), "{asked:?}");
}

fn rewrite(command: &str) -> Value {
    says(pre(json!({"permissionDecision": "allow", "updatedInput": {"command": command}})))
}

#[test]
fn rules_meet_the_rewritten_input() {
    // rule: D4
    let rules = json!({"deny": ["Bash(rm *)"]});
    let denied = settled(json!([rewrite("rm -rf build")]), rules.clone(), "ls");
    assert!(matches!(denied, Settlement::Denied { .. }), "{denied:?}");
    let rescued = settled(json!([rewrite("ls")]), rules, "rm x");
    assert!(matches!(rescued, Settlement::Allowed { .. }), "the call that runs is `ls`: {rescued:?}");
}

fn saw(outcome: &Outcome) -> Vec<(bool, String)> {
    let seen = |run: &std::sync::Arc<becket_engine::Run>| {
        let input: Value = serde_json::from_slice(&run.stderr).unwrap();
        (run.second_look, input["tool_input"]["command"].as_str().unwrap().to_owned())
    };
    outcome.runs.iter().filter(|run| run.stderr.starts_with(b"{")).map(seen).collect()
}

#[test]
fn every_hook_sees_the_models_input_and_the_others_look_again_at_a_rewrite() {
    // rule: D9
    let witness = command("cat >&2");
    let project = Project::with(settings(json!([witness, rewrite("ls -la")]), json!({})));
    let outcome = fire(&project.engine(), &project.event(bash("ls")));
    assert_eq!(saw(&outcome), [(false, "ls".into()), (true, "ls -la".into())]);
    assert_eq!(outcome.runs.len(), 3, "the hook that made the rewrite does not look again");
}

#[test]
fn a_second_look_can_deny_and_never_allow() {
    // rule: D9
    let guard = |then: &str| command(&format!("grep -q 'rm -rf' && {{ {then}; }}; exit 0"));
    let deny = guard("echo 'not that' >&2; exit 2");
    let project = Project::with(settings(json!([deny, rewrite("rm -rf /tmp/x")]), json!({})));
    let outcome = fire(&project.engine(), &project.event(bash("ls")));
    assert!(outcome.verdict.blocks(), "{:?}", outcome.verdict);
    assert!(outcome.verdict.fields.updated_input.is_none());
    let grant = pre(json!({"permissionDecision": "allow"})).to_string();
    let ask = says(pre(json!({"permissionDecision": "ask", "updatedInput": {"command": "rm -rf x"}})));
    let project = Project::with(settings(json!([guard(&format!("printf '%s' '{grant}'")), ask]), json!({})));
    let outcome = fire(&project.engine(), &project.event(bash("ls")));
    let asks =
        matches!(&outcome.verdict.ruling, Ruling::Permission { decision, .. } if decision.as_str() == "ask");
    assert!(asks, "{:?}", outcome.verdict.ruling);
}

#[test]
fn guards_look_again_at_what_another_events_hook_wrote() {
    // rules: D9, D3
    let guard = |then: &str| command(&format!("grep -q 'make deploy' && {{ {then}; }}; exit 0"));
    let grant = pre(json!({"permissionDecision": "allow", "updatedInput": {"command": "ls"}})).to_string();
    let grants = format!("printf '%s' '{grant}'");
    let again = |then: &str, line: &str, cancelled: bool| {
        let project = Project::with(settings(json!([guard(then)]), json!({})));
        let (engine, event, cancel) = (project.engine(), project.event(bash(line)), CancellationToken::new());
        if cancelled {
            cancel.cancel();
        }
        block_on(engine.host().review_rewrite(&event, &cancel))
    };
    let denied = again("exit 2", "make deploy", false);
    assert!(matches!(denied.settlement, Some(Settlement::Denied { .. })), "{:?}", denied.settlement);
    assert!(denied.runs.iter().all(|run| run.second_look) && denied.runs.len() == 1);
    let granted = again(&grants, "make deploy", false);
    assert_eq!(granted.settlement, Some(Settlement::Undecided));
    assert_eq!(granted.verdict.fields.updated_input, None);
    let critical = again("exit 0", "rm -rf /", false);
    assert!(matches!(critical.settlement, Some(Settlement::Asked { .. })), "{:?}", critical.settlement);
    let cut_short = again("exit 0", "make", true);
    assert!(matches!(cut_short.settlement, Some(Settlement::Denied { .. })), "{:?}", cut_short.settlement);
}

#[test]
fn a_rewrite_that_breaks_the_schema_denies_and_takes_the_blame() {
    // rule: D9
    let broken = says(pre(json!({"permissionDecision": "allow", "updatedInput": {"command": 7}})));
    let project = Project::with(settings(json!([broken]), json!({})));
    let engine = project.builder().tools(with_command()).build().unwrap();
    let outcome = fire(&engine, &project.event(bash("ls")));
    let Some(Settlement::Denied { because }) = outcome.settlement else { panic!("{:?}", outcome.settlement) };
    assert!(because.contains("`command` must be a string") && because.contains("not at fault"), "{because}");
}

fn request(input: Value) -> PermissionRequest {
    serde_json::from_value(json!({"tool_name": "Bash", "tool_input": input})).unwrap()
}

fn requested(answer: Value, permissions: Value) -> Option<Settlement> {
    let answer = json!({"hookSpecificOutput": {"hookEventName": "PermissionRequest", "decision": answer}});
    let mut settings = hooks("PermissionRequest", "", json!([says(answer)]));
    settings["permissions"] = permissions;
    let project = Project::with(settings);
    fire(&project.engine(), &project.event(request(json!({"command": "git push"})))).settlement
}

#[test]
fn a_permission_requests_allow_answers_ask_rules_but_no_deny_rule() {
    // rules: D3, D8
    let allow = json!({"behavior": "allow"});
    assert!(matches!(requested(allow.clone(), json!({"ask": ["Bash"]})), Some(Settlement::Allowed { .. })));
    assert!(matches!(requested(allow, json!({"deny": ["Bash(git *)"]})), Some(Settlement::Denied { .. })));
    let rewritten = json!({"behavior": "allow", "updatedInput": {"command": "git push --force"}});
    let rules = json!({"ask": ["Bash(git push --force *)"]});
    assert!(matches!(requested(rewritten, rules), Some(Settlement::Asked { .. })));
    let deny = json!({"behavior": "deny", "message": "no"});
    assert!(matches!(requested(deny, json!({"allow": ["Bash"]})), Some(Settlement::Denied { .. })));
}

#[test]
fn reasons_and_contexts_come_in_source_order_whoever_finished_first() {
    // rules: C6, D2, D5
    let answer = |text: &str, delay: &str| {
        let json = pre(
            json!({"permissionDecision": "deny", "permissionDecisionReason": text, "additionalContext": text}),
        );
        command(&format!("sleep {delay}; printf '%s' '{json}'"))
    };
    let project = Project::with(hooks("PreToolUse", "", json!([answer("project", "0")])));
    project.write(
        "home/.claude/settings.json",
        &hooks("PreToolUse", "", json!([answer("user", "0.3")])).to_string(),
    );
    project.write(
        "managed/managed-settings.json",
        &hooks("PreToolUse", "", json!([answer("policy", "0.6")])).to_string(),
    );
    let outcome = fire(&project.engine(), &project.event(bash("ls")));
    let context: Vec<&str> = outcome.verdict.context.iter().map(|said| said.what.text.as_str()).collect();
    assert_eq!(context, ["policy", "user", "project"]);
    let reason = outcome.verdict.joined_reason().unwrap();
    let at = |word: &str| reason.find(word).unwrap();
    assert!(at("policy") < at("user") && at("user") < at("project"), "{reason}");
}

#[test]
fn a_long_context_goes_to_a_file() {
    // rule: O8
    let settings =
        json!({"hooks": {"SessionStart": [{"hooks": [command("head -c 50000 /dev/zero | tr '\\0' x")]}]}});
    let project = Project::with(settings);
    let engine = project.engine();
    let outcome = fire(&engine, &project.event(start("startup")));
    let text = &outcome.verdict.context[0].what.text;
    assert!(text.len() < 10_000);
    let path = text.rsplit(' ').next().unwrap();
    assert_eq!(std::fs::read(path).unwrap().len(), 50_000);
}

#[test]
fn a_call_whose_guard_was_cancelled_does_not_run() {
    // rules: D3, D8, O10
    let slow = json!([command("touch started; sleep 300"), allow()]);
    let mut settings = settings(slow, json!({"allow": ["Bash(ls *)"]}));
    settings["hooks"]["PermissionRequest"] = json!([{"hooks": [command("touch started; sleep 300")]}]);
    let project = Project::with(settings);
    let engine = project.engine();
    let settled = |event: becket_model::Event, at_once: bool| {
        let (cancel, started) = (CancellationToken::new(), project.path("work/started"));
        block_on(async {
            if at_once {
                cancel.cancel();
            }
            let cancelling = async {
                becket_testkit::wait::until("the hook starts", || at_once || started.exists()).await;
                cancel.cancel();
            };
            let (outcome, ()) = tokio::join!(engine.fire_until(&event, &cancel), cancelling);
            drop(std::fs::remove_file(&started));
            outcome.settlement.unwrap()
        })
    };
    for at_once in [true, false] {
        let call = settled(project.event(bash("ls -l")), at_once);
        assert!(matches!(&call, Settlement::Denied { because } if because.contains("cancelled")), "{call:?}");
        let body = json!({"tool_name": "Bash", "tool_input": {"command": "ls -l"}});
        let request: PermissionRequest = serde_json::from_value(body).unwrap();
        let request = settled(project.event(request), at_once);
        assert!(matches!(request, Settlement::Allowed { .. }), "a person's answer counts: {request:?}");
    }
}
