//! `fire --exec-rewrite`: lines of another agent run under `becket exec`, with the rules and the rights of their calls,
//! or not at all.

use crate::call_rights::{answer, hooks};
use crate::dialects::payload;
use crate::{env, env_with};
use becket_dialects::dialect;
use becket_testkit::env::{ProgramOutput, TestEnv};
use serde_json::{Value, json};
use std::ffi::OsStr;
use std::fs;
use std::net::TcpListener;
use std::os::unix::ffi::OsStrExt as _;
use std::process::{Command, Output};

/// The ways in which an agent with the tools of the protocol fires.
const WAYS: [&[&str]; 2] = [&["--stdin-event"], &["--dialect", "claude"]];

fn rules() -> Value {
    json!({"permissions": {"deny": ["Bash(touch *denied*)"], "ask": ["Bash(touch *asked*)"]}})
}

/// Fires a call.
fn fired(env: &TestEnv, arguments: &[&str], tool: &str, input: &Value) -> ProgramOutput {
    let event = json!({"hook_event_name": "PreToolUse", "session_id": "s", "transcript_path": "/t", "cwd": env.project(),
        "tool_name": tool, "tool_input": input, "tool_use_id": "t"});
    env.becket([&["fire", "--exec-rewrite"], arguments].concat()).stdin(event.to_string()).run()
}

/// Returns the command that replaces a line, if there is one.
fn rewritten(env: &TestEnv, arguments: &[&str], line: &str) -> Option<String> {
    let ended = fired(env, arguments, "Bash", &json!({"command": line, "timeout": 7}));
    let answer: Value = serde_json::from_str(&ended.stdout).unwrap_or_default();
    let own = &answer["hookSpecificOutput"];
    let input = &own["updatedInput"];
    assert!(input.is_null() || input["timeout"] == 7, "{ended:?}");
    assert!(
        input.is_null() || (own["permissionDecision"].is_null() && own["sandbox"].is_null()),
        "{ended:?}"
    );
    input["command"].as_str().map(str::to_owned)
}

/// Runs a rewritten command as an agent does.
fn run(env: &TestEnv, command: &str) -> Output {
    Command::new("sh").args(["-c", command]).current_dir(env.project()).output().expect("sh is there")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Returns the reason of a denial, which names the hook and the rights.
fn denial(ended: &ProgramOutput, rights: &Value) -> String {
    let said = format!("{}{}", ended.stdout, ended.stderr);
    assert!(!ended.stdout.contains("updatedInput") && !ended.stdout.contains("modifiedArgs"), "{ended:?}");
    // The reason is JSON inside JSON.
    let said = said.replace(r#"\""#, "\"");
    for part in ["the hook `echo", "(project)", &format!(r#"`"sandbox": {rights}`"#), "The call was refused"]
    {
        assert!(said.contains(part), "{part}: {ended:?}");
    }
    said
}

// rule: E6
#[test]
fn a_line_is_rewritten_to_run_under_the_rules() {
    let env = env_with(&rules().to_string());
    env.write("project/script.sh", "name=denied-1\ntouch $name\necho $? \"it's\"\n");
    for arguments in WAYS {
        let command =
            rewritten(&env, arguments, r"sh script.sh; touch 'o k'; printf '\\\n'").expect("a rewrite");
        // The settings are not read again: an earlier line could have changed them.
        fs::remove_file(env.project().join(".claude/settings.json")).expect("the settings");
        let output = run(&env, &command);
        assert_eq!(text(&output.stdout), "126 it's\n\\\n", "{command}: {output:?}");
        assert!(!env.project().join("denied-1").exists() && env.project().join("o k").exists());
        env.write("project/.claude/settings.json", rules().to_string());
    }
}

// rule: E6
#[test]
fn a_rewrite_decides_nothing() {
    let env = env_with(&rules().to_string());
    for (arguments, line) in [
        // Lines that are denied, or asked about.
        (&["--stdin-event"][..], "touch denied-1"),
        (&["--stdin-event"], "touch asked-1"),
        // With this dialect, a rewrite would allow the call.
        (&["--dialect", "codex"], "sh script.sh"),
    ] {
        assert_eq!(rewritten(&env, arguments, line), None, "{arguments:?} {line}");
    }
    let env = env_with("{}");
    assert_eq!(rewritten(&env, &["--stdin-event"], "sh script.sh"), None);
}

// rules: E5, E6
#[test]
fn a_line_that_is_too_long_for_its_sandbox_is_not_run() {
    let env = env();
    env.write("home/.claude/settings.json", json!({"sandbox": {"enabled": true}}).to_string());
    let line = format!("echo ran; : {}", "x".repeat(130 << 10));
    let command = rewritten(&env, &["--stdin-event"], &line).expect("a rewrite");
    let ended = run(&env, &command);
    assert!(ended.status.code() == Some(125) && ended.stdout.is_empty(), "{ended:?}");
    assert!(text(&ended.stderr).contains("too long for a rewrite"), "{ended:?}");
    env.write("home/.claude/settings.json", rules().to_string());
    assert_eq!(rewritten(&env, &["--stdin-event"], &line), None, "rules hold for its text");
}

/// A script that tries everything that rights restrict, and reports the successful attempts.
const TRY: &str = r#"
try() { if sh -c "$1" >/dev/null 2>&1; then echo "$1"; fi; }
try 'echo a > in.txt'
try 'echo a > ../out.txt'
try 'echo a > docs/b.txt'
try 'grep -q hidden ../home/secret/key'
try "python3 -c 'import socket; socket.create_connection((\"127.0.0.1\", $1))'"
"#;

/// Returns the successful attempts of the script in a line that the agent runs rewritten.
fn attempts(env: &TestEnv, arguments: &[&str], line: &str) -> Vec<&'static str> {
    env.write("home/secret/key", "hidden");
    env.write("project/docs/a.txt", "");
    env.write("project/try.sh", TRY);
    let ended = fired(env, arguments, "Bash", &json!({"command": line, "run_in_background": true}));
    let answer: Value = serde_json::from_str(&ended.stdout).unwrap_or_else(|_| panic!("{ended:?}"));
    let input = &answer["hookSpecificOutput"]["updatedInput"];
    assert_eq!(input["run_in_background"], true, "{ended:?}");
    let output = run(env, input["command"].as_str().unwrap_or_else(|| panic!("{ended:?}")));
    let done = text(&output.stdout);
    let marks = ["in.txt", "out.txt", "docs", "hidden", "socket"];
    assert!(output.status.success() && done.lines().all(|line| marks.iter().any(|mark| line.contains(mark))));
    marks.into_iter().filter(|mark| done.contains(mark)).collect()
}

// rules: E5, E6
#[test]
fn a_rewritten_line_has_what_all_hooks_leave() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a socket");
    let line = format!("sh try.sh {}", listener.local_addr().expect("an address").port());
    let no_docs = json!({"filesystem": {"denyWrite": ["docs"], "allowWrite": [".."]}, "network": {"allowedDomains": ["*"]}});
    let no_secret = json!({"filesystem": {"denyRead": ["~/secret"]}});
    for (answers, expected) in [
        (vec![json!({})], vec!["in.txt", "docs", "hidden"]),
        (vec![no_docs.clone()], vec!["in.txt", "out.txt", "hidden", "socket"]),
        (vec![no_docs.clone(), no_secret.clone()], vec!["in.txt"]),
        (vec![no_secret, no_docs], vec!["in.txt"]),
    ] {
        let env = env_with(&hooks(&answers).to_string());
        for arguments in WAYS {
            assert_eq!(attempts(&env, arguments, &line), expected, "{arguments:?} {answers:?}");
        }
    }
}

// rules: E5, E6
#[test]
fn neither_a_rewrite_nor_the_settings_give_rights_back() {
    let mut of_project = hooks(&[json!({})]);
    let rewrite = answer(&json!({"hookEventName": "PreToolUse", "permissionDecision": "allow",
        "updatedInput": {"command": "sh try.sh 1"}}));
    of_project["hooks"]["PreToolUse"][0]["hooks"].as_array_mut().expect("hooks").push(rewrite);
    let env = env_with(&of_project.to_string());
    let of_user =
        json!({"enabled": true, "excludedCommands": ["sh *"], "filesystem": {"allowWrite": [".."]}});
    env.write("home/.claude/settings.json", json!({"sandbox": of_user}).to_string());
    env.write("project/try.sh", TRY);
    env.write("project/docs/a.txt", "");
    let ended = fired(&env, &["--stdin-event"], "Bash", &json!({"command": "ls"}));
    let answer: Value = serde_json::from_str(&ended.stdout).unwrap_or_else(|_| panic!("{ended:?}"));
    let own = &answer["hookSpecificOutput"];
    assert_eq!(own["permissionDecision"], "allow", "{ended:?}");
    let command = own["updatedInput"]["command"].as_str().unwrap_or_else(|| panic!("{ended:?}"));
    let output = run(&env, command);
    assert_eq!(text(&output.stdout), "echo a > in.txt\necho a > docs/b.txt\n", "{output:?}");
}

// rules: E5, E6
#[test]
fn a_call_that_is_not_rewritten_is_denied() {
    let rights = json!({"filesystem": {"denyRead": ["~/.ssh"]}});
    let env = env_with(&hooks(std::slice::from_ref(&rights)).to_string());
    env.write("home/.ssh/key", "");
    let long = format!("echo {}", "x".repeat(130 << 10));
    for arguments in WAYS {
        for (tool, input, why) in [
            ("Bash", json!({"command": long}), "the line is too long for a rewrite"),
            ("Bash", json!({"command": 7}), "the call has no command line"),
            ("Bash", json!({}), "the call has no command line"),
            ("Read", json!({"file_path": "/etc/hosts"}), "this host does not run the call itself"),
            ("mcp__a__b", json!({}), "this host does not run the call itself"),
        ] {
            let ended = fired(&env, arguments, tool, &input);
            // The denial is in JSON, or in the exit code alone.
            let is_denied = ended.stdout.contains(r#""permissionDecision":"deny""#) || ended.code == Some(2);
            assert!(is_denied, "{arguments:?} {why}: {ended:?}");
            let reason = denial(&ended, &rights);
            assert!(reason.contains(why), "{arguments:?} {why}: {reason}");
        }
    }
    let asks = json!({"permissions": {"ask": ["Bash(touch *asked*)"]}});
    env.write("project/.claude/settings.local.json", asks.to_string());
    for arguments in WAYS {
        let ended = fired(&env, arguments, "Bash", &json!({"command": "touch asked"}));
        assert!(denial(&ended, &rights).contains("the user is asked about the call"), "{ended:?}");
    }
    // Plain `fire` rewrites nothing.
    let plain = ["fire", "PreToolUse", "--exec-rewrite", "--json", "--tool", "Bash"];
    let ended = env.becket([&plain[..], &["--set", "tool_input.command=ls"]].concat()).run();
    assert_eq!(ended.code, Some(2), "{ended:?}");
    assert!(denial(&ended, &rights).contains("this host does not run the call itself"), "{ended:?}");
}

// rules: E5, E6
#[test]
fn a_deferred_call_with_fewer_rights_is_denied() {
    let rights = json!({"filesystem": {"denyRead": ["~/.ssh"]}});
    let mut settings = hooks(std::slice::from_ref(&rights));
    let deferring = answer(&json!({"hookEventName": "PreToolUse", "permissionDecision": "defer"}));
    settings["hooks"]["PreToolUse"][0]["hooks"].as_array_mut().expect("hooks").push(deferring);
    let env = env_with(&settings.to_string());
    env.write("home/.ssh/key", "");
    for arguments in WAYS {
        let ended = fired(&env, arguments, "Bash", &json!({"command": "ls"}));
        assert!(!ended.stdout.contains("\"defer\""), "{arguments:?}: {ended:?}");
        assert!(denial(&ended, &rights).contains("can't be enforced here"), "{arguments:?}: {ended:?}");
    }
}

// rules: E5, E6
#[test]
fn rights_on_a_path_that_is_not_text_deny_the_call() {
    let rights = json!({"filesystem": {"denyRead": ["~/.ssh"]}});
    let env = env_with(&hooks(std::slice::from_ref(&rights)).to_string());
    let home = env.root().join(OsStr::from_bytes(b"home-\xff"));
    fs::create_dir_all(home.join(".ssh")).expect("a home");
    let call = json!({"hook_event_name": "PreToolUse", "session_id": "s", "transcript_path": "/t",
        "cwd": env.project(), "tool_name": "Bash", "tool_input": {"command": "ls"}, "tool_use_id": "t"});
    for arguments in WAYS {
        let run = env.becket([&["fire", "--exec-rewrite"], arguments].concat());
        let ended = run.env_os("HOME", &home).stdin(call.to_string()).run();
        let reason = denial(&ended, &rights);
        assert!(reason.contains("is not valid Unicode"), "{arguments:?}: {reason}");
    }
}

// rules: E5, E6
#[test]
fn rights_that_the_system_can_not_take_away_deny_the_call() {
    for (rights, why) in [
        (json!({"filesystem": {"denyWrite": ["new"]}}), "create it first"),
        (json!({"network": {"allowedDomains": ["https://a.test"]}}), "is not a host"),
    ] {
        let env = env_with(&hooks(std::slice::from_ref(&rights)).to_string());
        let ended = fired(&env, &["--stdin-event"], "Bash", &json!({"command": "ls"}));
        assert_eq!(ended.code, Some(2), "{ended:?}");
        let reason = denial(&ended, &rights);
        assert!(reason.contains(why), "{why}: {reason}");
    }
    let env = env_with(&hooks(&[json!({"filesystem": 7})]).to_string());
    let ended = fired(&env, &["--stdin-event"], "Bash", &json!({"command": "ls"}));
    assert!(ended.code == Some(2) && ended.stderr.contains("can't be read"), "{ended:?}");
}

/// Fires a call in the form of an agent.
fn fired_by(env: &TestEnv, agent: &str, payload: &Value) -> ProgramOutput {
    env.becket(["fire", "--exec-rewrite", "--dialect", agent]).stdin(payload.to_string()).run()
}

/// Returns the recorded call of a shell, in the form of an agent.
fn shell_call(env: &TestEnv, agent: &str) -> Value {
    let text = payload(dialect(agent).expect("an agent"), "shell", env, "true").expect("it runs commands");
    serde_json::from_str(&text).expect("JSON")
}

// rules: E5, E6
#[test]
fn an_agent_that_takes_no_rewrite_is_answered_with_a_denial() {
    let rights = json!({});
    for (agent, allows, why) in [
        ("codex", false, Some("Codex accepts a rewritten call only together with an allow")),
        ("droid", false, Some("Factory Droid accepts a rewritten call only together with an allow")),
        ("hermes", true, Some("Hermes doesn't accept rewritten calls")),
        ("codex", true, None),
        ("droid", true, None),
        ("gemini", false, None),
        ("copilot", false, None),
        ("cline", false, None),
    ] {
        let mut settings = hooks(std::slice::from_ref(&rights));
        if allows {
            settings["hooks"]["PreToolUse"][0]["hooks"]
                .as_array_mut()
                .expect("hooks")
                .push(answer(&json!({"hookEventName": "PreToolUse", "permissionDecision": "allow"})));
        }
        let env = env_with(&settings.to_string());
        let ended = fired_by(&env, agent, &shell_call(&env, agent));
        match why {
            None => assert!(ended.stdout.contains("--line-rules"), "{agent}: {ended:?}"),
            Some(why) => assert!(denial(&ended, &rights).contains(why), "{agent} {why}: {ended:?}"),
        }
    }
}

// rules: E5, E6
#[test]
fn a_call_of_another_agent_that_is_read_as_one_of_the_protocol_is_denied() {
    let rights = json!({});
    let env = env_with(&hooks(std::slice::from_ref(&rights)).to_string());
    let call = shell_call(&env, "codex").to_string();
    let ended = env.becket(["fire", "--exec-rewrite", "--stdin-event"]).stdin(call).run();
    assert_eq!(ended.code, Some(2), "{ended:?}");
    assert!(denial(&ended, &rights).contains("only through `becket fire --dialect codex`"), "{ended:?}");
}

// rules: E5, E6
#[test]
fn every_command_of_a_call_is_rewritten() {
    let env = env_with(&hooks(&[json!({})]).to_string());
    let mut call = shell_call(&env, "cline");
    call["tool_call"]["input"]["commands"] = json!(["echo a > in.txt", "echo a > ../out.txt"]);
    let ended = fired_by(&env, "cline", &call);
    let answer: Value = serde_json::from_str(&ended.stdout).unwrap_or_else(|_| panic!("{ended:?}"));
    let commands = answer["overrideInput"]["commands"].as_array().unwrap_or_else(|| panic!("{ended:?}"));
    let codes: Vec<_> =
        commands.iter().map(|line| run(&env, line.as_str().expect("a text")).status.code()).collect();
    assert!(codes.len() == 2 && codes[0] == Some(0) && codes[1] != Some(0), "{codes:?} {ended:?}");
    assert!(env.project().join("in.txt").exists() && !env.project().join("../out.txt").exists());
}

// rules: E5, E6
#[test]
fn input_of_a_running_program_is_no_line() {
    for (settings, is_denied) in [(rules(), false), (hooks(&[json!({})]), true)] {
        let env = env_with(&settings.to_string());
        let mut call = shell_call(&env, "copilot");
        call["tool_name"] = json!("write_bash");
        call["tool_input"] = json!({"sessionId": "1", "input": "y"});
        let ended = fired_by(&env, "copilot", &call);
        assert!(!ended.stdout.contains("modifiedArgs"), "{ended:?}");
        assert_eq!(ended.stdout.contains("deny"), is_denied, "{ended:?}");
        if is_denied {
            assert!(
                denial(&ended, &json!({})).contains("sends input to a program that is already running"),
                "{ended:?}"
            );
        }
    }
}
