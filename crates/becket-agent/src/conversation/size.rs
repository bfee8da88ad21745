//! The size of a conversation, in tokens: as last reported by the API, plus an estimate for everything since.

use becket_llm::{Block, Usage};

/// The average bytes of a token. Bytes instead of characters, because a character of three bytes takes more tokens,
/// too.
const BYTES_OF_A_TOKEN: u64 = 4;

/// The assumed bytes of an image: its tokens do not depend on the size of its data.
const BYTES_OF_AN_IMAGE: u64 = 1_600 * BYTES_OF_A_TOKEN;

/// The size of a conversation.
#[derive(Debug, Default)]
pub(super) struct Size {
    /// The tokens up to the last answer, if the API has reported them since the last summary.
    reported: Option<u64>,
    /// The bytes since then, or from the beginning if nothing was reported.
    bytes: u64,
}

impl Size {
    pub(super) fn grow(&mut self, content: &[Block]) {
        self.bytes = self.bytes.saturating_add(content.iter().map(bytes).sum());
    }

    /// Records the usage that an answer reports for everything up to its end; some providers report none.
    pub(super) fn record_usage(&mut self, usage: &Usage) {
        let read = usage.input_tokens.saturating_add(usage.cache_read).saturating_add(usage.cache_write);
        if read > 0 {
            *self = Self { reported: Some(read.saturating_add(usage.output_tokens)), bytes: 0 };
        }
    }

    /// Returns whether a provider has reported part of the size, which includes what was sent besides the conversation.
    pub(super) fn is_told(&self) -> bool {
        self.reported.is_some()
    }

    pub(super) fn tokens(&self) -> u64 {
        self.reported.unwrap_or(0).saturating_add(self.bytes.div_ceil(BYTES_OF_A_TOKEN))
    }
}

fn bytes(block: &Block) -> u64 {
    let length = match block {
        Block::Text(text) => text.len(),
        Block::Image { .. } => return BYTES_OF_AN_IMAGE,
        Block::ToolUse { id, name, input } => {
            id.len() + name.len() + serde_json::to_string(input).map_or(0, |text| text.len())
        }
        Block::ToolResult { tool_use_id, content, .. } => {
            return tool_use_id.len() as u64 + content.iter().map(bytes).sum::<u64>();
        }
        Block::Thinking { text, signature } => text.len() + signature.len(),
        Block::RedactedThinking { data } => data.len(),
        Block::Other(value) => value.to_string().len(),
    };
    length as u64
}
