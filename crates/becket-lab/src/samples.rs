//! Sample values for missing required fields, so that an event can be tried with few arguments.
//!
//! They look like the values of a host, and every consumer knows that they are samples.

use becket_model::table::{EventSpec, FieldSpec, FieldType};
use serde_json::{Map, Value, json};
use std::path::Path;

/// Fills the gaps and returns the names of the filled fields that are specific to the event. The session's own facts
/// always come from the command line.
pub fn fill(
    input: &mut Map<String, Value>,
    spec: &EventSpec,
    start: &Path,
    temp: &Path,
) -> Vec<&'static str> {
    input.insert("hook_event_name".to_owned(), spec.kind.name().into());
    let mut session = |name: &str, value: String| {
        input.entry(name.to_owned()).or_insert(Value::String(value));
    };
    session("session_id", "becket".to_owned());
    session("transcript_path", temp.join("becket-transcript.jsonl").to_string_lossy().into_owned());
    session("cwd", start.to_string_lossy().into_owned());
    let mut made_up = Vec::new();
    for field in spec.input.iter().filter(|field| field.required) {
        if !input.contains_key(field.name) {
            input.insert(field.name.to_owned(), sample(spec, field, start));
            made_up.push(field.name);
        }
    }
    made_up
}

fn sample(spec: &EventSpec, field: &FieldSpec, start: &Path) -> Value {
    let matched = spec.matcher.filter(|matcher| matcher.field == field.name);
    let known = matched.and_then(|matcher| matcher.values.first()).or(field.values.first());
    match field.kind {
        FieldType::String => match known {
            Some(value) => Value::from(*value),
            None => text(field.name, start),
        },
        FieldType::StringOrNull | FieldType::Any => Value::Null,
        FieldType::Strings | FieldType::Objects => json!([]),
        FieldType::Number | FieldType::Integer => json!(0),
        FieldType::Boolean => json!(false),
        FieldType::Object => json!({}),
    }
}

fn text(name: &str, start: &Path) -> Value {
    let below = |part: &str| Value::String(start.join(part).to_string_lossy().into_owned());
    match name {
        "tool_use_id" => "toolu_becket".into(),
        "prompt" => "a sample prompt".into(),
        "file_path" => below("sample.txt"),
        name if name.ends_with("_path") || name.ends_with("cwd") || name == "directory" => below("sample"),
        name if name.ends_with("_id") => format!("{}_becket", name.trim_end_matches("_id")).into(),
        name => format!("sample {}", name.replace('_', " ")).into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use becket_model::EventKind;
    use becket_model::wire::input;

    // rule: N1
    #[test]
    fn every_event_can_be_made_of_samples_alone() {
        for kind in EventKind::ALL {
            let mut fields = Map::new();
            let made_up = fill(&mut fields, kind.spec(), Path::new("/work"), Path::new("/tmp"));
            let required = kind.spec().input.iter().filter(|field| field.required).count();
            assert_eq!(made_up.len(), required, "{kind}");
            let event = input::from_value(Value::Object(fields)).expect("samples fit the table");
            assert_eq!(event.kind(), kind);
            assert!(event.extra.is_empty(), "{kind}: {:?}", event.extra);
        }
    }

    #[test]
    fn what_was_given_stays() {
        let mut fields = Map::new();
        fields.insert("session_id".into(), "mine".into());
        fields.insert("tool_name".into(), "Bash".into());
        let spec = EventKind::PreToolUse.spec();
        let made_up = fill(&mut fields, spec, Path::new("/work"), Path::new("/tmp"));
        assert_eq!(made_up, ["tool_input", "tool_use_id"]);
        assert_eq!(fields["session_id"], "mine");
        assert_eq!(fields["tool_use_id"], "toolu_becket");
    }
}
