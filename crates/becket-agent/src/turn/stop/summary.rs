//! A summary of the hooks at the end of a turn (L8).

use crate::hook_messages;
use crate::update::{Level, Notice, StopSummary};
use becket_engine::{Outcome, Run};

/// Returns the summary; `None` if no hook ran.
pub(super) fn summary(outcome: &Outcome, prevented: Option<String>) -> Option<StopSummary> {
    if outcome.runs.is_empty() {
        return None;
    }
    let of = |run: &Run| (run.handler.place.label.to_string(), run.elapsed);
    Some(StopSummary {
        event: outcome.verdict.event,
        hooks: outcome.runs.iter().map(|run| of(run)).collect(),
        errors: outcome.runs.iter().filter_map(|run| error(run)).chain(blocks(outcome)).collect(),
        prevented,
        had_output: outcome.runs.iter().any(|run| run.printed.stdout + run.printed.stderr > 0),
        id: uuid::Uuid::new_v4().to_string(),
    })
}

/// Returns the error of a run: its stderr, or its failure.
fn error(run: &Run) -> Option<String> {
    let failure = run.failure.as_ref()?;
    let stderr = String::from_utf8_lossy(&run.stderr);
    let text = match stderr.trim() {
        "" => failure.to_string(),
        stderr => stderr.to_owned(),
    };
    Some(format!("`{}`: {text}", run.handler.place.label))
}

/// Returns the texts of hooks that have made the model continue.
fn blocks(outcome: &Outcome) -> impl Iterator<Item = String> + '_ {
    hook_messages::blocks(&outcome.verdict)
        .iter()
        .map(|said| format!("`{}`: {}", said.label, said.what.text.trim()))
}

/// Returns one notice about all errors, which says so if something went unchecked (O10).
pub(super) fn notice(hook: &str, outcome: &Outcome, summary: &StopSummary) -> Option<Notice> {
    let unchecked = outcome.verdict.unchecked().next().is_some();
    if summary.errors.is_empty() && !unchecked {
        return None;
    }
    let failed = outcome.runs.iter().any(|run| run.failure.is_some());
    if !failed && !unchecked {
        // The model gets the complete text; a reader of the summary gets the first lines.
        let reasons: Vec<String> = summary.errors.iter().map(|error| first_line(error)).collect();
        let text = format!("blocked by {}", reasons.join("; "));
        return Some(Notice { level: Level::Notice, hook: Some(hook.to_owned()), text, unchecked });
    }
    let errors = summary.errors.join("\n");
    let unsaid = if unchecked { ", so it was not checked whether the turn may end" } else { "" };
    let text = format!("a hook at the end of the turn failed{unsaid}: {errors}");
    Some(Notice { level: Level::Warning, hook: Some(hook.to_owned()), text, unchecked })
}

/// Returns the first line of a text, with an ellipsis if there are more.
fn first_line(text: &str) -> String {
    match text.trim().split_once('\n') {
        Some((first, _)) => format!("{} …", first.trim_end()),
        None => text.trim().to_owned(),
    }
}
