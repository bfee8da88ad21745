//! `becket acp`: a scripted editor and a scripted agent, with the proxy between them and real pipes.

mod editor;
mod ends;
mod permissions;
mod turns;

use crate::env_with;
use becket_testkit::env::TestEnv;
use serde_json::{Value, json};

/// Creates a project with rules and hooks.
fn guarded(permissions: &Value, hooks: &Value) -> TestEnv {
    env_with(&json!({"permissions": permissions, "hooks": hooks}).to_string())
}

/// Returns hooks on one event, each a shell line.
fn hook(event: &str, matcher: &str, command: &str) -> Value {
    json!({event: [{"matcher": matcher, "hooks": [{"type": "command", "command": command}]}]})
}

/// Returns a shell line that prints the answer of a PreToolUse hook.
fn deciding(decision: &str, reason: &str) -> String {
    let answer = json!({"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": decision, "permissionDecisionReason": reason}});
    format!("cat >/dev/null; echo '{answer}'")
}
