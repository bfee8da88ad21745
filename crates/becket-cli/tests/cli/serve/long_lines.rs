//! Clients with commands whose analysis is slow.

use super::client::on_socket_with;
use super::{BECKET, bash};
use becket_testkit::env::TestEnv;
use serde_json::{Value, json};

const LINES: usize = 12;

/// Creates a place with 1,000 rules.
fn with_rules() -> TestEnv {
    let env = TestEnv::new(BECKET);
    let rule = |at: usize| match at % 2 {
        0 => format!("Bash(*tool{at} push*)"),
        _ => format!("Read(secrets{at}/**)"),
    };
    let rules: Vec<String> = (0..1_000).map(rule).collect();
    let hook = json!({"type": "command", "command": "true", "if": "Bash(nothing *)"});
    let settings = json!({"permissions": {"deny": rules}, "hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [hook]}]}});
    env.write("home/.claude/settings.json", settings.to_string());
    env
}

fn fire(line: &str) -> Value {
    json!({"session": "s", "event": "PreToolUse", "input": bash(line)})
}

// rule: P6
#[test]
fn long_commands_of_one_client_hold_up_no_other() {
    let env = with_rules();
    // One thread serves all clients.
    let serving = on_socket_with(&env, &[], &[("TOKIO_WORKER_THREADS", "1")]);
    let (mut busy, mut other) = (serving.client(), serving.client());
    for client in [&mut busy, &mut other] {
        client.opens(&env.project(), "s", json!({}));
    }
    let commands: String = (0..).map(|at| format!("c{at};")).take(2_500).collect();
    let long = fire(&commands[..9_990]);
    let ids: Vec<u64> = (0..LINES).map(|_| busy.request("event/fire", long.clone())).collect();
    busy.result_of(ids[0]);
    // While the long lines are processed, the other client is answered.
    other.asks("event/fire", fire("ls"));
    assert!(!busy.has_come(ids[LINES - 1]), "the other client has waited for the last of them");
    for id in &ids[1..] {
        busy.result_of(*id);
    }
}
