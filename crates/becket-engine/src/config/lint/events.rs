//! Lints on handlers that do not fit their event: nothing to watch, limits without effect.

use super::{Around, At, Entry};
use crate::config::fix::{Fix, FixChange};
use crate::config::source::report::Report;
use becket_model::EventKind;
use becket_rules::MatcherKind;
use std::time::Duration;

/// The time that the hooks of a plugin share at the end of a session, whatever their `timeout` says.
const PLUGIN_SESSION_END: Duration = Duration::from_millis(1500);

pub(super) fn lint(entry: &Entry, around: &Around<'_>, report: &mut Report<'_>) {
    if entry.event == EventKind::FileChanged && matches!(entry.matcher.kind(), MatcherKind::Everything) {
        let message =
            "without a matcher nothing is watched, so this hook runs only for paths that another hook adds";
        report
            .warning(entry.handler.action_span, "nothing-watched", message)
            .help("name the files: `\"matcher\": \".env|package.json\"`")
            .rule("M8");
    }
    // Other agents wait as long as they say.
    if entry.event == EventKind::SessionEnd
        && around.of_plugin
        && around.agent.is_none()
        && let Some(timeout) =
            entry.handler.timeout.as_ref().filter(|timeout| timeout.value > PLUGIN_SESSION_END)
    {
        let message = "`timeout` can't extend the end of a session: the hooks of a plugin share 1.5 s";
        let variable = around.profile.session_var("SESSIONEND_HOOKS_TIMEOUT_MS");
        report
            .warning(timeout.span, "timeout-without-effect", message)
            .help(format!("remove it; the user can raise `{variable}`"))
            .rule("H11")
            .fix(Fix::safe(timeout.span, "remove `timeout`", FixChange::RemoveMember("timeout")));
    }
}

/// Events that never occur within a subagent.
const OF_SESSIONS: [EventKind; 5] = [
    EventKind::Setup,
    EventKind::SessionStart,
    EventKind::SessionEnd,
    EventKind::UserPromptSubmit,
    EventKind::UserPromptExpansion,
];

/// Hooks in the frontmatter of an agent for an event of sessions: a subagent has none (C10, L0).
pub(super) fn lint_of_agent(event: &At<EventKind>, report: &mut Report<'_>) {
    let At { value, span } = event;
    if !OF_SESSIONS.contains(value) {
        return;
    }
    let message = format!(
        "a subagent has no `{value}`: these hooks run only in a session that works as the agent (`--agent`)"
    );
    report
        .warning(*span, "event-not-in-subagent", message)
        .help(
            "write them into the settings, under `SubagentStart`, with the name of the agent as the matcher",
        )
        .rule("C10");
}
