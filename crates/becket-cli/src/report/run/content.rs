//! Blocks of messages, as the Messages API writes them.

use becket_llm::{Block, Usage};
use serde::Serialize;
use serde_json::{Value, json};

/// The blocks of a message.
pub(super) fn blocks(content: &[Block]) -> Vec<Value> {
    content.iter().map(block).collect()
}

/// The blocks of an answer as they are shown: what a hook has put in the place of its text (D11) is its text.
pub(super) fn shown(content: &[Block], displayed: Option<&str>) -> Vec<Value> {
    let Some(displayed) = displayed else { return blocks(content) };
    let mut texts = std::iter::once(displayed);
    let left = content.iter().filter_map(|one| match one {
        Block::Text(_) => texts.next().map(|text| block(&Block::Text(text.to_owned()))),
        Block::Image { .. }
        | Block::ToolUse { .. }
        | Block::ToolResult { .. }
        | Block::Thinking { .. }
        | Block::RedactedThinking { .. }
        | Block::Other(_) => Some(block(one)),
    });
    left.collect()
}

fn block(block: &Block) -> Value {
    match block {
        Block::Text(text) => json!({"type": "text", "text": text}),
        Block::Image { media_type, data } => {
            json!({"type": "image", "source": {"type": "base64", "media_type": media_type, "data": data}})
        }
        Block::ToolUse { id, name, input } => {
            json!({"type": "tool_use", "id": id, "name": name, "input": input})
        }
        Block::ToolResult { tool_use_id, content, is_error } => result(tool_use_id, content, *is_error),
        Block::Thinking { text, signature } => {
            json!({"type": "thinking", "thinking": text, "signature": signature})
        }
        Block::RedactedThinking { data } => json!({"type": "redacted_thinking", "data": data}),
        Block::Other(value) => value.clone(),
    }
}

/// A result that is one text is written as that text, which is how scripts know it.
fn result(id: &str, content: &[Block], is_error: bool) -> Value {
    let content = match content {
        [Block::Text(text)] => Value::String(text.clone()),
        several => Value::Array(blocks(several)),
    };
    let mut result = json!({"tool_use_id": id, "type": "tool_result", "content": content});
    if is_error {
        result["is_error"] = Value::Bool(true);
    }
    result
}

/// Tokens, under the names of the Messages API.
#[derive(Debug, Clone, Serialize)]
pub(super) struct Tokens {
    input_tokens: u64,
    cache_creation_input_tokens: u64,
    cache_read_input_tokens: u64,
    output_tokens: u64,
}

impl From<Usage> for Tokens {
    fn from(usage: Usage) -> Self {
        Tokens {
            input_tokens: usage.input_tokens,
            cache_creation_input_tokens: usage.cache_write,
            cache_read_input_tokens: usage.cache_read,
            output_tokens: usage.output_tokens,
        }
    }
}
