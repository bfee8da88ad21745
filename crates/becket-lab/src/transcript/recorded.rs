//! An event as a transcript records it.

use becket_base::secret::Redactor;
use becket_model::EventKind;
use jiff::Timestamp;
use serde_json::{Map, Value};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// An event of a session, with the records of hooks in its transcript.
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
    /// Returns the text of a field.
    pub fn text(&self, field: &str) -> Option<&str> {
        self.fields.get(field).and_then(Value::as_str)
    }

    /// Returns the name of the tool, for events about a tool call.
    pub fn tool(&self) -> Option<&str> {
        self.text("tool_name")
    }

    /// Returns the tool and the main part of its input, or the prompt, in one text, which may contain secrets.
    pub fn headline(&self) -> String {
        let input = self.fields.get("tool_input").or_else(|| self.fields.get("prompt"));
        let main = ["command", "file_path", "url", "pattern", "path"]
            .iter()
            .find_map(|key| input.and_then(|input| input.get(*key)).and_then(Value::as_str));
        let text = main.map(str::to_owned).or_else(|| input.map(ToString::to_string));
        let parts: Vec<String> = [self.tool().map(str::to_owned), text].into_iter().flatten().collect();
        parts.join(" ")
    }

    /// Adds the parts that look like secrets in its fields and in the recorded answers.
    pub fn add_secrets_to(&self, redactor: &mut Redactor) {
        let mut add = |text: &str| redactor.add_found_in(text);
        self.fields.values().for_each(|value| for_each_text(value, &mut add));
        for answer in &self.answers {
            answer.command.iter().for_each(|command| add(command));
            match &answer.output {
                RecordedOutput::Printed { stdout, stderr, .. } => {
                    [stdout, stderr].into_iter().for_each(|text| add(text))
                }
                RecordedOutput::Denied { reason } => add(reason),
                RecordedOutput::Cancelled | RecordedOutput::Ran => {}
            }
        }
    }

    /// Returns the id of the session.
    pub fn session(&self) -> &str {
        self.text("session_id").unwrap_or_default()
    }
}

/// The answer of one hook, as it is recorded.
#[derive(Debug, Clone, PartialEq)]
pub struct RecordedAnswer {
    /// The command of the hook; `None` for a denial of which only the reason is recorded.
    pub command: Option<String>,
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
    /// The hook denied or blocked; only the reason is recorded.
    Denied {
        /// The reason.
        reason: String,
    },
    /// The hook was cancelled or ran out of time.
    Cancelled,
    /// The hook ran, and its answer is not known.
    Ran,
}

fn for_each_text(value: &Value, take: &mut impl FnMut(&str)) {
    match value {
        Value::String(text) => take(text),
        Value::Array(values) => values.iter().for_each(|value| for_each_text(value, take)),
        Value::Object(fields) => fields.iter().for_each(|(name, value)| {
            if let Value::String(text) = value {
                take(&format!("{name}={text}"));
            }
            for_each_text(value, take);
        }),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}
