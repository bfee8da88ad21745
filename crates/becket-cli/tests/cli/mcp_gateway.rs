//! `becket mcp gateway`, between a library's MCP client and real servers.

mod agent;
mod ends;
mod hooks;
mod lists;

use crate::mcp::server;
use crate::{env_with, workspace};
use becket_testkit::env::TestEnv;
use serde_json::{Value, json};

/// Returns the servers: `s` logs its input, `notes` is the example.
fn servers(env: &TestEnv, flags: &[&str]) -> Value {
    let mut entry = server(flags);
    entry["env"] = json!({ "LOG": env.root().join("log") });
    let notes = workspace().join("examples/mcp-server-python/notes_server.py");
    json!({"s": entry, "notes": {"command": "python3", "args": [notes]}})
}

/// Returns the messages that the server `s` received.
fn log(env: &TestEnv) -> String {
    std::fs::read_to_string(env.root().join("log")).unwrap_or_default()
}

/// Returns the number of calls that reached the server `s`.
fn calls(env: &TestEnv) -> usize {
    log(env).lines().filter(|line| line.contains("\"tools/call\"")).count()
}

/// Creates a project with rules and hooks.
fn guarded(permissions: &Value, hooks: &Value) -> TestEnv {
    env_with(&json!({"permissions": permissions, "hooks": hooks}).to_string())
}

/// Returns a hook that prints an answer.
fn hook(event: &str, matcher: &str, answer: &Value) -> Value {
    let command = format!("cat >/dev/null; echo '{answer}'");
    json!({event: [{"matcher": matcher, "hooks": [{"type": "command", "command": command}]}]})
}

/// Returns the answer of a PreToolUse hook.
fn decision(decision: &str, reason: &str) -> Value {
    json!({"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": decision, "permissionDecisionReason": reason}})
}
