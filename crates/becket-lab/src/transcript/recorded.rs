//! An event as a transcript records it.

use becket_model::EventKind;
use jiff::Timestamp;
use serde_json::{Map, Value};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// An event of a session, with what its transcript says about hooks.
#[derive(Debug, Clone, PartialEq)]
pub struct RecordedEvent {
    /// Its kind.
    pub kind: EventKind,
    /// The fields of its input that are known.
    pub fields: Map<String, Value>,
    /// The directory in which the session was started.
    pub root: Arc<str>,
    /// The moment, if it is recorded.
    pub time: Option<Timestamp>,
    /// The transcript.
    pub file: Arc<PathBuf>,
    /// The line in it, from 1.
    pub line: u64,
    /// The id of the tool call.
    pub call: Option<String>,
    /// The recorded answers of hooks.
    pub answers: Vec<RecordedAnswer>,
}

impl RecordedEvent {
    /// Returns a text among its fields.
    pub fn text(&self, field: &str) -> Option<&str> {
        self.fields.get(field).and_then(Value::as_str)
    }

    /// Returns the name of the tool, for events about a tool call.
    pub fn tool(&self) -> Option<&str> {
        self.text("tool_name")
    }

    /// Returns the id of the session.
    pub fn session(&self) -> &str {
        self.text("session_id").unwrap_or_default()
    }
}

/// The answer of one hook, as it is recorded.
#[derive(Debug, Clone, PartialEq)]
pub struct RecordedAnswer {
    /// The command of the hook.
    pub command: String,
    /// Its output.
    pub output: RecordedOutput,
    /// The time that it took.
    pub elapsed: Option<Duration>,
}

/// The recorded output of a hook.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RecordedOutput {
    /// The output of its process.
    Printed {
        /// The exit code.
        exit: i32,
        /// Its stdout.
        stdout: String,
        /// Its stderr.
        stderr: String,
    },
    /// It held something back; only the reason is recorded.
    Denied {
        /// The reason.
        reason: String,
    },
    /// It was cancelled or ran out of time.
    Cancelled,
    /// It ran, and nothing is known about its answer.
    Ran,
}
