//! Programs that run the engine as a sidecar: clients of `becket serve`.

mod bad_input;
mod callbacks;
mod cancelled;
pub(crate) mod client;
mod gone;
mod http;
mod long;
mod long_lines;
mod many;
mod methods;
mod place;
mod protocol_cases;
mod questions;
mod schema;
mod servers;
mod slow;

use becket_testkit::env::TestEnv;
use serde_json::{Value, json};

const BECKET: &str = env!("CARGO_BIN_EXE_becket");

/// Creates a place whose user has one hook, a command.
fn with_hook(event: &str, handler: Value) -> TestEnv {
    let env = TestEnv::new(BECKET);
    let settings = json!({"hooks": {event: [{"hooks": [handler]}]}});
    env.write("home/.claude/settings.json", settings.to_string());
    env
}

/// Returns a hook that is a command.
fn command(line: &str) -> Value {
    json!({"type": "command", "command": line})
}

/// Returns the input of a call of Bash.
fn bash(line: &str) -> Value {
    json!({"tool_name": "Bash", "tool_use_id": "call-1", "tool_input": {"command": line}})
}
