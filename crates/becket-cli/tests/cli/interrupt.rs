//! A signal to becket ends its hooks too.

use crate::env_with;
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
        (&["fire", "--dialect", "codex"], 2),
        // Its entry refuses in the form of the agent.
        (&["fire", "--dialect", "codex", "--installed", "0"], 125),
    ] {
        let mut command = env.becket(arguments).into_command();
        command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
        let mut becket = command.spawn().expect("becket starts");
        assert!(wait_until(|| handles_sigterm(becket.id())), "{arguments:?}");
        let id = becket.id().to_string();
        assert!(Command::new("kill").args(["-s", "TERM", &id]).status().expect("kill is there").success());
        assert_eq!(becket.wait().expect("it ends").code(), Some(code), "{arguments:?}");
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
