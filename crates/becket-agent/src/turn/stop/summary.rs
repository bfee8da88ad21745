//! What the hooks at the end of a turn did, in one summary (L8).

use crate::update::{Level, Notice, StopSummary};
use becket_engine::{Outcome, Run};

/// The summary; `None` where no hook ran.
pub(super) fn summary(outcome: &Outcome, prevented: Option<String>) -> Option<StopSummary> {
    if outcome.runs.is_empty() {
        return None;
    }
    let of = |run: &Run| (run.handler.place.label.to_string(), run.elapsed);
    Some(StopSummary {
        event: outcome.verdict.event,
        hooks: outcome.runs.iter().map(|run| of(run)).collect(),
        errors: outcome.runs.iter().filter_map(|run| error(run)).collect(),
        prevented,
        had_output: outcome.runs.iter().any(|run| run.printed.stdout + run.printed.stderr > 0),
        id: uuid::Uuid::new_v4().to_string(),
    })
}

/// What went wrong in a run: its stderr, or how it failed.
fn error(run: &Run) -> Option<String> {
    let failure = run.failure.as_ref()?;
    let stderr = String::from_utf8_lossy(&run.stderr);
    let text = match stderr.trim() {
        "" => failure.to_string(),
        stderr => stderr.to_owned(),
    };
    Some(format!("`{}`: {text}", run.handler.place.label))
}

/// One notice of all that went wrong; says so where something went unchecked (O10).
pub(super) fn notice(hook: &str, outcome: &Outcome, summary: &StopSummary) -> Option<Notice> {
    let unchecked = outcome.verdict.unchecked().next().is_some();
    if summary.errors.is_empty() && !unchecked {
        return None;
    }
    let errors = summary.errors.join("\n");
    let unsaid = if unchecked { ", so it was not checked whether the turn may end" } else { "" };
    let text = format!("a hook at the end of the turn failed{unsaid}: {errors}");
    Some(Notice { level: Level::Warning, hook: Some(hook.to_owned()), text, unchecked })
}
