//! The results of each method, which are the same as those of the commands.

use super::client::on_stdio;
use super::{bash, command, with_hook};
use serde_json::{Value, json};
use std::fs;

/// Removes everything that differs between runs.
fn without_times(mut value: Value) -> Value {
    for hook in value["hooks"].as_array_mut().into_iter().flatten() {
        hook["elapsed_ms"] = Value::Null;
    }
    value
}

#[test]
fn fire_and_explain_answer_what_the_commands_print() {
    let env = with_hook("PreToolUse", command("case $(cat) in *rm*) echo no rm >&2; exit 2;; esac"));
    let mut serving = on_stdio(&env, &[], &[]).initialized();
    let client = &mut serving.client;
    let opened = client.opens(&env.project(), "s1", json!({"interactive": true}));
    assert_eq!(opened, json!({"session": "s1", "events": ["PreToolUse"], "findings": []}));
    for line in ["rm x", "ls"] {
        for (method, becket) in [("event/fire", "fire"), ("event/explain", "explain")] {
            let given = format!("tool_input.command={line}");
            let arguments = ["--json", becket, "PreToolUse", "--tool", "Bash", "--set", &given];
            let printed = env.becket(arguments.iter().chain(&["--set", "tool_use_id=call-1"])).run().stdout;
            let printed: Value = serde_json::from_str(&printed).expect("it is JSON");
            let params = json!({"session": "s1", "event": "PreToolUse", "input": bash(line)});
            assert_eq!(without_times(client.asks(method, params)), without_times(printed), "{method} {line}");
        }
        let params = json!({"session": "s1", "event": "PreToolUse", "input": bash(line)});
        let (plan, explained) =
            (client.asks("event/plan", params.clone()), client.asks("event/explain", params));
        assert_eq!(plan, json!({"event": "PreToolUse", "runs": explained["runs"]}));
    }
    assert_eq!(serving.ends(), Some(0));
}

// rules: D3, G4
#[test]
fn the_events_that_concern_a_client_are_named_where_rules_alone_decide() {
    let env = with_hook("Stop", command("true"));
    env.write("project/.claude/settings.json", r#"{"permissions": {"deny": ["Bash(rm *)"]}}"#);
    let mut serving = on_stdio(&env, &[], &[]).initialized();
    let client = &mut serving.client;
    let opened = client.opens(&env.project(), "s", json!({}));
    assert_eq!(opened["events"], json!(["Stop", "PreToolUse", "PermissionRequest"]));
    let params = json!({"session": "s", "event": "PreToolUse", "input": bash("rm x")});
    assert_eq!(client.asks("event/fire", params)["verdict"]["settlement"], "denied");
    env.write("project/.claude/settings.json", "{}");
    assert_eq!(client.asks("session/reload", json!({"session": "s"}))["events"], json!(["Stop"]));
}

#[test]
fn a_session_is_what_it_was_opened_with() {
    let env = with_hook("Stop", command("cat; exit 2"));
    let mut serving = on_stdio(&env, &[], &[]).initialized();
    let client = &mut serving.client;
    let hook =
        json!({"hooks": {"Stop": [{"hooks": [command("cat >seen; printf %s \"$WHO$HOME\" >&2; exit 2")]}]}});
    let env_of_hook = json!({"WHO": "me", "HOME": null});
    let more = json!({"settings": hook, "env": env_of_hook, "permission_mode": "plan", "transcript_path": "/t.jsonl"});
    client.opens(&env.project(), "s1", more);
    let stop = json!({"session": "s1", "event": "Stop", "input": {"stop_hook_active": false}});
    let fired = client.asks("event/fire", stop);
    let of_flag = fired["hooks"].as_array().expect("hooks").iter().find(|hook| hook["source"] == "flag");
    assert_eq!(of_flag.expect("it ran")["reason"], "me", "{fired}");
    let seen = fs::read_to_string(env.project().join("seen")).expect("it ran");
    let seen: Value = serde_json::from_str(&seen).expect("it is JSON");
    assert_eq!(seen["session_id"], "s1");
    assert_eq!(seen["permission_mode"], "plan");
    assert_eq!(seen["transcript_path"], "/t.jsonl");
    assert_eq!(seen["cwd"], json!(env.project()));
}

// rule: G3
#[test]
fn what_a_folder_grants_counts_once_it_is_trusted() {
    let env = with_hook("Stop", command("true"));
    env.write("project/.claude/settings.json", r#"{"permissions": {"allow": ["Bash(make *)"]}}"#);
    let mut serving = on_stdio(&env, &[], &[]).initialized();
    let client = &mut serving.client;
    for (trust, settled) in [(json!(false), "open"), (json!(true), "allowed"), (Value::Null, "allowed")] {
        let id = format!("s{trust}");
        client.opens(&env.project(), &id, json!({"trust": trust}));
        let params = json!({"session": id, "event": "PreToolUse", "input": bash("make it")});
        assert_eq!(client.asks("event/fire", params)["verdict"]["settlement"], settled, "{trust}");
    }
}

// rule: C8
#[test]
fn a_configuration_is_read_again_when_it_is_asked_for() {
    let env = with_hook("Stop", command("true"));
    let mut serving = on_stdio(&env, &[], &[]).initialized();
    let client = &mut serving.client;
    client.opens(&env.project(), "s", json!({}));
    let runs = |client: &mut super::client::Client| {
        let plan = client.asks(
            "event/plan",
            json!({"session": "s", "event": "Stop", "input": {"stop_hook_active": false}}),
        );
        plan["runs"].as_array().map(Vec::len)
    };
    env.write("home/.claude/settings.json", "{}");
    assert_eq!(runs(client), Some(1));
    assert_eq!(client.asks("session/reload", json!({"session": "s"}))["events"], json!([]));
    assert_eq!(runs(client), Some(0));
    env.write(
        "home/.claude/settings.json",
        r#"{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "a"}]}]}}"#,
    );
    let changed = json!({"session": "s", "event": "ConfigChange", "input": {"source": "project_settings"}});
    client.asks("event/fire", changed);
    assert_eq!(runs(client), Some(0), "another source has changed");
    let changed = json!({"session": "s", "event": "ConfigChange", "input": {"source": "user_settings"}});
    client.asks("event/fire", changed);
    assert_eq!(runs(client), Some(1));
    env.write("home/.claude/settings.json", "{");
    let (kind, words) = client.fails("session/reload", json!({"session": "s"}));
    assert!(kind == "params" && words.contains("stays as it was"), "{words}");
}

// rule: H12
#[test]
fn what_hooks_set_for_later_shells_is_named_and_goes_with_the_session() {
    let env = with_hook("SessionStart", command("echo export A=1 >\"$CLAUDE_ENV_FILE\""));
    let mut serving = on_stdio(&env, &[], &[]).initialized();
    let client = &mut serving.client;
    client.opens(&env.project(), "s", json!({}));
    assert_eq!(client.asks("session/env_files", json!({"session": "s"})), json!({"files": []}));
    client
        .asks("event/fire", json!({"session": "s", "event": "SessionStart", "input": {"source": "startup"}}));
    let named = client.asks("session/env_files", json!({"session": "s"}));
    let file = named["files"][0].as_str().expect("a file");
    assert_eq!(fs::read_to_string(file).expect("it is there"), "export A=1\n");
    assert_eq!(serving.ends(), Some(0));
    let left = fs::read_dir(env.root().join("tmp")).expect("it is there").count();
    assert_eq!(left, 0);
}

// rules: A3, A4
#[test]
fn what_runs_in_the_background_is_handed_over_once() {
    let line = r#"echo '{"async": true}'; sleep 0.1; echo '{"systemMessage": "done"}'"#;
    let env = with_hook("PostToolUse", json!({"type": "command", "command": line}));
    let mut serving = on_stdio(&env, &[], &[]).initialized();
    let client = &mut serving.client;
    client.opens(&env.project(), "s", json!({}));
    client.asks("events/subscribe", json!({"session": "s"}));
    let mut input = bash("ls");
    input["tool_response"] = json!({});
    let fired = client.asks("event/fire", json!({"session": "s", "event": "PostToolUse", "input": input}));
    assert_eq!(fired["hooks"][0]["in_background"], true, "{fired}");
    client.until(|line| line["params"]["what"] == "background_finished");
    let taken = client.asks("background/take", json!({"session": "s"}));
    assert_eq!(taken["background"][0]["context"], json!(["done"]), "{taken}");
    assert_eq!(
        client.asks("background/take", json!({"session": "s"})),
        json!({"background": [], "wakes": []})
    );
}

// rule: H13
#[test]
fn what_happens_is_told_in_order_and_before_the_answer() {
    let env = with_hook("PreToolUse", command("echo said >&2; exit 2"));
    let mut serving = on_stdio(&env, &[], &[]).initialized();
    let client = &mut serving.client;
    client.opens(&env.project(), "s", json!({}));
    let fire = json!({"session": "s", "event": "PreToolUse", "input": bash("ls")});
    client.asks("event/fire", fire.clone());
    client.asks("events/subscribe", json!({"session": "s"}));
    client.asks("event/fire", fire.clone());
    client.asks("events/unsubscribe", json!({"session": "s"}));
    client.asks("event/fire", fire);
    client.asks("session/close", json!({"session": "s"}));
    client.hangs_up();
    let told = client.rest();
    let what: Vec<&str> = told.iter().filter_map(|line| line["params"]["what"].as_str()).collect();
    assert_eq!(what, ["fired", "started", "output", "finished", "decided"], "{told:#?}");
    assert!(told.iter().all(|line| line["method"] == "run/event" && line["params"]["firing"] == 2));
    assert_eq!(told[0]["params"]["tool_use_id"], "call-1");
    assert_eq!(told[2]["params"]["text"], "said\n");
    assert_eq!(told[4]["params"]["ruling"], "deny");
}

#[test]
fn a_session_that_is_closed_is_gone_with_all_that_it_runs() {
    let env = with_hook("PreToolUse", command("touch started; exec sleep 300"));
    let marker = becket_testkit::proc::Marker::new();
    let mut serving = on_stdio(&env, &[], &[]).initialized();
    let client = &mut serving.client;
    let (name, value) = marker.env();
    client.opens(&env.project(), "s", json!({"env": {name: value}}));
    let fire = json!({"session": "s", "event": "PreToolUse", "input": bash("ls")});
    let firing = client.request("event/fire", fire.clone());
    assert!(becket_testkit::proc::wait_until(|| env.project().join("started").exists()));
    client.asks("session/close", json!({"session": "s"}));
    assert_eq!(super::client::fault(&client.answer_to(firing)).0, "cancelled");
    assert_eq!(marker.alive(), Vec::<u32>::new());
    assert_eq!(client.fails("event/fire", fire).0, "no_session");
    client.opens(&env.project(), "s", json!({}));
}

// rule: D3
#[test]
fn a_critical_removal_waits_for_a_user_in_a_session_without_a_mode() {
    let env = with_hook("PostToolUse", command("true"));
    let mut serving = on_stdio(&env, &[], &[]).initialized();
    let client = &mut serving.client;
    for (mode, line, decision) in [
        (None, "rm -rf ~", "wait"),
        (None, "rm -rf build", "proceed"),
        (Some("bypassPermissions"), "rm -rf ~", "wait"),
        // Such a host asks by itself about everything that nothing decides.
        (Some("default"), "rm -rf ~", "proceed"),
    ] {
        let id = format!("{mode:?} {line}");
        let options = mode.map_or_else(|| json!({}), |mode| json!({"permission_mode": mode}));
        client.opens(&env.project(), &id, options);
        let fired =
            client.asks("event/fire", json!({"session": id, "event": "PreToolUse", "input": bash(line)}));
        assert_eq!(fired["decision"], decision, "{id}: {fired}");
    }
}
