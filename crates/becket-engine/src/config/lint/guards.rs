//! Recognises guards: hooks that are meant to block something, and not only to record it.

use super::Entry;
use crate::config::handler::{Action, Command};
use becket_model::OnFailure;

/// Returns whether a handler shows that it is meant to block something: by its name, its exit code or its answer. A
/// hook that only records what happens may well run in the background.
pub(super) fn is_guard(entry: &Entry) -> bool {
    const NAMES: [&str; 10] = [
        "guard",
        "guards",
        "gate",
        "gatekeeper",
        "block",
        "blocker",
        "deny",
        "enforce",
        "enforcer",
        "protect",
    ];
    const ANSWERS: [&str; 5] = ["exit 2", "\"block\"", "\"deny\"", "\"ask\"", "permissionDecision"];
    let text = match &entry.handler.action {
        Action::Command(Command::Shell { script, .. }) => script.to_string(),
        Action::Command(Command::Exec { program, args }) => format!("{program} {}", args.join(" ")),
        Action::Http(_) | Action::McpTool(_) | Action::Prompt(_) | Action::Agent(_) | Action::Callback(_) => {
            return true;
        }
    };
    let mut words = text.split(|c: char| !c.is_ascii_alphanumeric());
    entry.handler.on_failure == OnFailure::Block
        || ANSWERS.iter().any(|answer| text.contains(answer))
        || words.any(|word| NAMES.contains(&word.to_ascii_lowercase().as_str()))
}
