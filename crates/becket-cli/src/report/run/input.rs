//! The lines that are read with `--input-format stream-json`: one message of the user each.

use becket_llm::Block;
use serde_json::{Map, Value};

/// Why a line is no message.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum BadLine {
    #[error("it is not valid JSON: {0}")]
    NotJson(String),
    #[error("it must be a JSON object, as in `{EXAMPLE}`")]
    NotAnObject,
    #[error("its `type` is {0}, but only `user` is read, as in `{EXAMPLE}`")]
    OtherType(String),
    #[error("it has no `message` with `content`: write `{EXAMPLE}`")]
    NoContent,
    #[error("its `message.role` is {0}, but must be `user`")]
    OtherRole(String),
    #[error("block {at} of its `content` {why}")]
    Block { at: usize, why: &'static str },
    #[error("its `content` is empty")]
    Empty,
}

/// What a line looks like.
const EXAMPLE: &str = r#"{"type":"user","message":{"role":"user","content":"…"}}"#;

/// Reads a line; an empty one is none.
///
/// # Errors
/// It is no message of the user.
pub(crate) fn read_line(line: &str) -> Result<Option<Vec<Block>>, BadLine> {
    if line.trim().is_empty() {
        return Ok(None);
    }
    let value: Value = serde_json::from_str(line).map_err(|error| BadLine::NotJson(error.to_string()))?;
    let Value::Object(fields) = value else { return Err(BadLine::NotAnObject) };
    match fields.get("type") {
        Some(Value::String(name)) if name == "user" => {}
        other => return Err(BadLine::OtherType(quoted(other))),
    }
    let Some(Value::Object(message)) = fields.get("message") else { return Err(BadLine::NoContent) };
    match message.get("role") {
        None => {}
        Some(Value::String(role)) if role == "user" => {}
        other => return Err(BadLine::OtherRole(quoted(other))),
    }
    let blocks = match message.get("content") {
        Some(Value::String(text)) => vec![Block::Text(text.clone())],
        Some(Value::Array(blocks)) => {
            blocks.iter().enumerate().map(|(n, value)| block(n + 1, value)).collect::<Result<_, _>>()?
        }
        Some(_) | None => return Err(BadLine::NoContent),
    };
    let says_something = |one: &Block| one.as_text().is_none_or(|text| !text.trim().is_empty());
    if blocks.iter().any(says_something) { Ok(Some(blocks)) } else { Err(BadLine::Empty) }
}

fn quoted(value: Option<&Value>) -> String {
    value.map_or_else(|| "missing".to_owned(), |value| format!("`{value}`"))
}

/// A user may send text, pictures and documents. Calls and results belong to the agent: no prompt may forge one.
fn block(at: usize, value: &Value) -> Result<Block, BadLine> {
    let bad = |why| BadLine::Block { at, why };
    let Value::Object(fields) = value else { return Err(bad("is no object")) };
    match fields.get("type").and_then(Value::as_str) {
        Some("text") => text(fields, "text").map(Block::Text).ok_or(bad("has no `text`")),
        Some("image") => {
            let source = fields.get("source").and_then(Value::as_object);
            let source = source.ok_or(bad("is an image without a `source`"))?;
            match (text(source, "media_type"), text(source, "data")) {
                (Some(media_type), Some(data)) => Ok(Block::Image { media_type, data }),
                // One that lies somewhere else: the provider knows what to do with it.
                (None, _) | (_, None) => Ok(Block::Other(value.clone())),
            }
        }
        Some("document") => Ok(Block::Other(value.clone())),
        Some("tool_use" | "tool_result") => Err(bad("is a call or its result: only the agent makes those")),
        Some(_) => Err(bad("is neither `text` nor `image` nor `document`")),
        None => Err(bad("has no `type`")),
    }
}

fn text(fields: &Map<String, Value>, key: &str) -> Option<String> {
    fields.get(key).and_then(Value::as_str).map(str::to_owned)
}
