//! Conversion of a hook's replacement value to an answer.
//!
//! Nothing is guessed: an invalid block is an error, and the answer stays unchanged.

use serde_json::Value;

use super::CallResult;
use crate::content::Content;

/// An error: the value can't replace an answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ReplaceError {
    /// The value is neither text, nor blocks, nor an object.
    #[error(
        "{kind} can't be the output of an MCP tool; write a text, a list of content blocks, or an object"
    )]
    Kind {
        /// The type of the value.
        kind: &'static str,
    },
    /// One of the blocks is invalid.
    #[error("block {number} of the output is not a content block: {what}")]
    Block {
        /// The number of the block, starting from 1.
        number: usize,
        /// The problem and what to write.
        what: String,
    },
}

/// Converts the value: a text is one block of text; a list is its blocks; an object is structured, and its JSON is the
/// text.
pub(super) fn replaced(value: Value) -> Result<CallResult, ReplaceError> {
    let text = |text: String| vec![Content::of_text(text)];
    let (content, structured) = match value {
        Value::String(words) => (text(words), None),
        Value::Array(blocks) => (read(blocks)?, None),
        Value::Object(_) => (text(value.to_string()), Some(value)),
        Value::Null => return Err(ReplaceError::Kind { kind: "null" }),
        Value::Bool(_) => return Err(ReplaceError::Kind { kind: "a boolean" }),
        Value::Number(_) => return Err(ReplaceError::Kind { kind: "a number" }),
    };
    Ok(CallResult { content, structured, is_error: false })
}

fn read(blocks: Vec<Value>) -> Result<Vec<Content>, ReplaceError> {
    let one = |(index, block): (usize, Value)| match wrong(&block) {
        None => Ok(Content::new(block)),
        Some(what) => Err(ReplaceError::Block { number: index + 1, what }),
    };
    blocks.into_iter().enumerate().map(one).collect()
}

/// Returns the problem with a block, if there is one.
fn wrong(block: &Value) -> Option<String> {
    let Some(kind) = block.get("type").and_then(Value::as_str) else {
        return Some("it has no `type`, such as `\"type\": \"text\"`".to_owned());
    };
    let needs: &[&str] = match kind {
        "text" => &["text"],
        "image" | "audio" => &["data", "mimeType"],
        "resource_link" => &["uri", "name"],
        "resource" => return wrong_resource(block.get("resource")),
        other => {
            return Some(format!(
                "there is no type `{other}`; there are `text`, `image`, `audio`, `resource` and `resource_link`"
            ));
        }
    };
    let missing = needs.iter().find(|key| !block.get(**key).is_some_and(Value::is_string))?;
    Some(format!("`{kind}` needs `{missing}`, a string"))
}

fn wrong_resource(resource: Option<&Value>) -> Option<String> {
    let is_text = |key: &str| resource.and_then(|resource| resource.get(key)).is_some_and(Value::is_string);
    match (is_text("uri"), is_text("text") || is_text("blob")) {
        (true, true) => None,
        (false, _) => Some("`resource` needs `resource.uri`, a string".to_owned()),
        (true, false) => Some("`resource` needs `resource.text` or `resource.blob`, a string".to_owned()),
    }
}
