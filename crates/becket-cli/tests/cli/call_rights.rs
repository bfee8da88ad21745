//! `sandbox` in the answers of PreToolUse hooks: Bash of `becket run` enforces it, and everything else refuses the call (E5).

use crate::run::{lines, run, scripted};
use crate::serve::client::on_stdio;
use crate::{env, env_with};
use becket_testkit::env::{ProgramOutput, TestEnv};
use serde_json::{Value, json};

/// Returns a hook that answers with `hookSpecificOutput`.
pub(crate) fn answer(own: &Value) -> Value {
    let answer = json!({"hookSpecificOutput": own});
    json!({"type": "command", "command": format!("echo '{answer}'")})
}

/// Returns settings with PreToolUse hooks that answer with these rights.
pub(crate) fn hooks(sandboxes: &[Value]) -> Value {
    let answers =
        sandboxes.iter().map(|sandbox| answer(&json!({"hookEventName": "PreToolUse", "sandbox": sandbox})));
    json!({"hooks": {"PreToolUse": [{"hooks": answers.collect::<Vec<_>>()}]}})
}

fn calls(calls: &[(&str, Value)]) -> Value {
    let uses = (0..).zip(calls).map(
        |(id, (name, input))| json!({"tool_uses": [{"id": format!("t{id}"), "name": name, "input": input}]}),
    );
    uses.chain([json!({"text": "Done."})]).collect()
}

fn go(env: &TestEnv, more: &[&str]) -> ProgramOutput {
    let arguments = ["-p", "go", "--output-format", "stream-json", "--verbose"];
    let allowed = ["--allowed-tools", "Bash", "Read", "Write"];
    run(env, &[&arguments[..], &allowed, more].concat()).run()
}

/// Returns the results of the calls, as the model reads them.
fn results(ended: &ProgramOutput) -> String {
    lines(ended).iter().filter(|line| line["type"] == "user").map(Value::to_string).collect()
}

const TRY: &str =
    "echo a > in.txt; echo a > ../out.txt; echo a > docs/b.txt; cat ../home/secret/key; echo tried; true";

fn tried(settings: &Value, more: &[&str]) -> (TestEnv, ProgramOutput) {
    let env = scripted(settings, &calls(&[("Bash", json!({"command": "sh try.sh"}))]));
    env.write("home/secret/key", "hidden");
    env.write("project/docs/a.txt", "");
    env.write("project/try.sh", TRY);
    let ended = go(&env, more);
    assert!(results(&ended).contains("tried"), "{ended:?}");
    (env, ended)
}

fn has(env: &TestEnv, file: &str) -> bool {
    env.project().join(file).exists()
}

// rule: E5
#[test]
fn bash_runs_with_what_all_hooks_leave() {
    let no_docs = json!({"filesystem": {"denyWrite": ["docs"]}});
    let no_secrets = json!({"filesystem": {"denyRead": ["~/secret"], "allowWrite": [".."]}});
    for answers in [[no_docs.clone(), no_secrets.clone()], [no_secrets.clone(), no_docs.clone()]] {
        let (env, ended) = tried(&hooks(&answers), &[]);
        let there = (has(&env, "in.txt"), has(&env, "../out.txt"), has(&env, "docs/b.txt"));
        assert_eq!(there, (true, false, false), "{ended:?}");
        assert!(!results(&ended).contains("hidden"), "{ended:?}");
    }
    let (env, ended) = tried(&hooks(&[no_secrets]), &[]);
    let there = (has(&env, "in.txt"), has(&env, "../out.txt"), has(&env, "docs/b.txt"));
    assert_eq!(there, (true, true, true), "{ended:?}");
    let (env, ended) = tried(&hooks(&[]), &[]);
    assert!(has(&env, "../out.txt") && results(&ended).contains("hidden"), "{ended:?}");
}

// rule: E5
#[test]
fn a_path_that_leads_out_of_what_another_hook_leaves_grants_nothing() {
    let shared = json!({"filesystem": {"allowWrite": ["../shared"]}});
    for other in ["../shared/link", "../shared/../elsewhere"] {
        let other = json!({"filesystem": {"allowWrite": [other]}});
        let line = json!({"command": "touch ../elsewhere/new; touch ../shared/new; echo tried"});
        let env = scripted(&hooks(&[shared.clone(), other]), &calls(&[("Bash", line)]));
        env.write("elsewhere/file", "");
        env.write("shared/file", "");
        std::os::unix::fs::symlink(env.root().join("elsewhere"), env.root().join("shared/link"))
            .expect("a link");
        let ended = go(&env, &[]);
        assert!(results(&ended).contains("tried"), "{ended:?}");
        assert!(!has(&env, "../elsewhere/new") && !has(&env, "../shared/new"), "{ended:?}");
    }
}

// rule: E5
#[test]
fn an_allow_of_settings_grants_nothing_beyond_a_hook() {
    for of_user in [
        json!({"enabled": true, "filesystem": {"allowWrite": [".."]}, "network": {"allowedDomains": ["*"]}}),
        json!({"enabled": true, "excludedCommands": ["sh *"]}),
    ] {
        let settings = json!({"sandbox": of_user}).to_string();
        let (env, ended) = tried(&hooks(&[json!({})]), &["--settings", &settings]);
        assert!(has(&env, "in.txt") && !has(&env, "../out.txt"), "{ended:?}");
    }
}

// rule: E5
#[test]
fn a_line_in_the_background_has_the_rights_of_its_call() {
    let line = json!({"command": "sh try.sh", "run_in_background": true});
    let wait = json!({"command": "until [ -e in.txt ]; do sleep 0.02; done; echo waited"});
    let env = scripted(&hooks(&[json!({})]), &calls(&[("Bash", line), ("Bash", wait)]));
    env.write("project/try.sh", "echo a > ../out.txt; echo a > in.txt");
    let ended = go(&env, &[]);
    assert!(results(&ended).contains("waited"), "{ended:?}");
    assert!(!has(&env, "../out.txt"), "{ended:?}");
}

// rule: E5
#[test]
fn a_tool_that_is_no_command_is_refused() {
    let write = json!({"file_path": "new.txt", "content": "a"});
    let env = scripted(
        &hooks(&[json!({})]),
        &calls(&[("Write", write), ("Read", json!({"file_path": "script.json"}))]),
    );
    let ended = go(&env, &[]);
    let results = results(&ended);
    assert!(!has(&env, "new.txt"), "{ended:?}");
    for said in
        ["can't be enforced for `Write` here", "can't be enforced for `Read` here", "(project)", "sandbox"]
    {
        assert!(results.contains(said), "{said}: {results}");
    }
}

// rule: E5
#[test]
fn rights_that_can_not_be_read_run_nothing() {
    for (sandbox, why) in [
        (json!({"filesystem": {"denyRead": "~/secret"}}), "can't be read"),
        (json!({"network": {"allowedDomains": ["https://a.test"]}}), "is not a host"),
        (json!({"filesystem": {"denyWrite": ["new"]}}), "create it first"),
    ] {
        let env = scripted(&hooks(&[sandbox]), &calls(&[("Bash", json!({"command": "touch in.txt"}))]));
        let ended = go(&env, &[]);
        assert!(!has(&env, "in.txt") && results(&ended).contains(why), "{why}: {ended:?}");
    }
}

// rules: E4, E5
#[test]
fn a_hook_takes_no_rights_from_a_program_that_is_being_executed() {
    let answer = json!({"hookSpecificOutput": {"hookEventName": "PreToolUse", "sandbox": {}}});
    let command = format!("grep -q '\"executed\"' && echo '{answer}' || true");
    let settings = json!({"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [
        {"type": "command", "command": command, "if": "Bash(touch *)"}]}]}});
    let env = scripted(&settings, &calls(&[("Bash", json!({"command": "sh try.sh"}))]));
    env.write("project/try.sh", "touch out.txt; echo $?");
    let ended = go(&env, &[]);
    assert!(!has(&env, "out.txt"), "{ended:?}");
    let results = results(&ended);
    assert!(results.contains("126") && results.contains("too late for a program"), "{results}");
}

// rule: E5
#[test]
fn an_agent_that_runs_the_call_itself_is_answered_with_a_denial() {
    let env = env_with(&hooks(&[json!({"network": {"allowedDomains": ["example.com"]}})]).to_string());
    let event = json!({"hook_event_name": "PreToolUse", "session_id": "s", "transcript_path": "/t.jsonl",
        "cwd": env.project(), "tool_name": "Bash",
        "tool_input": {"command": "ls"}, "tool_use_id": "t1"});
    for way in [&["--stdin-event"][..], &["--dialect", "claude"]] {
        let ended = env.becket([&["fire"], way].concat()).stdin(event.to_string()).run();
        let answer: Value = serde_json::from_str(&ended.stdout).unwrap_or_else(|_| panic!("{ended:?}"));
        let own = &answer["hookSpecificOutput"];
        assert_eq!(own["permissionDecision"], "deny", "{ended:?}");
        assert_refused(own["permissionDecisionReason"].as_str().expect("a reason"));
    }
    let ended = env
        .becket(["fire", "PreToolUse", "--tool", "Bash", "--input", r#"{"command": "ls"}"#, "--json"])
        .run();
    assert_eq!(ended.code, Some(2), "{ended:?}");
    let report: Value = serde_json::from_str(&ended.stdout).expect("JSON");
    let rights = json!([{"network": {"allowedDomains": ["example.com"]}}]);
    assert_eq!(report["verdict"]["fields"]["sandbox"], rights, "{report}");
    assert_refused(report["verdict"]["reason"].as_str().expect("a reason"));
}

/// Asserts the reason for refusing a call whose rights can't be enforced: the hook, its source, the rights, the cause.
fn assert_refused(reason: &str) {
    for said in [
        "the hook `echo",
        "(project)",
        r#"`"sandbox": {"network":{"allowedDomains":["example.com"]}}`"#,
        "can't be enforced here: this host does not run the call itself",
    ] {
        assert!(reason.contains(said), "{said}: {reason}");
    }
}

// rule: E5
#[test]
fn a_client_of_serve_is_answered_with_a_denial() {
    let env = env_with(&hooks(&[json!({"network": {"allowedDomains": ["example.com"]}})]).to_string());
    let mut serving = on_stdio(&env, &[], &[]).initialized();
    let client = &mut serving.client;
    client.opens(&env.project(), "s", json!({"interactive": true}));
    for (tool, input) in [("Bash", json!({"command": "ls"})), ("Read", json!({"file_path": "/etc/hosts"}))] {
        let call = json!({"tool_name": tool, "tool_input": input, "tool_use_id": "t1"});
        let fired = client.asks("event/fire", json!({"session": "s", "event": "PreToolUse", "input": call}));
        assert_eq!(fired["verdict"]["settlement"], "denied", "{fired}");
        assert_eq!(
            fired["verdict"]["fields"]["sandbox"],
            json!([{"network": {"allowedDomains": ["example.com"]}}])
        );
        assert_refused(fired["verdict"]["reason"].as_str().expect("a reason"));
    }
    assert_eq!(serving.ends(), Some(0));
}

// rule: E5
#[test]
fn check_output_reads_the_rights() {
    let env = env();
    let check = |event: &str, sandbox: Value| {
        let answer = json!({"hookSpecificOutput": {"hookEventName": event, "sandbox": sandbox}});
        env.becket(["check-output", event]).stdin(answer.to_string()).run()
    };
    let ended = check("PreToolUse", json!({"filesystem": {"denyWrite": ["src"]}}));
    assert!(
        ended.code == Some(0) && ended.stdout.contains(r#"{"filesystem":{"denyWrite":["src"]}}"#),
        "{ended:?}"
    );
    for (event, sandbox, why) in [
        (
            "PreToolUse",
            json!({"filesystem": {"allowRead": ["src"]}}),
            "`sandbox.filesystem.allowRead` is not known",
        ),
        ("PreToolUse", json!("none"), "expected object"),
        ("PermissionRequest", json!({}), "answer it on `PreToolUse`"),
    ] {
        let ended = check(event, sandbox);
        assert!(ended.code == Some(1) && ended.stdout.contains("deny"), "{ended:?}");
        let told = ended.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(told.contains(why) && !told.contains("ignored"), "{why}: {ended:?}");
    }
}
