//! The guards to start with.

use crate::args::TemplateName;

const MINIMAL: [&str; 3] = ["protected-branches", "destructive-commands", "secrets"];
const STANDARD: [&str; 7] = [
    "protected-branches",
    "destructive-commands",
    "secrets",
    "protected-paths",
    "prompt-secrets",
    "session-context",
    "tests-before-stop",
];
const STRICT: [&str; 11] = [
    "protected-branches",
    "destructive-commands",
    "secrets",
    "protected-paths",
    "prompt-secrets",
    "session-context",
    "tests-before-stop",
    "ask-before-deploy",
    "ask-before-install",
    "commit-messages",
    "no-network",
];

/// Returns the guards of a template.
pub(super) const fn guards(template: TemplateName) -> &'static [&'static str] {
    match template {
        TemplateName::Minimal => &MINIMAL,
        TemplateName::Standard => &STANDARD,
        TemplateName::Strict => &STRICT,
    }
}
