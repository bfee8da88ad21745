//! The reason why a handler does not run: the stage that dropped it, and a message.

use crate::config::handler::Handler;
use becket_model::{EventKind, Source};
use becket_rules::MatcherKind;
use std::fmt;
use std::sync::Arc;

/// The message that a URL is closed to its handler (H5).
pub(crate) const URL_NOT_ALLOWED: &str = "its URL matches no pattern of `allowedHttpHookUrls`";

/// A handler that is configured for an event and does not run for it.
#[derive(Debug, Clone)]
pub struct SkippedHandler {
    /// The handler.
    pub handler: Arc<Handler>,
    /// The reason.
    pub why: SkipReason,
}

/// The stage at which a handler was dropped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Stage {
    /// Hooks are switched off (G1, G2).
    Disabled,
    /// A policy or the way in which the host was started excludes it (G2, H5).
    Policy,
    /// The workspace is not trusted (G3).
    Trust,
    /// It belongs to another agent of the session (C10).
    Scope,
    /// Its matcher does not match (M1–M7).
    Matcher,
    /// Its `if` does not match, or is on an event that has none (P6, P12).
    If,
    /// Another handler does the same (H1).
    Duplicate,
    /// It runs Becket on the same hooks again (H14).
    Recursion,
    /// It has already run once (C11).
    Once,
    /// It could not be loaded (C7).
    Schema,
}

impl Stage {
    /// Returns the word that `explain` prints for this stage.
    pub const fn as_str(self) -> &'static str {
        match self {
            Stage::Disabled => "disabled",
            Stage::Policy => "policy",
            Stage::Trust => "trust",
            Stage::Scope => "scope",
            Stage::Matcher => "matcher",
            Stage::If => "if",
            Stage::Duplicate => "duplicate",
            Stage::Recursion => "recursion",
            Stage::Once => "once",
            Stage::Schema => "schema",
        }
    }
}

/// The reason, with the data for its message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SkipReason {
    /// Managed settings set `disableAllHooks`.
    DisabledByPolicy,
    /// Another source sets `disableAllHooks`.
    Disabled {
        /// The source.
        by: Source,
    },
    /// Managed settings set `allowManagedHooksOnly`.
    ManagedOnly,
    /// Managed settings set `strictPluginOnlyCustomization`.
    PluginsOnly,
    /// Its URL is not in `allowedHttpHookUrls` (H5).
    UrlNotAllowed,
    /// The host was started bare.
    Bare,
    /// The host was started in safe mode.
    SafeMode,
    /// The workspace is not trusted.
    Untrusted,
    /// It belongs to another agent.
    OtherAgent,
    /// It is an `agent` handler, and the event comes from inside one (H8).
    InsideHookAgent,
    /// Its matcher does not match.
    Matcher {
        /// The value that it was tested against.
        subject: Arc<str>,
    },
    /// Its `if` does not match.
    If {
        /// The reason, as a message.
        reason: String,
    },
    /// The event has no tool call for an `if`.
    IfNeverRuns,
    /// It has no `if`, and the event is about a program that a call executes (E4).
    NoCondition,
    /// Another handler does the same and is at least as strict.
    Duplicate {
        /// The source of that handler.
        source: Source,
        /// The label of that handler.
        label: Arc<str>,
    },
    /// It is a call of `becket fire --stdin-event` on the same hooks.
    RunsBecket,
    /// It ran successfully once.
    OnceDone,
}

impl SkipReason {
    /// Returns the stage that this reason belongs to.
    pub const fn stage(&self) -> Stage {
        match self {
            SkipReason::DisabledByPolicy | SkipReason::Disabled { .. } => Stage::Disabled,
            SkipReason::ManagedOnly
            | SkipReason::PluginsOnly
            | SkipReason::UrlNotAllowed
            | SkipReason::Bare
            | SkipReason::SafeMode => Stage::Policy,
            SkipReason::Untrusted => Stage::Trust,
            SkipReason::OtherAgent | SkipReason::InsideHookAgent => Stage::Scope,
            SkipReason::Matcher { .. } => Stage::Matcher,
            SkipReason::If { .. } | SkipReason::IfNeverRuns | SkipReason::NoCondition => Stage::If,
            SkipReason::Duplicate { .. } => Stage::Duplicate,
            SkipReason::RunsBecket => Stage::Recursion,
            SkipReason::OnceDone => Stage::Once,
        }
    }
}

impl fmt::Display for SkippedHandler {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.why {
            SkipReason::DisabledByPolicy => f.write_str("managed settings say `disableAllHooks: true`"),
            SkipReason::Disabled { by } => write!(f, "`disableAllHooks: true` in the {by} settings"),
            SkipReason::ManagedOnly => f.write_str("managed settings say `allowManagedHooksOnly: true`"),
            SkipReason::PluginsOnly => {
                f.write_str("managed settings leave hooks to plugins (`strictPluginOnlyCustomization`)")
            }
            SkipReason::UrlNotAllowed => f.write_str(URL_NOT_ALLOWED),
            SkipReason::Bare => f.write_str("a bare start runs only hooks of the command line and the host"),
            SkipReason::SafeMode => f.write_str("safe mode runs only managed hooks"),
            SkipReason::Untrusted => f.write_str("the workspace is not trusted yet, so nothing runs in it"),
            SkipReason::OtherAgent => f.write_str("it belongs to another agent of the session"),
            SkipReason::InsideHookAgent => {
                f.write_str("no `agent` hook is started for what an `agent` hook does")
            }
            SkipReason::Matcher { subject } => mismatch(f, &self.handler, subject),
            SkipReason::If { reason } => f.write_str(reason),
            SkipReason::IfNeverRuns => if_never_runs(f, self.handler.event),
            SkipReason::NoCondition => {
                f.write_str("only hooks with an `if` run for a program that a line executes")
            }
            SkipReason::Duplicate { source, label } => {
                write!(f, "does the same as `{label}` ({source}), which runs")
            }
            SkipReason::RunsBecket => f.write_str(
                "it is Becket itself, and would run these hooks again; \
                 `becket --profile becket fire --stdin-event` runs those of `.becket/settings.json`",
            ),
            SkipReason::OnceDone => f.write_str("`once`: it has already run successfully"),
        }
    }
}

/// Writes `matcher "Bash|Wirte" does not match "Write"; did you mean "Bash|Write"?`
fn mismatch(f: &mut fmt::Formatter<'_>, handler: &Handler, subject: &str) -> fmt::Result {
    let text = handler.matcher.text();
    write!(f, "matcher \"{text}\" does not match \"{subject}\"")?;
    if let MatcherKind::Names(names) = handler.matcher.kind() {
        let candidates: Vec<&str> = names.iter().map(String::as_str).collect();
        if let Some(close) = becket_base::suggest(subject, &candidates) {
            let is_tool = |name: &str| becket_rules::tools::find(name).is_some();
            if is_tool(close) && !is_tool(subject) {
                write!(f, "; the tool is called \"{close}\"")?;
            } else {
                write!(f, "; did you mean \"{}\"?", text.replace(close, subject))?;
            }
        }
    }
    Ok(())
}

fn if_never_runs(f: &mut fmt::Formatter<'_>, event: EventKind) -> fmt::Result {
    write!(f, "`if` is evaluated on tool events only; on `{event}` a handler with `if` never runs")
}
