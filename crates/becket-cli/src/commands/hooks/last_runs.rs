//! The last runs of a hook, from the records of the project.

use super::choice::Choice;
use crate::env::Surroundings;
use crate::recording;
use becket_engine::config::HookBudget;
use becket_fire::times::hook_name;
use becket_lab::profile::{Profile, ProfileReport};
use jiff::Timestamp;
use std::path::Path;

/// The maximum number of runs that are shown.
const MOST: usize = 5;

/// Returns the recorded times of the project's hooks; `None` if nothing is recorded.
pub(super) fn recorded(project: &Path, around: &Surroundings) -> Option<ProfileReport> {
    let (_, log) = recording::log_of(project, around)?;
    let mut profile = Profile::default();
    profile.read(&log).ok().filter(|()| log.is_file())?;
    Some(profile.report(&HookBudget::default()))
}

/// Returns a line for each of the last runs of a hook, the newest first.
pub(super) fn of(choice: &Choice<'_>, recorded: Option<&ProfileReport>) -> String {
    let Some(recorded) = recorded else {
        return "  last runs: not recorded; set `BECKET_PROFILE=1` to record them\n\n".to_owned();
    };
    let label = &choice.hook.hook.label;
    let name = hook_name::of_command(label).unwrap_or_else(|| label.clone());
    let events = recorded.timeline.iter().rev().filter(|event| event.event == choice.event);
    let runs = events
        .flat_map(|event| event.runs.iter().filter(|run| run.hook == name).map(move |run| (event, run)));
    let lines: String = runs
        .take(MOST)
        .map(|(event, run)| {
            let subject = event.subject.as_deref().unwrap_or_default();
            format!("    {}  {:>8.1} ms  {}  {subject}\n", moment(event.at), run.elapsed, run.status)
        })
        .collect();
    if lines.is_empty() {
        "  last runs: none recorded\n\n".to_owned()
    } else {
        format!("  last runs:\n{lines}\n")
    }
}

/// Formats a time in UTC, without fractions of a second.
fn moment(milliseconds: f64) -> String {
    let moment = Timestamp::from_second((milliseconds / 1_000.0) as i64);
    moment.map(|moment| moment.to_string()).unwrap_or_default()
}
