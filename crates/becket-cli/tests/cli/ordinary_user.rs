//! The supervisor of the real program for a user other than root: `exec`, lines of `run`, rewritten lines.
//!
//! Root may trace any process, and owns every file below `/proc`; another user may not. Tests that run as root become
//! `nobody` for that, and others stay who they are.

use crate::env_with;
use crate::run::scripted;
use becket_testkit::env::{Run, TestEnv};
use becket_testkit::user::{NOBODY, is_root};
use serde_json::{Value, json};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

/// Returns a program that the user can reach.
fn program(env: &TestEnv) -> PathBuf {
    let program = env.root().join("becket");
    let original = env!("CARGO_BIN_EXE_becket");
    if !program.exists() && fs::hard_link(original, &program).is_err() {
        fs::copy(original, &program).expect("the program can be copied");
    }
    program
}

/// Gives the files of an environment to the user.
fn give(env: &TestEnv) {
    fs::set_permissions(env.root(), fs::Permissions::from_mode(0o755)).expect("a directory");
    let entries = fs::read_dir(env.root()).expect("a directory").flatten().map(|entry| entry.path());
    // The program may be a link to that of the build.
    let entries = entries.filter(|entry| entry.file_name() != Some("becket".as_ref()));
    let status = Command::new("chown").arg("-R").arg(format!("{NOBODY}:{NOBODY}")).args(entries).status();
    assert!(status.is_ok_and(|status| status.success()), "the owner of {:?} can't be changed", env.root());
}

/// Runs a command as the user; returns its stdout and its stderr.
fn ended(env: &TestEnv, mut command: Command) -> (String, String) {
    if is_root() {
        give(env);
        command.uid(NOBODY).gid(NOBODY);
    }
    let Output { stdout, stderr, .. } = command.stdin(Stdio::null()).output().expect("it can be started");
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    (text(stdout), text(stderr))
}

fn as_user(env: &TestEnv, run: Run) -> (String, String) {
    ended(env, run.of(&program(env)).into_command())
}

fn rules() -> Value {
    json!({"permissions": {"deny": ["Bash(touch *denied*)"]}})
}

/// Returns whether the user can have namespaces, or tells who runs the tests that they are missing.
#[expect(clippy::print_stderr, reason = "who runs the tests is told that a part is skipped")]
fn has_namespaces(env: &TestEnv) -> bool {
    let mut command = Command::new("unshare");
    command.args(["--user", "--net", "--mount", "echo", "yes"]);
    let (stdout, stderr) = ended(env, command);
    if stdout != "yes\n" {
        eprintln!("SKIPPED: an ordinary user has no namespaces here: {stderr}");
    }
    stdout == "yes\n"
}

// rules: E1, E2
#[test]
fn exec_supervises() {
    let env = env_with(&rules().to_string());
    let line = "touch denied-1; echo $?; touch other && echo other";
    let (stdout, stderr) = as_user(&env, env.becket(["exec", "--", "sh", "-c", line]));
    assert_eq!(stdout, "126\nother\n", "{stderr}");
    let inner = format!("{} exec --deny 'Bash(ls *)' -- sh -c 'ls .; echo $?'", program(&env).display());
    let (stdout, stderr) = as_user(&env, env.becket(["exec", "--deny", "Bash(x)", "--", "sh", "-c", &inner]));
    assert_eq!(stdout, "126\n", "{stderr}");
}

// rule: E5
#[test]
fn exec_takes_rights_away() {
    let env = env_with("{}");
    env.write("project/secret", "hidden");
    let exec = |options: &[&str]| {
        let line = "cat secret; touch new && echo new; curl -s -m 5 -o x http://other.test/; echo $?";
        env.becket([&["exec"], options, &["--", "sh", "-c", line]].concat())
    };
    let (stdout, stderr) = as_user(&env, exec(&["--write", "../tmp", "--network", "none"]));
    assert!(stdout.starts_with("hidden") && !stdout.contains("new"), "{stdout}{stderr}");
    assert!(stderr.contains("`touch new` has no right to write"), "{stderr}");
    if !has_namespaces(&env) {
        return;
    }
    let (stdout, stderr) = as_user(&env, exec(&["--deny-read", "secret"]));
    assert!(stdout.starts_with("new\n"), "{stdout}{stderr}");
    let (stdout, stderr) = as_user(&env, exec(&["--allow-domain", "example.com"]));
    assert!(stdout.starts_with("hiddennew\n"), "{stdout}{stderr}");
    assert!(stderr.contains("`other.test` was not connected to"), "{stderr}");
}

// rules: E1, E3
#[test]
fn run_supervises_its_lines() {
    let call = json!({"id": "t1", "name": "Bash", "input": {"command": "sh release.sh"}});
    let env = scripted(&rules(), &json!([{"tool_uses": [call]}, {"text": "Done."}]));
    env.write("project/release.sh", "name=denied-1\ntouch $name\necho ended with $?\n");
    let arguments = ["-p", "go", "--output-format", "stream-json", "--verbose", "--allowed-tools", "Bash"];
    let (stdout, stderr) = as_user(&env, crate::run::run(&env, &arguments));
    assert!(stdout.contains("ended with 126"), "{stdout}{stderr}");
    assert!(stdout.lines().any(|line| line.contains("program_denied")), "{stdout}{stderr}");
    assert!(!env.project().join("denied-1").exists());
}

// rule: E6
#[test]
fn a_rewritten_line_is_supervised() {
    let env = env_with(&rules().to_string());
    env.write("project/release.sh", "name=denied-1\ntouch $name\necho ended with $?\n");
    let event = json!({"hook_event_name": "PreToolUse", "session_id": "s", "transcript_path": "/t",
        "cwd": env.project(),
        "tool_name": "Bash", "tool_input": {"command": "sh release.sh"}, "tool_use_id": "t"});
    let fired = env.becket(["fire", "--exec-rewrite", "--stdin-event"]).of(&program(&env));
    let answer: Value =
        serde_json::from_str(&fired.stdin(event.to_string()).run().stdout).expect("an answer");
    let line = answer["hookSpecificOutput"]["updatedInput"]["command"].as_str().expect("a rewritten line");
    let mut command = Command::new("sh");
    command.args(["-c", line]).current_dir(env.project());
    let (stdout, stderr) = ended(&env, command);
    assert_eq!(stdout, "ended with 126\n", "{line}: {stderr}");
}
