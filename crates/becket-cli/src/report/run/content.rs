//! Blocks of messages, in the format of the Messages API.

use becket_llm::{Block, Usage};
use serde::Serialize;
use serde_json::Value;

/// Returns the blocks of a message.
pub(super) fn blocks(content: &[Block]) -> Vec<Value> {
    content.iter().map(block).collect()
}

/// Returns the blocks of an answer as they are displayed: a hook's replacement of the text (D11) takes its place.
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

/// Returns a block. A result that is a single text is written as that text, as scripts expect.
fn block(block: &Block) -> Value {
    let mut written = block.to_json();
    if let Block::ToolResult { content, .. } = block
        && let [Block::Text(text)] = content.as_slice()
    {
        written["content"] = Value::from(text.as_str());
    }
    written
}

/// Token counts, under the names of the Messages API.
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
