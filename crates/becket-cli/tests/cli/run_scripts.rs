//! Hooks that people have written for other agents with this protocol work unchanged in a run.

use crate::run::{run, scripted};
use crate::workspace;
use becket_testkit::env::TestEnv;
use becket_testkit::proc::wait_until;
use serde_json::{Value, json};
use std::fs;
use std::os::unix::fs::PermissionsExt;

/// Creates a project with one of the hooks.
fn with(script: &str, event: &str, command: &str, turns: &Value) -> TestEnv {
    let settings = json!({
        "hooks": {event: [{"hooks": [{"type": "command", "command": command}]}]},
        "permissions": {"allow": ["Bash(touch *)", "Bash(rm *)"]}
    });
    let env = scripted(&settings, turns);
    let from = workspace().join("crates/becket-cli/tests/cases/people").join(script);
    env.write(&format!("project/.claude/hooks/{script}"), fs::read(from).expect("the script is there"));
    env
}

fn turns() -> Value {
    let bash = |id: &str, command: &str| json!({"id": id, "name": "Bash", "input": {"command": command}});
    json!([
        {"text": "I go.", "tool_uses": [bash("t1", "touch a"), bash("t2", "rm -rf a")], "usage": {"output_tokens": 5}},
        {"text": "Gone.", "usage": {"output_tokens": 7}}
    ])
}

#[test]
fn a_hook_that_reads_the_transcript_finds_what_it_looks_for() {
    // rules: L2, N1
    let command = "python3 \"$CLAUDE_PROJECT_DIR\"/.claude/hooks/report.py";
    let env = with("report.py", "Stop", command, &turns());
    let ended = run(&env, &["-p", "tidy up", "--disallowedTools", "Bash(rm *)"]).run();
    assert_eq!((ended.code, ended.stderr.as_str()), (Some(0), ""));
    let report = fs::read_to_string(env.project().join("report.json")).expect("the hook has run");
    let report: Value = serde_json::from_str(&report).expect("JSON");
    assert_eq!(
        report,
        json!({
            "prompts": ["tidy up"], "last": "Gone.", "calls": [["Bash", false], ["Bash", true]], "tokens": 12,
            "unique": true, "chained": true, "of_session": true, "cwd": env.project(), "in_order": true
        })
    );
}

#[test]
fn a_hook_of_plain_shell_reads_the_line_and_denies() {
    // rules: N1, D1
    let env = with("log.sh", "PreToolUse", "sh .claude/hooks/log.sh", &turns());
    let ended = run(&env, &["-p", "tidy up", "--output-format", "json"]).run();
    let result: Value = serde_json::from_str(&ended.stdout).expect("one object");
    let log = fs::read_to_string(env.project().join("calls.log")).expect("the hook has run");
    let session = result["session_id"].as_str().expect("an id");
    assert_eq!(log, format!("{session}\tBash\ttouch a\n{session}\tBash\trm -rf a\n"));
    assert_eq!(result["permission_denials"][0]["tool_use_id"], "t2");
    assert!(env.project().join("a").exists(), "{ended:?}");
}

#[test]
fn a_notifier_at_the_end_tells_the_answer_and_holds_nothing() {
    // rules: L3, H4
    let env = with("notify.sh", "Stop", "sh .claude/hooks/notify.sh", &json!([{"text": "All done."}]));
    let told = env.root().join("told");
    let program = env
        .write("bin/notify-send", format!("#!/bin/sh\nprintf '%s|%s' \"$1\" \"$2\" >{}\n", told.display()));
    fs::set_permissions(program, fs::Permissions::from_mode(0o755)).expect("it can be made a program");
    let mut path = env.root().join("bin").into_os_string();
    path.push(":/usr/bin:/bin");
    let ended = run(&env, &["-p", "hi"]).env_os("PATH", &path).run();
    assert_eq!((ended.code, ended.stdout.as_str(), ended.stderr.as_str()), (Some(0), "All done.\n", ""));
    assert!(wait_until(|| fs::read_to_string(&told).is_ok_and(|text| text == "project|All done.")));
}
