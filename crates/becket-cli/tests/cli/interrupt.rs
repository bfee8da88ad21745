//! A signal to becket also ends its hooks.

use crate::env_with;
use becket_dialects::{Answer, Effect, dialect};
use becket_testkit::proc::{Marker, wait_until};
use std::io::Write;
use std::process::{Command, Stdio};

// rule: H4
#[test]
fn a_signal_leaves_no_hook_behind_and_lets_nothing_through() {
    let hook =
        r#"{"type": "command", "command": "touch started; trap '' HUP INT; sleep 300 & sleep 300; exit 0"}"#;
    for (signal, arguments, code) in [
        ("TERM", &["fire", "PreToolUse", "--tool", "Bash"][..], 1),
        ("INT", &["fire", "PreToolUse", "--tool", "Bash"], 1),
        ("TERM", &["fire", "--stdin-event"], 2),
    ] {
        let env = env_with(&format!(r#"{{"hooks": {{"PreToolUse": [{{"hooks": [{hook}]}}]}}}}"#));
        let marker = Marker::new();
        let (name, value) = marker.env();
        let mut command = env.becket(arguments).env(&name, &value).into_command();
        command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
        let mut becket = command.spawn().expect("becket starts");
        let input = serde_json::json!({"session_id": "s", "transcript_path": "/t", "cwd": env.project(),
            "hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {}, "tool_use_id": "t"});
        let mut stdin = becket.stdin.take().expect("piped");
        stdin.write_all(input.to_string().as_bytes()).expect("stdin takes it");
        drop(stdin);
        assert!(wait_until(|| env.project().join("started").exists() && marker.alive().len() >= 4));
        let id = becket.id().to_string();
        assert!(Command::new("kill").args(["-s", signal, &id]).status().expect("kill is there").success());
        assert_eq!(becket.wait().expect("it ends").code(), Some(code), "{signal} {arguments:?}");
        assert_eq!(marker.alive(), Vec::<u32>::new(), "{signal} {arguments:?}");
    }
}

// rule: H4
#[test]
fn a_signal_before_the_input_is_there_holds_the_call_back() {
    let env = env_with("{}");
    for (arguments, code) in [
        (&["fire", "--stdin-event"][..], 2),
        // In the form of the agent.
        (&["fire", "--dialect", "codex"], 2),
        (&["fire", "--dialect", "gemini"], 0),
        (&["fire", "--dialect", "hermes"], 0),
        // The entry refuses in the form of the agent.
        (&["fire", "--dialect", "codex", "--installed", "0"], 125),
    ] {
        for signal in ["TERM", "QUIT", "ABRT", "SEGV"] {
            let mut command = env.becket(arguments).into_command();
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
            let becket = command.spawn().expect("becket starts");
            assert!(wait_until(|| handles_sigterm(becket.id())), "{arguments:?}");
            let id = becket.id().to_string();
            // A process that was stopped gets all of them at once.
            for signal in ["STOP", "USR1", "ALRM", "34", signal, "CONT"] {
                let sent = Command::new("kill").args(["-s", signal, &id]).status().expect("kill is there");
                assert!(sent.success(), "{signal}");
            }
            let ended = becket.wait_with_output().expect("it ends");
            assert_eq!(ended.status.code(), Some(code), "{signal} {arguments:?}");
            let [stdout, stderr] =
                [ended.stdout, ended.stderr].map(|text| String::from_utf8_lossy(&text).into_owned());
            let is_named = format!("{stdout}{stderr}").contains(ENDED);
            assert_eq!(is_named, code != 125, "{signal} {arguments:?} {stdout} {stderr}");
            if let (Some(name), true) = (arguments.get(2), is_named) {
                let exit = u8::try_from(code).expect("a small one");
                let answer = Answer { stdout, stderr, exit };
                let effect = dialect(name).expect("a dialect").effect_of(&answer);
                assert_eq!(effect, Effect::Held, "{signal} {arguments:?} {answer:?}");
            }
        }
    }
}

/// The reasons of the refusals after a signal: while hooks run, and at any other time.
const INTERRUPTED: &str = "interrupted; the hooks that still ran were ended";
const ENDED: &str = "a signal has ended becket";

// rule: O10
#[test]
fn a_hook_cant_end_the_event_that_runs_it() {
    // A signal that has no effect leaves the answer to the hook.
    for (signal, text) in [
        ("USR1", "held"),
        ("USR2", "held"),
        ("ALRM", "held"),
        ("VTALRM", "held"),
        ("PROF", "held"),
        ("XFSZ", "held"),
        ("IO", "held"),
        ("PWR", "held"),
        ("STKFLT", "held"),
        ("RTMIN", "held"),
        ("XCPU", INTERRUPTED),
        ("QUIT", INTERRUPTED),
        ("ABRT", ENDED),
        ("SEGV", ENDED),
    ] {
        // A hook that is interrupted never gets to its answer, however busy the machine is.
        let wait = if text == INTERRUPTED { "60" } else { "0.2" };
        let script = format!("kill -s {signal} $PPID; sleep {wait}; echo held >&2; exit 2");
        let hook =
            serde_json::json!([{"hooks": [{"type": "command", "command": "bash", "args": ["-c", script]}]}]);
        let env = env_with(&serde_json::json!({"hooks": {"PreToolUse": hook}}).to_string());
        let input = serde_json::json!({"session_id": "s", "transcript_path": "/t", "cwd": env.project(),
            "hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {}, "tool_use_id": "t"});
        let ended = env.becket(["fire", "--stdin-event"]).stdin(input.to_string()).run();
        assert_eq!(ended.code, Some(2), "{signal} {ended:?}");
        assert!(ended.stderr.contains(text), "{signal} {ended:?}");
    }
}

/// Returns true if the process has a handler for SIGTERM.
fn handles_sigterm(id: u32) -> bool {
    const SIGTERM: u32 = 15;
    let status = std::fs::read_to_string(format!("/proc/{id}/status")).unwrap_or_default();
    let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:"));
    let caught = caught.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or_default();
    caught & (1 << (SIGTERM - 1)) != 0
}
