//! The mark of an event: a digest of its content.

use becket_model::Event;
use becket_model::wire::input;
use serde_json::Value;
use sha2::{Digest, Sha256};
use std::fmt;
use std::str::FromStr;

/// The length of a mark in bytes.
const LENGTH: usize = 16;

/// Fields by which two inputs of the same call may differ.
const IDS: [&str; 1] = ["tool_use_id"];

/// An identifier of an event by its content: the profile, the event's name, the session and the event's own fields,
/// however the JSON was written. The session's directory and the ids of a call are not part of it.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct EventMark([u8; LENGTH]);

impl EventMark {
    /// Computes the mark of an event whose hooks are those of `profile`.
    pub(crate) fn of(profile: &str, event: &Event) -> Self {
        let spec = event.kind().spec();
        let input = input::to_value(event);
        let mut hash = Sha256::new();
        text(&mut hash, profile);
        text(&mut hash, event.kind().name());
        text(&mut hash, event.session.id.as_str());
        for field in spec.input.iter().filter(|field| !IDS.contains(&field.name)) {
            text(&mut hash, field.name);
            value(&mut hash, input.get(field.name).unwrap_or(&Value::Null));
        }
        let mut mark = [0; LENGTH];
        mark.copy_from_slice(&hash.finalize()[..LENGTH]);
        EventMark(mark)
    }
}

/// Hashes a text with its length, so that no two sequences of texts are the same bytes.
fn text(hash: &mut Sha256, text: &str) {
    hash.update(text.len().to_le_bytes());
    hash.update(text);
}

/// Hashes a value; the order of an object's keys does not count.
fn value(hash: &mut Sha256, of: &Value) {
    match of {
        Value::Object(fields) => {
            let mut fields: Vec<_> = fields.iter().collect();
            fields.sort_unstable_by_key(|(name, _)| *name);
            hash.update([b'{']);
            for (name, inner) in fields {
                text(hash, name);
                value(hash, inner);
            }
            hash.update([b'}']);
        }
        Value::Array(items) => {
            hash.update([b'[']);
            items.iter().for_each(|item| value(hash, item));
            hash.update([b']']);
        }
        Value::String(string) => {
            hash.update([b'"']);
            text(hash, string);
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => text(hash, &of.to_string()),
    }
}

impl fmt::Display for EventMark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for EventMark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "EventMark({self})")
    }
}

/// The error for a text that is not a mark.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a mark is {} hexadecimal digits", 2 * LENGTH)]
pub struct NotAMark;

impl FromStr for EventMark {
    type Err = NotAMark;

    fn from_str(text: &str) -> Result<Self, NotAMark> {
        if text.len() != 2 * LENGTH || !text.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return Err(NotAMark);
        }
        let mut mark = [0; LENGTH];
        for (at, byte) in mark.iter_mut().enumerate() {
            let digits = text.get(2 * at..2 * at + 2).ok_or(NotAMark)?;
            *byte = u8::from_str_radix(digits, 16).map_err(|_| NotAMark)?;
        }
        Ok(EventMark(mark))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mark(profile: &str, json: &str) -> EventMark {
        let event = input::from_value(serde_json::from_str(json).expect("JSON")).expect("an input");
        EventMark::of(profile, &event)
    }

    fn call(session: &str, id: &str, input: &str) -> String {
        format!(
            r#"{{"session_id":"{session}","transcript_path":"/t","cwd":"/","hook_event_name":"PreToolUse",
                "tool_name":"Bash","tool_use_id":"{id}","tool_input":{input}}}"#
        )
    }

    // rule: H14
    #[test]
    fn the_same_event_has_the_same_mark_however_it_is_written() {
        let one = mark("claude", &call("s", "a", r#"{"command":"ls","timeout":5}"#));
        for (same, json) in [
            (true, call("s", "a", r#"{"timeout":5, "command":"ls"}"#)),
            (true, call("s", "b", r#"{"command":"ls","timeout":5}"#)),
            (true, call("s", "a", r#"{"command":"ls","timeout":5}"#).replace("\"/\"", "\"/tmp\"")),
            (false, call("s", "a", r#"{"command":"ls","timeout":6}"#)),
            (false, call("s", "a", r#"{"command":"ls","timeout":"5"}"#)),
            (false, call("t", "a", r#"{"command":"ls","timeout":5}"#)),
        ] {
            assert_eq!(one == mark("claude", &json), same, "{json}");
        }
        assert_ne!(one, mark("becket", &call("s", "a", r#"{"command":"ls","timeout":5}"#)));
    }

    #[test]
    fn a_mark_is_read_as_it_was_written() {
        let one = mark("claude", &call("s", "a", "{}"));
        assert_eq!(one.to_string().parse(), Ok(one));
        for wrong in ["", "00", "zz", &"é".repeat(16), &"0".repeat(33), "+".repeat(32).as_str()] {
            assert_eq!(wrong.parse::<EventMark>(), Err(NotAMark), "{wrong}");
        }
    }
}
