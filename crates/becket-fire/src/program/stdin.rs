//! The event on stdin.

use becket_base::text_file::LIMIT;
use becket_model::{Event, EventKind};
use serde_json::Value;
use std::io::{self, IsTerminal, Read};

/// Returns true if a user would have to type the event.
pub(super) fn is_terminal() -> bool {
    io::stdin().is_terminal()
}

/// Reads all of stdin; if it is too large, as much as shows that to the full program.
///
/// # Errors
/// Errors if stdin can't be read.
pub(super) fn read() -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    io::stdin().lock().take(LIMIT + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Returns the event; `None` if the full program has to report an error.
pub(super) fn event(bytes: &[u8]) -> Option<Event> {
    if is_too_large(bytes) {
        return None;
    }
    becket_model::wire::input::from_value(serde_json::from_slice(bytes).ok()?).ok()
}

/// Returns true if the input is larger than allowed; the full program reports that.
pub(super) fn is_too_large(bytes: &[u8]) -> bool {
    bytes.len() as u64 > LIMIT
}

/// Returns the kind of an event that may otherwise be unreadable.
pub(super) fn event_kind(bytes: &[u8]) -> Option<EventKind> {
    let value: Value = serde_json::from_slice(bytes).ok()?;
    value.get("hook_event_name")?.as_str()?.parse().ok()
}
