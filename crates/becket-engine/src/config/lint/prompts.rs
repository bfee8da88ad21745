//! Lints on the text of a prompt: a reply of another shape than the one that is read (H7).

use super::Entry;
use crate::config::handler::Action;
use crate::config::source::report::Report;

pub(super) fn lint(entry: &Entry, report: &mut Report<'_>) {
    let text = match &entry.handler.action {
        Action::Prompt(prompt) | Action::Agent(prompt) => prompt.prompt.as_str(),
        Action::Command(_) | Action::Http(_) | Action::McpTool(_) | Action::Callback(_) => return,
    };
    let Some(object) = asked_for(text) else { return };
    if object.contains("\"ok\"") {
        return;
    }
    let at = report.part_of(entry.handler.action_span, text, object);
    let message = "this asks for a reply in another shape than the one that is read";
    report
        .warning(at, "prompt-asks-for-other-reply", message)
        .help("ask for `{\"ok\": true}` or `{\"ok\": false, \"reason\": \"…\"}`")
        .rule("H7");
}

/// The first JSON object of a text that looks like a decision.
fn asked_for(text: &str) -> Option<&str> {
    const DECISIONS: [&str; 7] = [
        "\"decision\"",
        "\"permissionDecision\"",
        "\"behavior\"",
        "\"approve\"",
        "\"action\"",
        "\"allow\"",
        "\"continue\"",
    ];
    text.match_indices('{').find_map(|(at, _)| {
        let rest = text.get(at..)?;
        let object = rest.get(..=rest.find('}')?)?;
        DECISIONS.iter().any(|key| object.contains(key)).then_some(object)
    })
}
