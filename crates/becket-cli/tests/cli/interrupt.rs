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
