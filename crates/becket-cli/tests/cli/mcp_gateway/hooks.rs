//! Hooks and rules around a call.

use super::agent::{Gateway, texts};
use super::{calls, decision, guarded, hook, log, servers};
use crate::workspace;
use serde_json::{Value, json};
use std::fs;

/// Asserts that a result is an error with this reason.
#[track_caller]
fn assert_refused(result: &Value, reason: &str) {
    assert_eq!(result["isError"], true, "{result}");
    assert!(texts(result).concat().contains(reason), "no `{reason}` in {result}");
}

// rules: D1, P1
#[test]
fn a_denied_call_reaches_no_server_and_says_why() {
    let exit = json!({"PreToolUse": [{"matcher": "mcp__s__.*", "hooks": [{"type": "command", "command": "echo 'not on a Friday' >&2; exit 2"}]}]});
    let deny = hook("PreToolUse", "mcp__s__echo", &decision("deny", "not on a Friday"));
    let stop = hook("PreToolUse", "mcp__s__.*", &json!({"continue": false, "stopReason": "not on a Friday"}));
    let broken =
        json!({"PreToolUse": [{"hooks": [{"type": "command", "command": "exit 1", "onFailure": "block"}]}]});
    let none = json!({});
    for (rules, hooks, reason) in [
        (&none, &exit, "not on a Friday"),
        (&none, &deny, "not on a Friday"),
        (&none, &stop, "not on a Friday"),
        (&none, &broken, "exit code 1"),
        (&json!({"deny": ["mcp__s__echo(a:1)"]}), &none, "mcp__s__echo"),
        (&json!({"deny": ["mcp__s__echo"]}), &none, "the rule `mcp__s__echo`"),
        (&json!({"deny": ["mcp__s"]}), &none, "the rule `mcp__s`"),
    ] {
        let env = guarded(rules, hooks);
        let agent = Gateway::of(&env).start();
        let result = agent.call("s__echo", &json!({"a": 1}));
        assert_refused(&result, reason);
        assert_eq!(calls(&env), 0, "{hooks}");
    }
}

// rules: L0, P10
#[test]
fn an_input_of_another_type_passes_no_rule_and_no_hook() {
    let ran = "cat >/dev/null; touch hook-ran";
    let hooks = json!({"PreToolUse": [{"hooks": [{"type": "command", "command": ran}]}]});
    let env = guarded(&json!({"deny": ["mcp__notes__add(text:bad*)"]}), &hooks);
    let agent = Gateway::of(&env).start();
    for input in [json!({"text": ["bad"]}), json!({"text": {"a": "bad"}}), json!({"TEXT": "bad"}), json!({})]
    {
        assert_refused(&agent.call("notes__add", &input), "denied: the input does not fit: ");
    }
    assert!(!env.project().join("hook-ran").exists(), "a hook saw a call that breaks its schema");
    assert_refused(&agent.call("notes__add", &json!({"text": "bad"})), "mcp__notes__add(text:bad*)");
    assert!(!env.project().join("notes.txt").exists(), "a note was added");
}

// rules: X5, P2, P6
#[test]
fn a_guard_for_a_server_with_two_underscores_guards_its_tools() {
    let deny = |more: &Value| {
        let mut handler =
            json!({"type": "command", "command": "cat >/dev/null; echo 'not on a Friday' >&2; exit 2"});
        handler["if"] = more["if"].clone();
        json!({"PreToolUse": [{"matcher": more["matcher"], "hooks": [handler]}]})
    };
    for guard in [json!({"if": "mcp__my__srv"}), json!({"matcher": "mcp__my__srv"})] {
        let env = guarded(&json!({}), &deny(&guard));
        let mut all = servers(&env, &[]);
        let agent = Gateway::of(&env).servers(json!({"my__srv": all["s"].take()})).start();
        assert_refused(&agent.call("my__srv__echo", &json!({"a": 1})), "not on a Friday");
        assert_eq!(calls(&env), 0, "{guard}");
    }
}

#[test]
fn a_call_that_nothing_denies_is_made_and_its_answer_is_not_changed() {
    let env = guarded(&json!({}), &hook("PreToolUse", "mcp__other__.*", &decision("deny", "no")));
    let agent = Gateway::of(&env).start();
    let result = agent.call("s__echo", &json!({"a": 1}));
    let expected = json!({"content": [{"type": "text", "text": "{\"a\": 1}"}], "structuredContent": {"got": {"a": 1}}, "isError": false});
    assert_eq!(result, expected);
    let result = agent.call("notes__add", &json!({"text": "milk"}));
    assert_eq!(texts(&result), ["noted: milk"]);
    assert_eq!(fs::read_to_string(env.project().join("notes.txt")).expect("notes"), "milk\n");
    let failed = agent.call("s__fails", &json!({}));
    assert_eq!((texts(&failed), &failed["isError"]), (vec!["it did not work"], &json!(true)));
    let unknown = agent.try_call("s__eco", &json!({})).expect_err("there is no such tool").to_string();
    assert!(unknown.contains("did you mean `s__echo`?"), "{unknown}");
}

// rules: D3, P11
#[test]
fn an_ask_is_a_denial_that_names_the_way_to_allow_it() {
    let asking = hook("PreToolUse", "mcp__s__echo", &decision("ask", "is that so?"));
    for (rules, hooks) in [(json!({}), asking), (json!({"ask": ["mcp__s__echo"]}), json!({}))] {
        let env = guarded(&rules, &hooks);
        let agent = Gateway::of(&env).answering(true).start();
        let result = agent.call("s__echo", &json!({"a": 1}));
        assert_refused(&result, "becket allow-once ");
        assert_eq!((calls(&env), agent.heard.questions.lock().expect("a list").len()), (0, 0));
        let kept = fs::read_to_string(env.root().join("home/.claude/becket/asked.json")).expect("a call");
        assert!(kept.contains("test-agent") && kept.contains("mcp__s__echo"), "{kept}");
    }
}

// rule: D3
#[test]
fn an_ask_is_passed_on_to_the_user_of_an_agent_that_shows_forms() {
    let asking = hook("PreToolUse", "mcp__s__echo", &decision("ask", "is that so?"));
    for (answer, made) in [(Some(true), 1), (Some(false), 0), (None, 0)] {
        let env = guarded(&json!({}), &asking);
        let gateway = Gateway::of(&env).arguments(&["--asks", "pass"]);
        let agent = match answer {
            Some(answer) => gateway.answering(answer).start(),
            None => gateway.start(),
        };
        let result = agent.call("s__echo", &json!({"a": 1}));
        assert_eq!(calls(&env), made, "{result}");
        let questions = agent.heard.questions.lock().expect("a list").clone();
        match answer {
            Some(true) => assert_eq!(result["isError"], false, "{result}"),
            Some(false) => assert_refused(&result, "the user said no: [project] is that so?"),
            None => assert_refused(&result, "becket allow-once "),
        }
        assert_eq!(questions.len(), usize::from(answer.is_some()));
        assert!(
            questions
                .iter()
                .all(|question| question.contains("is that so?") && question.contains("{\"a\":1}"))
        );
    }
}

// rule: D9
#[test]
fn a_rewrite_is_what_runs_or_nothing_does() {
    let rewrite =
        |input: Value| json!({"hookSpecificOutput": {"hookEventName": "PreToolUse", "updatedInput": input}});
    let env = guarded(&json!({}), &hook("PreToolUse", "mcp__s__echo", &rewrite(json!({"a": 2}))));
    let result = Gateway::of(&env).start().call("s__echo", &json!({"a": 1}));
    assert_eq!(texts(&result), ["{\"a\": 2}"]);
    // An input that the tool does not accept.
    let env = guarded(&json!({}), &hook("PreToolUse", "mcp__notes__add", &rewrite(json!({"text": 5}))));
    let result = Gateway::of(&env).start().call("notes__add", &json!({"text": "milk"}));
    assert_refused(&result, "a hook rewrote the input");
    assert!(!env.project().join("notes.txt").exists());
    // An input that a rule denies.
    let rules = json!({"deny": ["mcp__s__echo(a:2)"]});
    let env = guarded(&rules, &hook("PreToolUse", "mcp__s__echo", &rewrite(json!({"a": "2"}))));
    assert_refused(&Gateway::of(&env).start().call("s__echo", &json!({"a": "1"})), "mcp__s__echo");
    assert_eq!(calls(&env), 0);
}

// rules: D4, D5, D11
#[test]
fn hooks_add_to_a_result_and_replace_it() {
    let before =
        json!({"hookSpecificOutput": {"hookEventName": "PreToolUse", "additionalContext": "mind the step"}});
    let after = json!({"decision": "block", "reason": "look again",
        "hookSpecificOutput": {"hookEventName": "PostToolUse", "updatedMCPToolOutput": [{"type": "text", "text": "hidden"}], "additionalContext": "mind the gap"}});
    let mut hooks = hook("PreToolUse", "mcp__s__echo", &before);
    hooks["PostToolUse"] = hook("PostToolUse", "mcp__s__echo", &after)["PostToolUse"].clone();
    let env = guarded(&json!({}), &hooks);
    let agent = Gateway::of(&env).start();
    let result = agent.call("s__echo", &json!({"a": 1}));
    let expected = [
        "hidden",
        "PostToolUse hook blocking error: look again",
        "PostToolUse hook additional context: mind the gap",
        "PreToolUse hook additional context: mind the step",
    ];
    assert_eq!(texts(&result), expected);
    assert!(result.get("structuredContent").is_none(), "{result}");
    // Unknown kinds of blocks are passed on.
    let strange = agent.call("s__mixed", &json!({}));
    assert_eq!(strange["content"].as_array().expect("blocks").len(), 4, "{strange}");
}

// rules: H3, N3
#[test]
fn hooks_see_a_call_as_any_other_of_an_mcp_tool() {
    let tell = |event: &str| json!([{"matcher": "mcp__s__.*", "hooks": [{"type": "command", "command": format!("cat >> \"$CLAUDE_PROJECT_DIR\"/{event}")}]}]);
    let hooks = json!({"PreToolUse": tell("pre"), "PostToolUse": tell("post"), "PostToolUseFailure": tell("failure")});
    let env = guarded(&json!({}), &hooks);
    let agent = Gateway::of(&env).start();
    agent.call("s__text", &json!({"b": 2}));
    agent.call("s__fails", &json!({}));
    let read = |name: &str| -> Vec<Value> {
        let text = fs::read_to_string(env.project().join(name)).expect("it ran");
        serde_json::Deserializer::from_str(&text).into_iter().map(|value| value.expect("JSON")).collect()
    };
    let (before, after, failure) = (read("pre"), read("post"), read("failure"));
    assert_eq!((before.len(), after.len(), failure.len()), (2, 1, 1));
    assert_eq!(before[0]["tool_name"], "mcp__s__text");
    assert_eq!(before[0]["tool_input"], json!({"b": 2}));
    assert_eq!(before[0]["mcp_server"], json!({"name": "s", "source": "dynamic"}));
    assert_eq!(before[0]["tool_use_id"], after[0]["tool_use_id"]);
    assert_eq!(before[0]["session_id"], failure[0]["session_id"]);
    assert_eq!(after[0]["tool_response"][1]["text"], "two");
    assert_eq!(failure[0]["error"], "it did not work");
}

// rule: C8
#[test]
fn an_edited_hook_counts_from_the_next_call_on() {
    let env = guarded(&json!({}), &json!({}));
    let agent = Gateway::of(&env).start();
    assert_eq!(agent.call("s__text", &json!({}))["isError"], false);
    let hooks = hook("PreToolUse", "mcp__s__.*", &decision("deny", "since now"));
    env.write("project/.claude/settings.json", json!({ "hooks": hooks }).to_string());
    assert_refused(&agent.call("s__text", &json!({})), "since now");
    // With a configuration that can't be read, nothing starts.
    env.write("project/.claude/settings.json", "{ broken");
    assert_refused(&agent.call("s__text", &json!({})), "since now");
    assert_eq!(calls(&env), 1);
}

// rule: G6
#[test]
fn a_denial_after_the_verdict_is_recorded() {
    let env = guarded(&json!({}), &json!({}));
    env.write("managed/managed-settings.json", json!({"audit": "required"}).to_string());
    let agent = Gateway::of(&env).start();
    assert_refused(&agent.call("s__echo", &json!({"command": "becket allow-once k3x"})), "for a person");
    let of_call = |record: &Value| record["what"]["subject"] == "mcp__s__echo";
    let recorded: Vec<Value> = crate::audit::records(&env).into_iter().filter(of_call).collect();
    let decisions: Vec<&Value> = recorded.iter().map(|record| &record["what"]["decision"]).collect();
    assert_eq!(decisions, ["proceed", "block"], "{recorded:?}");
}

// rule: G3
#[test]
fn hooks_of_a_folder_that_nobody_trusts_do_not_run_and_its_rules_count() {
    let touch = json!({"PreToolUse": [{"hooks": [{"type": "command", "command": "touch \"$CLAUDE_PROJECT_DIR\"/ran"}]}]});
    let env = guarded(&json!({"deny": ["mcp__s__text"], "ask": ["mcp__notes__clear"]}), &touch);
    fs::remove_file(env.root().join("home/.claude.json")).expect("a record");
    let agent = Gateway::of(&env).start();
    assert!(!agent.names().contains(&"s__text".to_owned()));
    assert_refused(&agent.call("s__text", &json!({})), "the rule `mcp__s__text`");
    assert_refused(&agent.call("notes__clear", &json!({})), "needs the user's approval");
    assert_eq!(agent.call("s__echo", &json!({}))["isError"], false);
    assert!(!env.project().join("ran").exists());
    let told = fs::read_to_string(env.root().join("stderr")).expect("a log");
    assert!(told.contains("`becket trust` there changes that"), "{told}");
    drop(agent);
    let agent = Gateway::of(&env).arguments(&["--trust-project"]).start();
    agent.call("s__echo", &json!({}));
    assert!(env.project().join("ran").exists());
}

// rules: D4, G3
#[test]
fn a_project_that_is_trusted_for_this_gateway_may_rewrite_calls() {
    let rewrite = json!({"hookSpecificOutput": {"hookEventName": "PreToolUse", "updatedInput": {"a": 2}}});
    let env = guarded(&json!({}), &hook("PreToolUse", "mcp__s__echo", &rewrite));
    fs::remove_file(env.root().join("home/.claude.json")).expect("a record");
    let result = Gateway::of(&env).arguments(&["--trust-project"]).start().call("s__echo", &json!({"a": 1}));
    assert_eq!(texts(&result), ["{\"a\": 2}"]);
    // Without trust, the hook does not run.
    let result = Gateway::of(&env).start().call("s__echo", &json!({"a": 1}));
    assert_eq!(texts(&result), ["{\"a\": 1}"]);
}

#[test]
fn hooks_that_take_too_long_refuse_the_call() {
    let slow = json!({"PreToolUse": [{"hooks": [{"type": "command", "command": "exec sleep 100"}]}]});
    let env = guarded(&json!({}), &slow);
    let agent = Gateway::of(&env).arguments(&["--within", "1"]).start();
    assert_refused(&agent.call("s__text", &json!({})), "longer than 1 s");
    assert_eq!(calls(&env), 0, "{}", log(&env));
}

// rule: H6
#[test]
fn a_hook_may_call_a_server_that_the_gateway_has() {
    let guard = json!({"PreToolUse": [{"matcher": "mcp__s__.*", "hooks": [{"type": "mcp_tool", "server": "guard", "tool": "secrets",
        "input": {"text": "${tool_input.text}"}, "onFailure": "block"}]}]});
    let env = guarded(&json!({}), &guard);
    let mut servers = super::servers(&env, &[]);
    let script = workspace().join("examples/mcp-server-python/review_server.py");
    servers["guard"] = json!({"command": "python3", "args": [script]});
    let agent = Gateway::of(&env).servers(servers).start();
    // The list waits until every server is connected.
    assert!(agent.names().contains(&"guard__secrets".to_owned()));
    assert_eq!(agent.call("s__echo", &json!({"text": "hello"}))["isError"], false);
    assert_refused(&agent.call("s__echo", &json!({"text": "AKIAABCDEFGHIJKLMNOP"})), "an access key of AWS");
    assert_eq!(calls(&env), 1);
}
