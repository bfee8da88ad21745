//! The ends of `becket run` by signals and by closed pipes. No process is left.

use crate::run::{run, scripted};
use becket_testkit::env::TestEnv;
use becket_testkit::messages_api::unreachable_url;
use becket_testkit::proc::{Marker, wait_until};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// Starts a run and waits until it is in the middle of a long call.
fn in_a_call(marker: &Marker, arguments: &[&str]) -> (TestEnv, Child) {
    let settings = json!({
        "permissions": {"allow": ["Bash(sleep *)"]},
        "hooks": {"SessionEnd": [{"hooks": [{"type": "command", "command": "touch ended"}]}],
            "PreToolUse": [{"hooks": [{"type": "command", "command": "touch started"}]}]}
    });
    let turns = json!([{"tool_uses": [{"id": "t1", "name": "Bash", "input": {"command": "sleep 300"}}]}, {"text": "x"}]);
    let env = scripted(&settings, &turns);
    let (name, value) = marker.env();
    let mut command = run(&env, arguments).env(&name, &value).into_command();
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    let child = command.spawn().expect("becket starts");
    assert!(wait_until(|| env.project().join("started").exists() && marker.alive().len() >= 2));
    (env, child)
}

fn signalled(child: &Child, signal: &str) {
    let sent = Command::new("kill").args(["-s", signal, &child.id().to_string()]).status();
    assert!(sent.expect("kill is there").success());
}

// rules: L2, L6, H4
#[test]
fn a_signal_ends_the_turn_and_the_session_and_says_so() {
    for (signal, code) in [("INT", 130), ("TERM", 143), ("HUP", 129)] {
        let marker = Marker::new();
        let (env, mut child) = in_a_call(&marker, &["-p", "hi", "--output-format", "json"]);
        signalled(&child, signal);
        assert_eq!(child.wait().expect("it ends").code(), Some(code), "{signal}");
        assert_eq!(marker.alive(), Vec::<u32>::new(), "{signal}");
        assert!(env.project().join("ended").exists(), "{signal}: SessionEnd was fired");
        let stdout = BufReader::new(child.stdout.take().expect("piped"));
        let lines: Vec<String> = stdout.lines().map(|line| line.expect("text")).collect();
        let result: Value = serde_json::from_str(&lines[0]).expect("a result");
        assert_eq!(result["terminal_reason"], "aborted_tools");
        goes_on(&env);
    }
}

/// Asserts that the transcript is complete: the session can be resumed.
fn goes_on(env: &TestEnv) {
    env.write("project/script.json", json!({"turns": [{"text": "Again."}]}).to_string());
    let ended = run(env, &["-p", "go on", "--continue"]).run();
    assert_eq!((ended.code, ended.stdout.as_str()), (Some(0), "Again.\n"), "{ended:?}");
}

#[test]
fn a_second_signal_ends_it_at_once() {
    let settings = json!({"hooks": {"UserPromptSubmit": [{"hooks": [{"type": "command",
        "command": "touch started; trap '' TERM INT HUP; sleep 300 & wait; sleep 300"}]}]}});
    let env = scripted(&settings, &json!([{"text": "x"}]));
    let marker = Marker::new();
    let (name, value) = marker.env();
    let mut command = run(&env, &["-p", "hi"]).env(&name, &value).into_command();
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = command.spawn().expect("becket starts");
    assert!(wait_until(|| env.project().join("started").exists()));
    signalled(&child, "INT");
    signalled(&child, "INT");
    assert_eq!(child.wait().expect("it ends").code(), Some(130));
    assert!(wait_until(|| marker.alive().is_empty()), "{:?}", marker.alive());
}

#[test]
fn output_that_nobody_reads_cancels_what_is_left_to_do() {
    let bash = |id: &str, command: &str| json!({"tool_uses": [{"id": id, "name": "Bash", "input": {"command": command}}]});
    let turns = json!([bash("t1", "pwd"), bash("t2", "sleep 300"), {"text": "x"}]);
    let settings = json!({"permissions": {"allow": ["Bash(sleep *)"]},
        "hooks": {"SessionEnd": [{"hooks": [{"type": "command", "command": "touch ended"}]}]}});
    let env = scripted(&settings, &turns);
    let mut command = run(&env, &["-p", "hi", "--output-format", "stream-json"]).into_command();
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("becket starts");
    drop(child.stdout.take());
    let output = child.wait_with_output().expect("it ends long before the call would");
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!((output.status.code(), &*stderr), (Some(1), ""));
    assert!(env.project().join("ended").exists());
}

// rule: L3
#[test]
fn a_local_model_server_that_is_not_there_is_given_up_soon_and_named_once() {
    let env = TestEnv::new(env!("CARGO_BIN_EXE_becket"));
    let start = Instant::now();
    let url = unreachable_url();
    let ended = env.becket(["run", "-p", "hi", "--model", "x", "--model-url", &format!("{url}/v1")]).run();
    assert!(start.elapsed() < Duration::from_secs(15), "{:?}", start.elapsed());
    let address = url.trim_start_matches("http://");
    let said =
        format!("error: the model gave no answer: nothing listens at `{address}`: is the server running?\n");
    assert_eq!((ended.code, ended.stderr.as_str()), (Some(1), said.as_str()), "{ended:?}");
}

// rule: E7
#[test]
fn what_a_line_leaves_running_is_gone_with_the_run_though_it_ignores_signals() {
    let line = "setsid sh -c 'trap \"\" TERM INT HUP; touch deaf; sleep 300; sleep 300' & until test -e deaf; do :; done";
    let turns =
        json!([{"tool_uses": [{"id": "t1", "name": "Bash", "input": {"command": line}}]}, {"text": "x"}]);
    let env = scripted(&json!({"permissions": {"allow": ["Bash"]}}), &turns);
    let marker = Marker::new();
    let (name, value) = marker.env();
    let ended = run(&env, &["-p", "hi"]).env(&name, &value).run();
    assert_eq!(marker.alive(), Vec::<u32>::new());
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert!(env.project().join("deaf").exists(), "{ended:?}");
}
