//! Escape sequences that a hook may write to a screen (O7).
//!
//! Allowed: the bell, and operating system commands 0, 1, 2, 9, 99 and 777 (titles and notifications), each ended by
//! the bell or by `ESC \`. Nothing that moves the cursor, clears, reads back or changes a mode.

const BELL: char = '\u{7}';
const OSC: &str = "\u{1b}]";
const ST: &str = "\u{1b}\\";
const COMMANDS: [&str; 6] = ["0", "1", "2", "9", "99", "777"];

/// Returns whether `text` consists of one or more allowed sequences and nothing else.
pub(super) fn is_allowed(text: &str) -> bool {
    let mut rest = text;
    while !rest.is_empty() {
        match after_sequence(rest) {
            Some(after) => rest = after,
            None => return false,
        }
    }
    !text.is_empty()
}

/// Returns the text after the allowed sequence that `text` begins with.
fn after_sequence(text: &str) -> Option<&str> {
    if let Some(after) = text.strip_prefix(BELL) {
        return Some(after);
    }
    let (command, payload) = text.strip_prefix(OSC)?.split_once(';')?;
    if !COMMANDS.contains(&command) {
        return None;
    }
    let end = payload.find(char::is_control)?;
    let tail = &payload[end..];
    tail.strip_prefix(BELL).or_else(|| tail.strip_prefix(ST))
}
