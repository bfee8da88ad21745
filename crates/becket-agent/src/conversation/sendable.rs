//! Content blocks that each role may send. An invalid block would make every later request fail, and end the session
//! for good.

use super::ids::{alphabetic, kind};
use becket_llm::Block;
use serde_json::Value;

/// The kinds with a block type of their own here: in [`Block::Other`] they lack something that the API requires.
const KNOWN: [&str; 6] = ["text", "image", "tool_use", "tool_result", "thinking", "redacted_thinking"];

/// Further kinds of blocks that a user or a tool may send.
const DOCUMENTS: [&str; 2] = ["document", "search_result"];

/// The image types that the API accepts.
const IMAGES: [&str; 4] = ["image/png", "image/jpeg", "image/gif", "image/webp"];

/// The longest name of a tool.
const LONGEST_NAME: usize = 128;

/// The reason why a user can't send a block.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SayError {
    /// The block is empty.
    #[error("the message is empty: write what you want")]
    Empty,
    /// Only the model or a tool can send this block.
    #[error("a user's message can't hold a block of type `{kind}`: send text, images or documents")]
    NotForUsers {
        /// The type of the block.
        kind: String,
    },
}

/// Returns the user's blocks without blank texts.
pub(super) fn of_user(content: Vec<Block>) -> Result<Vec<Block>, SayError> {
    let mut kept = Vec::with_capacity(content.len());
    for block in content {
        if is_blank(&block) {
            continue;
        }
        if !is_material(&block) && !is_linked_image(&block) {
            return Err(SayError::NotForUsers { kind: name(&block) });
        }
        kept.push(block);
    }
    if kept.is_empty() { Err(SayError::Empty) } else { Ok(kept) }
}

/// Returns a tool's blocks; a block that can't be sent is described in words. An error is text only, and never empty.
pub(super) fn of_tool(content: Vec<Block>, is_error: bool) -> Vec<Block> {
    let fits = |block: &Block| block.as_text().is_some() || (!is_error && is_material(block));
    let described = |block: Block| if fits(&block) { block } else { Block::Text(left_out(&block)) };
    let mut kept: Vec<Block> = content.into_iter().filter(|block| !is_blank(block)).map(described).collect();
    if kept.is_empty() && is_error {
        kept.push(Block::Text("it failed, and did not say why".to_owned()));
    }
    kept
}

/// Returns the model's blocks, with valid ids for its calls. Thoughts at the end are dropped, since nothing follows
/// them.
pub(super) fn of_model(content: &[Block]) -> Vec<Block> {
    let mut kept: Vec<Block> = content.iter().filter_map(said_by_model).collect();
    let is_thought = |block: &Block| matches!(block, Block::Thinking { .. } | Block::RedactedThinking { .. });
    while kept.last().is_some_and(is_thought) {
        kept.pop();
    }
    kept
}

fn said_by_model(block: &Block) -> Option<Block> {
    match block {
        Block::Text(_) => (!is_blank(block)).then(|| block.clone()),
        Block::ToolUse { id, name, input } => {
            let name = possible_name(name);
            Some(Block::ToolUse { id: id.clone(), name, input: input.clone() })
        }
        Block::Thinking { signature, .. } => (!signature.is_empty()).then(|| block.clone()),
        Block::RedactedThinking { data } => (!data.is_empty()).then(|| block.clone()),
        Block::Image { .. } | Block::ToolResult { .. } => None,
        Block::Other(value) => {
            let known = kind(value).is_none_or(|kind| kind.is_empty() || KNOWN.contains(&kind));
            (!known).then(|| block.clone())
        }
    }
}

/// Returns a name that the API accepts for one that it might not.
fn possible_name(name: &str) -> String {
    let mut name = alphabetic(name);
    name.truncate(LONGEST_NAME);
    if name.is_empty() { "_".to_owned() } else { name }
}

fn is_blank(block: &Block) -> bool {
    block.as_text().is_some_and(|text| text.trim().is_empty())
}

/// Returns whether a user or a tool may show the block to the model.
fn is_material(block: &Block) -> bool {
    match block {
        Block::Text(_) => true,
        Block::Image { media_type, data } => IMAGES.contains(&media_type.as_str()) && !data.is_empty(),
        Block::Other(value) => kind(value).is_some_and(|kind| DOCUMENTS.contains(&kind)),
        Block::ToolUse { .. }
        | Block::ToolResult { .. }
        | Block::Thinking { .. }
        | Block::RedactedThinking { .. } => false,
    }
}

/// Returns whether the block is an image that the provider fetches: by its address, or from its own store.
fn is_linked_image(block: &Block) -> bool {
    let Block::Other(value) = block else { return false };
    let source = &value["source"];
    let has = |key: &str| source[key].as_str().is_some_and(|text| !text.is_empty());
    let is_linked = match source["type"].as_str() {
        Some("url") => has("url"),
        Some("file") => has("file_id"),
        Some(_) | None => false,
    };
    kind(value) == Some("image") && is_linked
}

/// Returns the text that replaces a tool's block that can't be sent.
fn left_out(block: &Block) -> String {
    if let Block::Other(value) = block {
        return value.to_string();
    }
    format!("(a block of type `{}` is left out)", name(block))
}

fn name(block: &Block) -> String {
    match block {
        Block::Text(_) => "text",
        Block::Image { media_type, .. } => return format!("image ({media_type})"),
        Block::ToolUse { .. } => "tool_use",
        Block::ToolResult { .. } => "tool_result",
        Block::Thinking { .. } => "thinking",
        Block::RedactedThinking { .. } => "redacted_thinking",
        Block::Other(value) => value.get("type").and_then(Value::as_str).unwrap_or("unknown"),
    }
    .to_owned()
}
