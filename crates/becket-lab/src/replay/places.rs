//! Conversion of recorded paths to paths of a scratch copy, and back.

use serde_json::{Map, Value};
use std::path::Path;

/// The two roots of one project.
#[derive(Debug, Clone, Copy)]
pub(super) struct Places<'a> {
    /// The directory in which the session was started.
    pub(super) recorded: &'a str,
    /// The root of the copy.
    pub(super) copy: &'a str,
}

impl Places<'_> {
    /// Returns the fields of an event in the copy.
    pub(super) fn placed(&self, fields: &Map<String, Value>) -> Map<String, Value> {
        let mut placed = Map::new();
        for (name, value) in fields {
            // Paths of transcripts stay as they are.
            let is_place = name == "transcript_path" || name == "agent_transcript_path";
            placed.insert(name.clone(), if is_place { value.clone() } else { self.value(value) });
        }
        placed
    }

    fn value(&self, value: &Value) -> Value {
        match value {
            Value::String(text) => Value::String(moved(text, self.recorded, self.copy)),
            Value::Array(values) => values.iter().map(|value| self.value(value)).collect(),
            Value::Object(fields) => {
                Value::Object(fields.iter().map(|(name, value)| (name.clone(), self.value(value))).collect())
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => value.clone(),
        }
    }
}

/// Replaces a root in a text, but not a longer name that begins with it.
pub(super) fn moved(text: &str, from: &str, to: &str) -> String {
    if from.len() < 2 || !text.contains(from) {
        return text.to_owned();
    }
    let mut result = String::with_capacity(text.len());
    let mut parts = text.split(from);
    result.push_str(parts.next().unwrap_or_default());
    for part in parts {
        let goes_on = part.starts_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.'));
        result.push_str(if goes_on { from } else { to });
        result.push_str(part);
    }
    result
}

/// Returns the root of a recorded session: the project itself if the session was in it, else where it was started.
pub(super) fn root_of<'a>(recorded: &'a str, project: &'a Path) -> &'a str {
    let inside = Path::new(recorded).starts_with(project);
    if inside { project.to_str().unwrap_or(recorded) } else { recorded }
}

#[cfg(test)]
mod tests {
    use super::moved;

    #[test]
    fn only_whole_names_are_moved() {
        let text = "cat /work/app/x /work/app-old/x /work/app";
        assert_eq!(moved(text, "/work/app", "/tmp/copy"), "cat /tmp/copy/x /work/app-old/x /tmp/copy");
        assert_eq!(moved("/", "/", "/tmp/copy"), "/");
    }
}
