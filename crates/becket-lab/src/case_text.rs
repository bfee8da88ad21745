//! Cases as text for case files.

use crate::accept::toml_value;
use becket_model::EventKind;
use serde_json::{Map, Value};

/// Returns a case; `want` is TOML.
pub(crate) fn written(title: &str, event: EventKind, input: &Map<String, Value>, want: &str) -> String {
    let mut text = format!("[[case]]\nname = {}\n", quoted(title));
    if event != EventKind::PreToolUse {
        text.push_str(&format!("event = {}\n", quoted(event.name())));
    }
    if let Some(tool) = input.get("tool_name") {
        let given = input.get("tool_input").map_or_else(|| "{}".to_owned(), toml);
        text.push_str(&format!("tool = {{ name = {}, input = {given} }}\n", toml(tool)));
    }
    let of_tool = |name: &str| matches!(name, "tool_name" | "tool_input");
    let rest: Map<String, Value> = input.clone().into_iter().filter(|(name, _)| !of_tool(name)).collect();
    if !rest.is_empty() {
        text.push_str(&format!("input = {}\n", toml(&Value::Object(rest))));
    }
    text.push_str(&format!("want = {want}\n"));
    text
}

/// Returns a text as TOML.
pub(crate) fn quoted(text: &str) -> String {
    toml_edit::Value::from(text).to_string()
}

/// Returns a value as TOML; an empty text for one that TOML can't express.
pub(crate) fn toml(value: &Value) -> String {
    toml_value(value).map_or_else(|| "\"\"".to_owned(), |value| value.to_string())
}
