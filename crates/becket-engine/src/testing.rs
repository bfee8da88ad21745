//! Handlers for this crate's own tests.

use crate::config::Rollout;
use crate::config::handler::{Action, Background, Command, Handler, If, Location, Shell, Timeout, Warm};
use becket_model::{Enforcement, EventKind, HandlerOrigin, OnFailure, Privileges, Source};
use becket_rules::{Alphabet, Matcher, Renames};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// Returns a command of the user's settings on PreToolUse that matches everything.
pub(crate) fn command(script: &str) -> Handler {
    from(Source::User, script)
}

/// Returns such a command from another source.
pub(crate) fn from(source: Source, script: &str) -> Handler {
    Handler {
        event: EventKind::PreToolUse,
        place: HandlerOrigin {
            position: 0,
            source,
            label: script.into(),
            privileges: Privileges::Full,
            on_failure: OnFailure::Continue,
            enforcement: Enforcement::Enforce,
        },
        location: Location { file: Arc::from(Path::new("/settings.json")), line: 1, column: 1 },
        matcher: matcher(None),
        condition: If::Absent,
        anchor: "/".into(),
        timeout: Timeout { limit: Duration::from_secs(60), configured: false },
        status_message: None,
        once: None,
        background: Background::No,
        rollout: Rollout::default(),
        questions: false,
        worker: false,
        warm: Warm::Off,
        agent_scope: None,
        root: None,
        action: Action::Command(Command::Shell { script: script.into(), shell: Shell::Default }),
    }
}

/// Returns a matcher of the wide alphabet.
pub(crate) fn matcher(text: Option<&str>) -> Matcher {
    Matcher::compile(text, Alphabet::Wide, &Renames::tools()).unwrap()
}
