//! The result of a call in the shape that the protocol's tools have.

use super::call::ReadCall;
use serde_json::{Map, Value, json};

/// The fields in which results occur, the most complete first.
const TEXTS: [&str; 5] = ["llmContent", "text_result_for_llm", "text", "output", "stdout"];

/// Gives `tool_response` and `error` the protocol's shapes, if the payload has them.
pub(super) fn put(fields: &mut Map<String, Value>, part: &ReadCall) {
    if let Some(error) = fields.get("error").and_then(|error| error.get("message")).cloned() {
        fields.insert("error".to_owned(), error);
    }
    let Some(given) = fields.shift_remove("tool_response") else { return };
    let response = match (part.tool.as_str(), text(&given)) {
        (_, None) => given,
        ("Bash", Some(_)) if given.get("stdout").is_some() && given.get("stderr").is_some() => given,
        ("Bash", Some(text)) => {
            json!({"stdout": text.trim_end_matches('\n'), "stderr": "", "interrupted": false, "isImage": false})
        }
        ("Write" | "Edit", Some(text)) => {
            json!({"filePath": part.input.get("file_path"), "message": text})
        }
        ("Read", Some(text)) => {
            json!({"type": "text", "file": {"filePath": part.input.get("file_path"), "content": text}})
        }
        (tool, Some(text)) if tool.starts_with("mcp__") => json!([{"type": "text", "text": text}]),
        (_, Some(text)) => json!(text),
    };
    fields.insert("tool_response".to_owned(), response);
}

/// Returns the text of a result; `None` if its shape is not one of the agents' wrappers.
fn text(given: &Value) -> Option<String> {
    match given {
        Value::String(text) => Some(text.clone()),
        Value::Object(object) => {
            let text = TEXTS.iter().find_map(|key| object.get(*key))?;
            text.as_str().map(str::to_owned)
        }
        Value::Array(items) => {
            let texts = items.iter().map(|item| item.get("result")?.as_str());
            Some(texts.collect::<Option<Vec<&str>>>()?.join("\n"))
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => None,
    }
}
