//! A toy agent that asks its hooks before each tool call: `cargo run -p becket-engine --example embed`.

#![expect(clippy::print_stdout, reason = "an example shows what it does")]

use becket_engine::{Decision, Engine, Environment};
use becket_model::event::tool::PreToolUse;
use becket_model::{Event, Session};
use serde_json::json;

/// The guard: the author of this file decides what the agent may do.
const SETTINGS: &str = r#"{"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [{
    "type": "command",
    "if": "Bash(rm *)",
    "command": "echo 'this agent removes nothing' >&2; exit 2"
}]}]}}"#;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let engine = Engine::builder()
        .environment(Environment::empty().with_var("PATH", "/usr/bin:/bin"))
        .start_dir(std::env::current_dir()?)
        .settings_text(SETTINGS)
        .build()?;
    for command in ["ls -la", "sudo rm -rf /", "sh -c 'rm x'"] {
        println!("{command:<16} {}", call_tool(&engine, command).await?);
    }
    engine.close().await;
    Ok(())
}

/// Guards one tool call; returns the text for the agent's model.
async fn call_tool(engine: &Engine, command: &str) -> Result<String, Box<dyn std::error::Error>> {
    let session = Session::new("demo", "/tmp/demo.jsonl", std::env::current_dir()?);
    let input = json!({ "command": command });
    let event = Event::new(
        session,
        PreToolUse::new("Bash".into(), input.as_object().cloned().unwrap_or_default(), "toolu_1".into()),
    );
    let outcome = engine.fire(&event).await;
    let because = outcome.reason().unwrap_or_default();
    Ok(match outcome.decision() {
        Decision::Proceed => "runs".into(),
        Decision::Block => format!("denied: {because}"),
        Decision::Wait => format!("asks first: {because}"),
    })
}
