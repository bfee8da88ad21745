//! Records of a transcript about a handler's answer to an event.

use super::word;
use crate::handler_name;
use crate::transcript::RecordedEvent;
use becket_engine::handler::{Action, Command, Handler};
use becket_fire::times::hook_name;

/// The record of a handler's run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Record {
    /// Its answer.
    Word(&'static str),
    /// It ran.
    Ran,
    /// Nothing: it passed silently, or did not run.
    Silent,
}

/// Returns the record of a handler.
pub(super) fn of(handler: &Handler, event: &RecordedEvent) -> Record {
    let mut record = Record::Silent;
    for answer in event.answers.iter().filter(|answer| is_of(handler, &answer.command)) {
        match word::of_record(event.kind, &answer.output) {
            // An answer may be recorded twice, as the output of a process and as its effect.
            Some(word) if !matches!(record, Record::Word(known) if known != "pass") => {
                record = Record::Word(word)
            }
            Some(_) => {}
            None if record == Record::Silent => record = Record::Ran,
            None => {}
        }
    }
    record
}

/// Returns whether a recorded command is that of a handler. Variables may be filled in there.
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
