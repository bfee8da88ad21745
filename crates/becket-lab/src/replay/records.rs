//! Records of a transcript about a handler's answer to an event.

use super::word;
use crate::handler_name;
use crate::transcript::{RecordedAnswer, RecordedEvent, RecordedOutput};
use becket_engine::handler::{Action, Command, Handler};
use becket_fire::times::hook_name;

/// The record of a handler's run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Record {
    /// The answer.
    Word(&'static str),
    /// No record: it passed silently, or did not run.
    Silent,
    /// Unknown: it is only recorded that it ran, or another handler denied, and of several denials one is
    /// recorded.
    Unknown,
}

/// A run that is compared with its record.
#[derive(Debug, Clone, Copy)]
pub(super) struct ReplayedRun<'a> {
    pub(super) handler: &'a Handler,
    /// The text of its answer, with the paths of the recording.
    pub(super) reason: Option<&'a str>,
    /// True if no other handler ran.
    pub(super) is_alone: bool,
}

/// Returns the record of a run.
pub(super) fn of(run: ReplayedRun<'_>, event: &RecordedEvent) -> Record {
    let is_named =
        |answer: &&RecordedAnswer| answer.command.as_ref().is_some_and(|command| is_of(run.handler, command));
    let record = named(event, event.answers.iter().filter(is_named));
    if record != Record::Silent {
        return record;
    }
    for answer in &event.answers {
        match (&answer.command, &answer.output) {
            (None, RecordedOutput::Denied { reason }) if run.is_alone || run.reason == Some(reason) => {
                return Record::Word("deny");
            }
            (_, RecordedOutput::Denied { .. }) => return Record::Unknown,
            (_, RecordedOutput::Printed { .. } | RecordedOutput::Cancelled | RecordedOutput::Ran) => {}
        }
    }
    Record::Silent
}

/// Returns the record for the answers of one handler.
fn named<'a>(event: &RecordedEvent, answers: impl Iterator<Item = &'a RecordedAnswer>) -> Record {
    let mut record = Record::Silent;
    for answer in answers {
        match word::of_record(event.kind, &answer.output) {
            // An answer may be recorded twice, as the output of a process and as its effect.
            Some(word) if !matches!(record, Record::Word(known) if known != "pass") => {
                record = Record::Word(word)
            }
            Some(_) => {}
            None if record == Record::Silent => record = Record::Unknown,
            None => {}
        }
    }
    record
}

/// Returns whether a recorded command is that of a handler. Its variables may be expanded.
pub(super) fn is_of(handler: &Handler, command: &str) -> bool {
    let is_same = match &handler.action {
        Action::Command(Command::Shell { script, .. }) => script.trim() == command.trim(),
        Action::Command(Command::Exec { .. })
        | Action::Http(_)
        | Action::McpTool(_)
        | Action::Prompt(_)
        | Action::Agent(_)
        | Action::Callback(_) => *handler.place.label == *command,
    };
    is_same || {
        let own = handler_name::words(handler);
        let recorded = hook_name::words(command);
        let base = |word: &String| word.rsplit(['/', '\\']).next().unwrap_or(word).to_owned();
        !own.is_empty() && own.iter().map(base).eq(recorded.iter().map(base))
    }
}
