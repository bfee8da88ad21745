//! Call ids, which are unique in a conversation and use the API's alphabet, whatever ids a model chooses.
//!
//! Small servers number the calls of every answer from 0, and some send no id at all.

use becket_llm::{Block, Object};
use serde_json::Value;
use std::collections::HashMap;

/// The ids that a conversation has seen, including those before a summary, which hooks have seen, too.
#[derive(Debug, Default)]
pub(super) struct Ids {
    /// The ids so far, each with the number that distinguishes the next call with the same id.
    seen: HashMap<String, u32>,
}

impl Ids {
    /// Returns the content with unique ids for its calls.
    pub(super) fn settle(&mut self, content: Vec<Block>) -> Vec<Block> {
        content.into_iter().map(|block| self.settle_block(block)).collect()
    }

    fn settle_block(&mut self, block: Block) -> Block {
        match block {
            Block::ToolUse { id, name, input } => Block::ToolUse { id: self.take(&id), name, input },
            Block::Other(value) if kind(&value) == Some("tool_use") => self.maimed(&value),
            Block::Text(_)
            | Block::Image { .. }
            | Block::ToolResult { .. }
            | Block::Thinking { .. }
            | Block::RedactedThinking { .. }
            | Block::Other(_) => block,
        }
    }

    /// Returns the block for a call without an id or a name.
    fn maimed(&mut self, value: &Value) -> Block {
        let text = |key: &str| value.get(key).and_then(Value::as_str).unwrap_or_default();
        let input = value.get("input").and_then(Value::as_object).cloned().unwrap_or_else(Object::new);
        Block::ToolUse { id: self.take(text("id")), name: text("name").to_owned(), input }
    }

    fn take(&mut self, wanted: &str) -> String {
        let base = if wanted.is_empty() { "call".to_owned() } else { alphabetic(wanted) };
        let mut id = base.clone();
        while self.seen.contains_key(&id) {
            let number = self.seen.entry(base.clone()).or_insert(1);
            *number = number.saturating_add(1);
            id = format!("{base}_{number}");
        }
        self.seen.insert(id.clone(), 1);
        id
    }
}

/// Returns the type of an unknown block.
pub(super) fn kind(block: &Value) -> Option<&str> {
    block.get("type").and_then(Value::as_str)
}

/// Returns a text in the alphabet that the API accepts for ids and names.
pub(super) fn alphabetic(text: &str) -> String {
    text.chars().map(|c| if c.is_ascii_alphanumeric() || matches!(c, '_' | '-') { c } else { '_' }).collect()
}
