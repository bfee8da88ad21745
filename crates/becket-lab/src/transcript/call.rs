//! The events of one tool call.

use super::reader::Transcript;
use super::recorded::RecordedEvent;
use becket_model::EventKind;
use std::io;
use std::path::Path;

/// Returns the events of the tool call with this id, in order; empty if the transcript does not have the call.
///
/// # Errors
/// Errors if the transcript can't be read.
pub fn events_of_call(path: &Path, id: &str) -> io::Result<Vec<RecordedEvent>> {
    let mut transcript = Transcript::open(path)?;
    let mut events: Vec<RecordedEvent> = Vec::new();
    while let Some(event) = transcript.next_event()? {
        if event.call.as_deref() == Some(id) {
            events.push(event);
        } else if events.last().is_some_and(|last| is_over(last.kind)) {
            break;
        }
    }
    Ok(events)
}

fn is_over(kind: EventKind) -> bool {
    matches!(kind, EventKind::PostToolUse | EventKind::PostToolUseFailure)
}
