//! Programs that drive `becket run` over stdin and stdout: the public Agent SDKs, and a host with its own implementation of
//! the control protocol.

mod agent_servers;
mod arguments;
mod bad_hosts;
mod delivered;
mod elicit;
mod gone;
mod hooks;
mod host;
mod job;
mod lines;
mod node;
mod options;
mod package;
mod permissions;
mod plugins;
mod python;
mod rejected;
mod requests;
mod resources;
mod servers;
mod session_options;
mod stored;
mod streams;
mod structured;
mod task_ends;
mod turn_end;
mod typed;
mod wishes;

use becket_testkit::env::TestEnv;
use serde_json::{Value, json};

/// Creates a place with settings of the user, and a script instead of a model.
fn place(program: &str, settings: &Value, turns: &Value) -> TestEnv {
    let env = TestEnv::new(program);
    env.write("home/.claude/settings.json", settings.to_string());
    env.write("project/script.json", json!({"turns": turns}).to_string());
    env
}

/// Returns a call of Bash, as the model makes it.
fn bash(id: &str, command: &str) -> Value {
    json!({"id": id, "name": "Bash", "input": {"command": command}})
}
