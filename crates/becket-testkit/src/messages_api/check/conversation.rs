//! The messages of a request: the order of roles, and the results of calls.

use super::tools::word;
use serde_json::Value;
use std::collections::HashSet;

/// Returns the fault of the messages; there is at least one message.
pub(super) fn refusal(messages: &[Value]) -> Option<String> {
    let mut ids = HashSet::new();
    let mut before: Option<&Value> = None;
    for (at, message) in messages.iter().enumerate() {
        let wrong = role(message, before).or_else(|| {
            let Some(blocks) = blocks(message) else { return Some("content: blocks or a text".into()) };
            if blocks.is_empty() {
                return Some("all messages must have non-empty content".into());
            }
            if message["role"] == "user" {
                user(&blocks, before)
            } else {
                assistant(&blocks, at + 1 == messages.len(), &mut ids)
            }
        });
        if let Some(wrong) = wrong {
            return Some(format!("messages.{at}: {wrong}"));
        }
        before = Some(message);
    }
    None
}

fn role(message: &Value, before: Option<&Value>) -> Option<String> {
    match (message["role"].as_str(), before.and_then(|before| before["role"].as_str())) {
        (Some("assistant"), None) => Some("first message must use the \"user\" role".into()),
        (Some(role @ ("user" | "assistant")), Some(last)) if role == last => {
            Some(format!("roles must alternate between \"user\" and \"assistant\", found two {role}"))
        }
        (Some("user" | "assistant"), _) => None,
        (role, _) => Some(format!("role: Input should be 'user' or 'assistant', not {role:?}")),
    }
}

/// Returns the blocks of a message; a text is one block.
fn blocks(message: &Value) -> Option<Vec<Value>> {
    match &message["content"] {
        Value::String(text) => Some(vec![serde_json::json!({"type": "text", "text": text})]),
        Value::Array(blocks) => Some(blocks.clone()),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => None,
    }
}

fn user(blocks: &[Value], before: Option<&Value>) -> Option<String> {
    let called: Vec<String> = before.and_then(self::blocks).map(|blocks| calls(&blocks)).unwrap_or_default();
    let results: Vec<&str> = blocks.iter().filter_map(answered).collect();
    let distinct: HashSet<&str> = results.iter().copied().collect();
    if distinct.len() < results.len() {
        return Some(format!("each tool_use must have a single result, found {results:?}"));
    }
    if let Some(open) = called.iter().find(|id| !distinct.contains(id.as_str())) {
        return Some(format!(
            "`tool_use` ids were found without `tool_result` blocks immediately after: {open}"
        ));
    }
    if let Some(stray) = results.iter().find(|id| !called.iter().any(|called| called == *id)) {
        return Some(format!("unexpected `tool_use_id` found in `tool_result` blocks: {stray}"));
    }
    if blocks.iter().skip(results.len()).any(|block| answered(block).is_some()) {
        return Some("`tool_result` blocks must come first in the content".into());
    }
    blocks.iter().find_map(|block| match block["type"].as_str() {
        Some("tool_result") => result(block),
        _ => material(block),
    })
}

fn assistant(blocks: &[Value], is_last: bool, ids: &mut HashSet<String>) -> Option<String> {
    if is_last && !calls(blocks).is_empty() {
        return Some("`tool_use` ids were found without `tool_result` blocks immediately after".into());
    }
    if let Some(last) = blocks.last() {
        if last["type"].as_str().is_some_and(|kind| kind.ends_with("thinking")) {
            return Some("the final block in an assistant message cannot be `thinking`".into());
        }
        let text = last["text"].as_str().unwrap_or_default();
        if is_last && text.trim_end() != text {
            return Some("final assistant content cannot end with trailing whitespace".into());
        }
    }
    blocks.iter().find_map(|block| match block["type"].as_str() {
        Some("text") => text(block),
        Some("tool_use") => call(block, ids),
        Some("thinking") => required(block, "signature"),
        Some("redacted_thinking") => required(block, "data"),
        Some("image" | "document" | "tool_result") | None => Some(format!("not the assistant's: {block}")),
        // A block of the provider's own tools.
        Some(_) => None,
    })
}

fn call(block: &Value, ids: &mut HashSet<String>) -> Option<String> {
    let (id, name) = (block["id"].as_str().unwrap_or_default(), block["name"].as_str().unwrap_or_default());
    if !ids.insert(id.to_owned()) {
        return Some(format!("`tool_use` ids must be unique: {id}"));
    }
    let is_object = block["input"].is_object();
    let input = || (!is_object).then(|| "tool_use.input: Input should be a valid dictionary".to_owned());
    word(id, usize::MAX).or_else(|| word(name, 128)).or_else(input)
}

fn result(block: &Value) -> Option<String> {
    let is_error = block["is_error"] == true;
    let content = if block["content"].is_null() { Some(Vec::new()) } else { blocks(block) };
    let Some(content) = content else { return Some("tool_result.content: blocks or a text".into()) };
    if is_error && content.is_empty() {
        return Some("content cannot be empty if `is_error` is true".into());
    }
    if is_error && content.iter().any(|block| block["type"] != "text") {
        return Some("all content must be type `text` if `is_error` is true".into());
    }
    content.iter().find_map(material)
}

/// Checks a block that a user or a tool may send.
fn material(block: &Value) -> Option<String> {
    match block["type"].as_str() {
        Some("text") => text(block),
        Some("image") => image(&block["source"]),
        Some("document" | "search_result") => None,
        _ => Some(format!("no such block is the user's: {block}")),
    }
}

fn image(source: &Value) -> Option<String> {
    let known = ["image/jpeg", "image/png", "image/gif", "image/webp"];
    let fine = match source["type"].as_str() {
        Some("base64") => {
            source["media_type"].as_str().is_some_and(|media_type| known.contains(&media_type))
                && source["data"].as_str().is_some_and(|data| !data.is_empty())
        }
        Some("url") => source["url"].is_string(),
        _ => false,
    };
    (!fine).then(|| format!("image.source: {source}"))
}

fn text(block: &Value) -> Option<String> {
    match block["text"].as_str() {
        Some(text) => blank(text),
        None => Some("text: Field required".into()),
    }
}

/// Returns the fault of a text.
pub(super) fn blank(text: &str) -> Option<String> {
    text.trim().is_empty().then(|| "text content blocks must contain non-whitespace text".into())
}

fn required(block: &Value, key: &str) -> Option<String> {
    block[key].as_str().is_none_or(str::is_empty).then(|| format!("{key}: Field required"))
}

fn calls(blocks: &[Value]) -> Vec<String> {
    let id = |block: &Value| (block["type"] == "tool_use").then(|| block["id"].as_str().map(str::to_owned));
    blocks.iter().filter_map(id).flatten().collect()
}

fn answered(block: &Value) -> Option<&str> {
    (block["type"] == "tool_result").then(|| block["tool_use_id"].as_str().unwrap_or_default())
}
