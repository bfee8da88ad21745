//! `doctor --prove`, with small agents that really query the model and make its calls. `cargo xtask test agents` tries
//! real ones.

use crate::env;
use becket_testkit::env::{ProgramOutput, TestEnv};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

/// An agent that uses Gemini's API and has Gemini CLI's hooks on the events of `HOOKS`.
const AGENT: &str = r#"#!/usr/bin/env python3
import json, os, subprocess, sys, urllib.request

HOOKS = @hooks
if "--version" in sys.argv:
    print("gemini 9.8.7")
    sys.exit()
URL = os.environ["GOOGLE_GEMINI_BASE_URL"] + "/v1beta/models/m:generateContent"


def refusal(event, **fields):
    if event not in HOOKS:
        return None
    payload = {"hook_event_name": event, "session_id": "s", "transcript_path": "", "cwd": os.getcwd(),
               "timestamp": "2026-01-01T00:00:00Z", **fields}
    settings = json.load(open(os.path.expanduser("~/.gemini/settings.json")))
    for group in settings["hooks"][event]:
        ended = subprocess.run(["sh", "-c", group["hooks"][0]["command"]], input=json.dumps(payload),
                               capture_output=True, text=True)
        answer = json.loads(ended.stdout or "{}")
        if ended.returncode == 2 or answer.get("decision") in ("deny", "block"):
            return answer.get("reason") or ended.stderr
    return None


def make(call):
    name, given = call["name"], call["args"]
    why = refusal("BeforeTool", tool_name=name, tool_input=given)
    if why is not None:
        return why
    if name == "run_shell_command":
        return subprocess.run(given["command"], shell=True, capture_output=True, text=True).stdout
    with open(given["file_path"], "w") as file:
        file.write(given["content"])
    return "written"


prompt = sys.argv[sys.argv.index("-p") + 1]
if refusal("BeforeAgent", prompt=prompt) is not None:
    sys.exit()
contents = [{"role": "user", "parts": [{"text": prompt}]}]
tools = [{"functionDeclarations": [{"name": "run_shell_command"}, {"name": "write_file"}]}]
while True:
    body = json.dumps({"contents": contents, "tools": tools}).encode()
    request = urllib.request.Request(URL, body, {"content-type": "application/json"})
    said = json.load(urllib.request.urlopen(request))["candidates"][0]["content"]
    calls = [part["functionCall"] for part in said["parts"] if "functionCall" in part]
    if not calls:
        break
    results = [{"functionResponse": {"name": call["name"], "response": {"output": make(call)}}} for call in calls]
    contents += [said, {"role": "user", "parts": results}]
"#;

fn agent(env: &TestEnv, name: &str, text: &str) {
    let program = env.write(&format!("bin/{name}"), text);
    fs::set_permissions(program, fs::Permissions::from_mode(0o755)).expect("a mode");
}

/// Proves Gemini CLI, replaced by that program; nothing may be left behind.
fn proved(env: &TestEnv, text: &str, more: &[&str]) -> ProgramOutput {
    agent(env, "gemini", text);
    let arguments = ["doctor", "--prove", "gemini"].into_iter().chain(more.iter().copied());
    let ended = env.becket(arguments).path_first(&env.root().join("bin")).run();
    nothing_is_left(env);
    ended
}

fn nothing_is_left(env: &TestEnv) {
    let left: Vec<_> = fs::read_dir(env.root().join("tmp")).expect("a directory").collect();
    assert!(left.is_empty(), "{left:?}");
    assert!(!env.root().join("home/.gemini").exists());
}

#[test]
fn an_agent_that_asks_its_hooks_is_proved() {
    let env = env();
    let ended = proved(&env, &AGENT.replace("@hooks", "['BeforeTool', 'BeforeAgent']"), &[]);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert_eq!(ended.stdout, "proved: Gemini CLI 9.8.7 held 6 of 6\n", "{ended:?}");
}

#[test]
fn an_agent_that_ignores_hooks_is_not() {
    let env = env();
    let ended = proved(&env, &AGENT.replace("@hooks", "[]"), &[]);
    assert_eq!(ended.code, Some(1), "{ended:?}");
    assert!(ended.stdout.starts_with("not held: Gemini CLI 9.8.7 held 0 of 6\n"), "{ended:?}");
    assert!(ended.stdout.contains("error: a file that a guard denies was not held back\n"), "{ended:?}");
    let ended = proved(&env, &AGENT.replace("@hooks", "['BeforeTool']"), &[]);
    assert_eq!(ended.code, Some(1), "{ended:?}");
    assert_eq!(
        ended.stdout,
        "not held: Gemini CLI 9.8.7 held 5 of 6\n  error: a prompt that a guard blocks was not held back\n"
    );
}

#[test]
fn without_a_network_namespace_the_same_is_found_and_said_so() {
    let env = env();
    agent(&env, "gemini", &AGENT.replace("@hooks", "['BeforeTool', 'BeforeAgent']"));
    // `unshare` is not on the path.
    let path = env.root().join("bin").display().to_string();
    let ended = env.becket(["doctor", "--prove", "gemini"]).env("PATH", &path).run();
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert!(ended.stderr.contains("lead requests to the scripted model instead"), "{ended:?}");
    nothing_is_left(&env);
}

#[test]
fn an_agent_that_makes_no_call_proves_nothing() {
    let env = env();
    for (text, part) in [
        (
            "#!/bin/sh\necho 'please log in' >&2\n",
            "it did not ask the model for anything; its last words: please log in",
        ),
        (
            &AGENT.replace("@hooks", "[]").replace("shell=True", "shell=True, cwd=os.path.expanduser('~')"),
            "a call that no guard denies was not made (`harmless`)",
        ),
        ("#!/no/such/interpreter\n", "can't be started"),
    ] {
        let ended = proved(&env, text, &[]);
        assert_eq!(ended.code, Some(2), "{ended:?}");
        assert!(ended.stdout.starts_with("could not be tried: Gemini CLI"), "{ended:?}");
        assert!(ended.stdout.contains(part), "{part}: {ended:?}");
    }
}

#[test]
fn an_agent_that_hangs_is_ended_with_what_it_has_started() {
    let env = env();
    // The number is unique to this test.
    let text = "#!/bin/sh\n[ \"$1\" = --version ] && exit\n(setsid sleep 86399.25 &)\nsleep 86399.25\n";
    for more in [&["--limit", "1"][..], &["--limit", "2"]] {
        let ended = proved(&env, text, more);
        assert_eq!(ended.code, Some(2), "{ended:?}");
        let part = format!("Gemini CLI: it took longer than {} s and was ended", more[1]);
        assert!(ended.stdout.contains(&part), "{ended:?}");
        #[cfg(target_os = "linux")]
        assert!(!is_running("86399.25"), "a process is left");
    }
}

/// Returns true if a process has this argument.
#[cfg(target_os = "linux")]
fn is_running(argument: &str) -> bool {
    let processes = fs::read_dir("/proc").expect("a list of processes");
    let line = |process: &Path| fs::read(process.join("cmdline")).unwrap_or_default();
    let has = |line: Vec<u8>| line.split(|byte| *byte == 0).any(|word| word == argument.as_bytes());
    processes.flatten().any(|process| has(line(&process.path())))
}

#[test]
fn an_agent_that_is_missing_cant_be_tried() {
    let env = env();
    let path = env.root().join("bin").display().to_string();
    let ended = env.becket(["doctor", "--prove", "codex", "cursor"]).env("PATH", &path).run();
    assert_eq!(ended.code, Some(2), "{ended:?}");
    assert!(
        ended.stdout.contains("could not be tried: Codex: there is no `codex` on PATH: install it first\n"),
        "{ended:?}"
    );
    for (arguments, part) in [
        (&["doctor", "--prove"][..], "AGENT"),
        (&["doctor", "--prove", "gemni"], "did you mean `gemini`"),
        (&["doctor", "gemini", "--limit", "3"], "--prove"),
        (&["doctor", "--prove", "gemini", "--limit", "0"], "0 is not in"),
    ] {
        let ended = env.becket(arguments.iter().copied()).run();
        assert_eq!(ended.code, Some(2), "{ended:?}");
        assert!(ended.stderr.contains(part), "{arguments:?} {ended:?}");
    }
}
