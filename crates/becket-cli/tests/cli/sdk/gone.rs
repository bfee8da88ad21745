//! A host that disconnects.

#![cfg(target_os = "linux")]

use super::host::{Host, matcher};
use super::{bash, place};
use becket_testkit::proc::{Marker, wait_until};
use serde_json::json;
use std::process::Stdio;

const BECKET: &str = env!("CARGO_BIN_EXE_becket");

// rules: L2, L6, H4
#[test]
fn a_host_that_dies_ends_the_run_as_a_signal_would() {
    let marker = Marker::new();
    let settings = json!({"permissions": {"allow": ["Bash"]},
        "hooks": {"SessionEnd": [{"hooks": [{"type": "command", "command": "touch ended"}]}]}});
    let env = place(
        BECKET,
        &settings,
        &json!([{"tool_uses": [bash("t1", "touch started; sleep 300")]}, {"text": "x"}]),
    );
    let (name, value) = marker.env();
    let formats =
        ["--output-format", "stream-json", "--input-format", "stream-json", "--model", "script:script.json"];
    let managed = env.root().join("managed").display().to_string();
    let mut command =
        env.bare([&formats[..], &["--managed-dir", &managed]].concat()).env(&name, &value).into_command();
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn().expect("becket starts");
    let mut stdin = child.stdin.take().expect("piped");
    let prompt = json!({"type": "user", "message": {"role": "user", "content": "sleep"}}).to_string() + "\n";
    std::io::Write::write_all(&mut stdin, prompt.as_bytes()).expect("it reads");
    assert!(wait_until(|| env.project().join("started").exists()));
    // Closes the pipes as the system does for a killed process.
    drop((stdin, child.stdout.take()));
    assert_eq!(child.wait().expect("it ends").code(), Some(143));
    assert!(env.project().join("ended").exists(), "SessionEnd was fired");
    assert_eq!(marker.alive(), Vec::<u32>::new());
}

#[test]
fn a_host_that_only_hangs_up_gets_the_rest_of_what_it_asked_for() {
    let env = place(BECKET, &json!({}), &json!([{"text": "One.", "delay_ms": 300}, {"text": "Two."}]));
    let mut host = Host::initialized(&env, &[], json!({}));
    host.prompt("one");
    host.prompt("two");
    let id = host.request("mcp_status", json!({}));
    host.hangs_up();
    assert_eq!(host.answer_to(&id)["subtype"], "success");
    assert_eq!(host.result()["result"], "One.");
    assert_eq!(host.result()["result"], "Two.");
    assert_eq!(host.ends().0, Some(0));
}

#[test]
fn a_signal_takes_back_what_was_asked() {
    let env = place(
        BECKET,
        &json!({"permissions": {"allow": ["Bash"]}}),
        &json!([{"tool_uses": [bash("t1", "touch made")]}, {"text": "x"}]),
    );
    let mut host = Host::initialized(&env, &[], json!({"hooks": {"PreToolUse": [matcher("h", json!({}))]}}));
    host.prompt("make it");
    let asked = host.asked("hook_callback");
    let id = host.child().id().to_string();
    assert!(
        std::process::Command::new("kill")
            .args(["-s", "TERM", &id])
            .status()
            .is_ok_and(|sent| sent.success())
    );
    let cancelled = host.until(|line| line["type"] == "control_cancel_request");
    assert_eq!(cancelled["request_id"], asked["request_id"]);
    assert_eq!(host.ends().0, Some(143));
    assert!(!env.project().join("made").exists());
}
