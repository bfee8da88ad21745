//! The names of lines and of hooks in the output.

use becket_model::{Event, EventKind};

/// Generates the ids of lines and hooks.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Ids(fn() -> String);

impl Ids {
    /// Creates a generator of random ids.
    pub(crate) fn random() -> Self {
        Ids(|| uuid::Uuid::new_v4().to_string())
    }

    /// Creates a generator of deterministic ids, for tests.
    #[cfg(test)]
    pub(crate) fn fixed() -> Self {
        Ids(|| "uuid".to_owned())
    }

    /// Returns the next id.
    pub(crate) fn next(self) -> String {
        (self.0)()
    }
}

/// Returns the name of a hook in lines about its event: `PreToolUse:Bash`, `SessionStart:startup`, `Stop`.
pub(super) fn hook_name(event: &Event) -> String {
    // Hooks of these two events are named by the event alone.
    let is_bare = matches!(event.kind(), EventKind::UserPromptExpansion | EventKind::SubagentStop);
    match event.body.subject().filter(|_| !is_bare) {
        Some(subject) => format!("{}:{subject}", event.kind().name()),
        None => event.kind().name().to_owned(),
    }
}
