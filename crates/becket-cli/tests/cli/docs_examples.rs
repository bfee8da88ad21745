//! The guide's examples in Rust: the output of their programs, without building them again.

use becket_testkit::env::TestEnv;
use serde_json::{Value, json};
use std::net::TcpListener;

#[path = "../../../becket-engine/examples/callbacks.rs"]
#[expect(dead_code, reason = "its `main` prints what the test reads")]
mod callbacks;
#[path = "../../../becket-agent/examples/guarded.rs"]
#[expect(dead_code, reason = "its `main` prints what the test reads")]
mod guarded;
#[path = "../../examples/policy_server.rs"]
#[expect(dead_code, reason = "its `main` reads the arguments that the test gives")]
mod policy_server;

/// Returns the output of the example that a page starts with this command.
pub(crate) fn output_of(command: &str) -> Option<String> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.expect("a runtime starts");
    let lines = match command.strip_prefix("cargo run -q -p ")? {
        "becket-engine --example callbacks" => runtime.block_on(callbacks::calls()),
        "becket-agent --example guarded" => runtime.block_on(guarded::run()),
        other => panic!("there is no example `{other}`"),
    };
    Some(lines.expect("the example runs").iter().map(|line| format!("{line}\n")).collect())
}

/// Creates a project whose only hook asks the policy server in Rust.
fn guarded_by(rules: &str) -> TestEnv {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port is free");
    let url = format!("http://{}/", listener.local_addr().expect("it has an address"));
    let rules = policy_server::rules_of(rules).expect("rules");
    std::thread::spawn(move || drop(policy_server::serve(&listener, rules)));
    let hook = json!({"type": "http", "url": url, "onFailure": "block"});
    crate::env_with(&json!({"hooks": {"PreToolUse": [{"hooks": [hook]}]}}).to_string())
}

// rules: H5, P6
#[test]
fn the_policy_server_in_rust_looks_into_shell_lines() {
    let env = guarded_by("# for all projects\nBash(git push --force *)\n\nWrite(**/*.pem)\n");
    for (tool, field, value, code) in [
        ("Bash", "command", "git push", 0),
        ("Bash", "command", "cd x && sudo git push --force origin main", 2),
        ("Bash", "command", "$TOOL push --force", 2),
        ("Bash", "command", "echo git push --force", 0),
        ("Write", "file_path", "keys/server.pem", 2),
        ("Write", "file_path", "keys/server.txt", 0),
    ] {
        let set = format!("tool_input.{field}={value}");
        let ended = env.becket(["fire", "PreToolUse", "--tool", tool, "--set", &set, "--json"]).run();
        assert_eq!(ended.code, Some(code), "{value}: {ended:?}");
        let report: Value = serde_json::from_str(&ended.stdout).expect("a report");
        assert_eq!(report["hooks"][0]["status"], if code == 0 { "success" } else { "blocked" }, "{report}");
    }
}

#[test]
fn the_policy_server_in_rust_refuses_what_it_can_not_read() {
    assert!(policy_server::rules_of("Bash(git push").is_err());
    let env = guarded_by("Bash(git push *)");
    let settings = env.project().join(".claude/settings.json");
    let other =
        std::fs::read_to_string(&settings).expect("settings").replace("PreToolUse", "UserPromptSubmit");
    std::fs::write(&settings, other).expect("settings can be written");
    let ended = env.becket(["fire", "UserPromptSubmit", "--set", "prompt=hello"]).run();
    assert!(ended.stdout.contains("400 Bad Request: `the input has no tool_name`"), "{ended:?}");
    assert_eq!(ended.code, Some(2), "{ended:?}");
}
