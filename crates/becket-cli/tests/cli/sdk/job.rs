//! `state.json` in the directory that `CLAUDE_JOB_DIR` names.

use super::host::Host;
use super::{bash, place};
use becket_testkit::env::TestEnv;
use becket_testkit::proc::wait_until;
use serde_json::{Value, json};
use std::fs;
use std::os::unix::fs::PermissionsExt;

const BECKET: &str = env!("CARGO_BIN_EXE_becket");

fn state(env: &TestEnv) -> Value {
    let text = fs::read_to_string(env.root().join("job/state.json")).unwrap_or_default();
    serde_json::from_str(&text).unwrap_or_default()
}

fn is(env: &TestEnv, expected: &str) {
    assert!(wait_until(|| state(env)["state"] == expected), "{expected}: {}", state(env));
}

fn with(turns: &Value) -> TestEnv {
    let env = place(BECKET, &json!({"permissions": {"allow": ["Bash"], "ask": ["Bash(touch *)"]}}), turns);
    fs::create_dir(env.root().join("job")).expect("it is new");
    env
}

fn host(env: &TestEnv, arguments: &[&str]) -> Host {
    let directory = env.root().join("job").display().to_string();
    Host::with_env(env, arguments, &[("CLAUDE_JOB_DIR", &directory)])
}

const UNTIL_GO: &str = "until [ -e go ]; do sleep 0.02; done";

// rule: L7
#[test]
fn a_job_is_idle_works_waits_and_is_done() {
    let turns = json!([
        {"tool_uses": [bash("t1", UNTIL_GO)]},
        {"tool_uses": [bash("t2", "touch made")]},
        {"text": "All is well."},
    ]);
    let env = with(&turns);
    // A link at the file's path is replaced, and not followed.
    env.write("victim", "mine");
    std::os::unix::fs::symlink(env.root().join("victim"), env.root().join("job/state.json"))
        .expect("it is new");
    let mut host = host(&env, &["--permission-prompt-tool", "stdio"]);
    assert_eq!(host.asks("initialize", json!({}))["subtype"], "success");
    is(&env, "idle");
    host.prompt("tidy up");
    is(&env, "working");
    let found = state(&env);
    assert_eq!((&found["intent"], &found["detail"]), (&json!("tidy up"), &Value::Null));
    assert_eq!(found["pid"], host.child().id());
    assert_eq!(found["cwd"], env.project().display().to_string());
    env.write("project/go", "");
    let asked = host.asked("can_use_tool");
    is(&env, "blocked");
    assert_eq!(state(&env)["detail"], "waits for permission to use Bash");
    host.answers(&asked, json!({"behavior": "deny", "message": "no"}));
    let session = host.result()["session_id"].clone();
    is(&env, "idle");
    let found = state(&env);
    assert_eq!((&found["output"], &found["sessionId"]), (&json!("All is well."), &session));
    let transcript = found["transcriptPath"].as_str().expect("it is stored").to_owned();
    assert!(fs::exists(transcript).is_ok_and(|is_there| is_there));
    assert_eq!(host.ends().0, Some(0));
    let last = state(&env);
    assert_eq!(
        (&last["state"], &last["sessionId"], &last["output"]),
        (&json!("done"), &session, &json!("All is well."))
    );
    assert!(
        last["createdAt"].as_str() <= last["updatedAt"].as_str() && last["createdAt"].is_string(),
        "{last}"
    );
    let files: Vec<_> = fs::read_dir(env.root().join("job")).expect("it is there").flatten().collect();
    assert_eq!(files.len(), 1, "{files:?}");
    let file = files[0].path().symlink_metadata().expect("it is there");
    assert!(file.is_file() && file.permissions().mode() & 0o777 == 0o600, "{file:?}");
    assert_eq!(fs::read_to_string(env.root().join("victim")).expect("it is there"), "mine");
}

// rule: L7
#[test]
fn a_job_has_failed_with_an_error_and_with_a_signal() {
    let env = with(&json!([{"error": {"kind": "bad_request", "message": "no such thing"}}]));
    let mut one = host(&env, &[]);
    one.prompt("go");
    assert_eq!(one.result()["is_error"], true);
    assert_eq!(one.ends().0, Some(1));
    assert_eq!((&state(&env)["state"], &state(&env)["detail"]), (&json!("failed"), &json!("exit code 1")));

    let env = with(&json!([{"tool_uses": [bash("t1", "sleep 300")]}]));
    let mut two = host(&env, &[]);
    two.prompt("go");
    is(&env, "working");
    let pid = two.child().id().to_string();
    assert!(
        std::process::Command::new("kill").args(["-TERM", &pid]).status().is_ok_and(|sent| sent.success())
    );
    assert_eq!(two.ends().0, Some(143));
    assert_eq!((&state(&env)["state"], &state(&env)["detail"]), (&json!("failed"), &json!("exit code 143")));

    let env = with(&json!([]));
    let three = host(&env, &["--agent", "nobody"]);
    assert_ne!(three.ends().0, Some(0));
    assert_eq!(state(&env)["state"], "failed", "the session was never opened");
}

// rule: L7
#[test]
fn a_run_inside_of_a_job_leaves_its_state_alone() {
    let of = |state: &str| json!({"state": state, "pid": std::process::id()}).to_string();
    for (before, is_left) in [(of("working"), true), (of("done"), false), ("{".to_owned(), false)] {
        let env = with(&json!([{"text": "Hello."}]));
        env.write("job/state.json", &before);
        let mut host = host(&env, &[]);
        host.prompt("hi");
        host.result();
        assert_eq!(host.ends().0, Some(0));
        let text = fs::read_to_string(env.root().join("job/state.json")).expect("it is there");
        assert_eq!(text == before, is_left, "{before}: {text}");
    }
}

// rule: L7
#[test]
fn a_state_that_can_not_be_written_is_told_once() {
    let env = with(&json!([{"text": "Hello."}]));
    fs::remove_dir(env.root().join("job")).expect("it is empty");
    let mut host = host(&env, &[]);
    host.prompt("hi");
    assert_eq!(host.result()["result"], "Hello.");
    let warnings = |host: &Host| {
        let told = host.seen.iter().filter_map(|line| line["content"].as_str());
        told.filter(|text| text.contains("the state of the job can't be written")).count()
    };
    assert_eq!(warnings(&host), 1);
    assert_eq!(host.ends().0, Some(0));
}
