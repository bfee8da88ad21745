//! Becket as the one hook of an agent, in the agent's own configuration.

use becket_dialects::{Dialect, dialect};
use becket_proof::{Launch, Scratch};
use serde_json::{Map, Value, json};
use std::fs;
use std::path::Path;

/// Registers `becket fire --dialect` on every event of an agent.
///
/// # Errors
/// The agent has no such configuration, or it can't be written.
pub(super) fn register(
    name: &str,
    scratch: &Scratch<'_>,
    becket: &Path,
    launch: &mut Launch,
) -> Result<(), String> {
    let dialect = dialect(name).ok_or_else(|| format!("`{name}` is not a dialect"))?;
    let command = format!("{} fire --dialect {name}", becket.display());
    let file = match name {
        "claude" => {
            let file = scratch.home.join("hooks.json");
            launch.arguments.extend(["--settings".to_owned(), file.display().to_string()]);
            file
        }
        "codex" => scratch.home.join(".codex/hooks.json"),
        "gemini" => scratch.home.join(".gemini/settings.json"),
        "qwen" => scratch.home.join(".qwen/settings.json"),
        "droid" => scratch.home.join(".factory/settings.json"),
        _ => return Err(format!("becket can't be registered with `{name}`")),
    };
    let hooks = json!({"hooks": groups(dialect, &command)});
    let folder = file.parent().unwrap_or(scratch.home);
    fs::create_dir_all(folder).map_err(|error| error.to_string())?;
    fs::write(&file, format!("{hooks:#}\n")).map_err(|error| format!("`{}`: {error}", file.display()))
}

/// Groups of hooks in Claude Code's form.
fn groups(dialect: &Dialect, command: &str) -> Map<String, Value> {
    let limit = match dialect.timeout.unit {
        becket_dialects::TimeUnit::Seconds => 60,
        becket_dialects::TimeUnit::Milliseconds => 60_000,
    };
    let of = |native: &str| {
        let limit = if dialect.name == "codex" && native == "SessionEnd" { 3 } else { limit };
        json!([{"matcher": "*", "hooks": [{"type": "command", "name": "becket", "command": command, "timeout": limit}]}])
    };
    dialect.events.iter().map(|row| (row.native.to_owned(), of(row.native))).collect()
}
