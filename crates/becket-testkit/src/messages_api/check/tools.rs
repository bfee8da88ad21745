//! The tools that a request offers.

use serde_json::Value;
use std::collections::HashSet;

/// The maximum length of a tool's name.
const LONGEST: usize = 128;

/// Returns the fault of the tools.
pub(super) fn refusal(tools: &Value, choice: &Value) -> Option<String> {
    let list = match (tools.as_array(), tools.is_null()) {
        (Some(list), _) => list.as_slice(),
        (None, true) => &[],
        (None, false) => return Some("tools: Input should be a valid list".into()),
    };
    let mut names = HashSet::new();
    for (at, tool) in list.iter().enumerate() {
        let name = tool["name"].as_str().unwrap_or_default();
        if let Some(wrong) = word(name, LONGEST) {
            return Some(format!("tools.{at}.name: {wrong}"));
        }
        if !names.insert(name) {
            return Some(format!("tools: Tool names must be unique: {name}"));
        }
        if tool["input_schema"]["type"] != "object" {
            return Some(format!("tools.{at}.input_schema.type: Input should be 'object'"));
        }
    }
    match choice["type"].as_str() {
        None if choice.is_null() => None,
        _ if list.is_empty() => Some("tool_choice may only be specified while providing tools".into()),
        Some("tool") if !choice["name"].as_str().is_some_and(|name| names.contains(name)) => {
            Some(format!("tool_choice: there is no tool {}", choice["name"]))
        }
        Some("auto" | "any" | "none" | "tool") => None,
        other => Some(format!("tool_choice: unknown type {other:?}")),
    }
}

/// Returns the fault of a name or an id.
pub(super) fn word(text: &str, longest: usize) -> Option<String> {
    let fits = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    let fine = !text.is_empty() && text.len() <= longest && text.chars().all(fits);
    (!fine).then(|| format!("`{text}` should match pattern '^[a-zA-Z0-9_-]+$'"))
}
