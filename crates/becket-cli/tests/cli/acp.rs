//! `becket acp`: an editor and an agent that follow scripts, the proxy between them, real pipes.

mod editor;
mod ends;
mod permissions;
mod turns;

use crate::env_with;
use becket_testkit::env::TestEnv;
use serde_json::{Value, json};

/// A project with rules and hooks.
fn guarded(permissions: &Value, hooks: &Value) -> TestEnv {
    env_with(&json!({"permissions": permissions, "hooks": hooks}).to_string())
}

/// Hooks on one event, each a shell line.
fn hook(event: &str, matcher: &str, command: &str) -> Value {
    json!({event: [{"matcher": matcher, "hooks": [{"type": "command", "command": command}]}]})
}

/// A shell line that prints the answer of a PreToolUse hook.
fn deciding(decision: &str, reason: &str) -> String {
    let answer = json!({"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": decision, "permissionDecisionReason": reason}});
    format!("cat >/dev/null; echo '{answer}'")
}
