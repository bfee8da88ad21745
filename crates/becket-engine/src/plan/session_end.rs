//! The one budget that all handlers of SessionEnd share (H11).

use crate::host::environment::Environment;
use crate::host::profile::Profile;
use crate::plan::Plan;
use becket_model::table::HandlerKind;
use becket_model::{EventKind, Source};
use std::time::Duration;

/// The longest budget that the configuration can set.
const MOST: Duration = Duration::from_secs(60);

/// Returns the budget of the planned event; `None` on every event except SessionEnd.
pub(crate) fn budget(plan: &Plan, environment: &Environment, profile: &Profile) -> Option<Duration> {
    if plan.event() != EventKind::SessionEnd {
        return None;
    }
    if let Some(set) = environment
        .var(profile.session_var("SESSIONEND_HOOKS_TIMEOUT_MS"))
        .or_else(|| environment.var(format!("{}_CODE_SESSIONEND_HOOKS_TIMEOUT_MS", profile.prefix)))
        .and_then(|text| text.to_str()?.parse().ok())
    {
        return Some(Duration::from_millis(set));
    }
    let by_table = EventKind::SessionEnd.spec().default_timeout(HandlerKind::Command);
    let least = profile.default_timeout.or(by_table).unwrap_or(MOST);
    let largest = plan
        .runs()
        .iter()
        .map(|run| &run.handler)
        .filter(|handler| handler.timeout.configured && is_settings(&handler.place.source))
        .map(|handler| handler.timeout.limit)
        .max();
    Some(largest.unwrap_or(least).max(least).min(MOST))
}

fn is_settings(source: &Source) -> bool {
    match source {
        Source::Policy | Source::User | Source::Project | Source::Local | Source::Flag => true,
        Source::Plugin(_) | Source::Skill(_) | Source::Agent(_) | Source::Callback | Source::Function => {
            false
        }
    }
}
