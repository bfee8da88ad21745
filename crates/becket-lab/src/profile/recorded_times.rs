//! The times that a transcript has.

use crate::transcript::{RecordedAnswer, RecordedEvent, RecordedOutput};
use becket_fire::times::{RunTime, TimeRecord, VERSION, hook_name};

/// Converts a recorded event if its transcript has times; `None` if it has none.
pub(super) fn of(event: &RecordedEvent) -> Option<TimeRecord> {
    let runs: Vec<RunTime> = event.answers.iter().filter_map(run).collect();
    // Agents run the hooks of an event at the same time.
    let us = runs.iter().map(|run| run.us).max()?;
    Some(TimeRecord {
        version: VERSION,
        host: "transcript".to_owned(),
        at: event.time.and_then(|time| u64::try_from(time.as_microsecond()).ok()).unwrap_or_default(),
        session: event.session().to_owned(),
        event: event.kind.name().to_owned(),
        subject: event.tool().map(str::to_owned),
        us,
        runs,
    })
}

fn run(answer: &RecordedAnswer) -> Option<RunTime> {
    let name = answer.command.as_deref().and_then(hook_name::of_command);
    Some(RunTime {
        hook: name.unwrap_or_else(|| "hook".to_owned()),
        place: String::new(),
        status: status(&answer.output).to_owned(),
        from: 0,
        us: u64::try_from(answer.elapsed?.as_micros()).unwrap_or(u64::MAX),
        background: false,
    })
}

fn status(output: &RecordedOutput) -> &'static str {
    match output {
        RecordedOutput::Printed { exit: 0, .. } | RecordedOutput::Ran => "success",
        RecordedOutput::Printed { exit: 2, .. } | RecordedOutput::Denied { .. } => "blocked",
        RecordedOutput::Printed { .. } => "error",
        RecordedOutput::Cancelled => "cancelled",
    }
}
