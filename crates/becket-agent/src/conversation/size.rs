//! The size of a conversation, in tokens: as last reported by the API, plus an estimate for what came since.

use becket_llm::{Block, Usage};

/// Bytes of a token, on average. Bytes and not characters: a character that takes three of them takes more tokens, too.
const BYTES_OF_A_TOKEN: u64 = 4;

/// Assumed bytes of an image: its data does not determine its tokens.
const BYTES_OF_AN_IMAGE: u64 = 1_600 * BYTES_OF_A_TOKEN;

/// The size of a conversation.
#[derive(Debug, Default)]
pub(super) struct Size {
    /// Tokens up to the last answer, if the API has told them since the last summary.
    told: Option<u64>,
    /// Bytes since; from the beginning, if none was reported.
    bytes: u64,
}

impl Size {
    pub(super) fn grow(&mut self, content: &[Block]) {
        self.bytes = self.bytes.saturating_add(content.iter().map(bytes).sum());
    }

    /// Takes over the usage that an answer reports for everything up to its end; some providers report none.
    pub(super) fn told(&mut self, usage: &Usage) {
        let read = usage.input_tokens.saturating_add(usage.cache_read).saturating_add(usage.cache_write);
        if read > 0 {
            *self = Self { told: Some(read.saturating_add(usage.output_tokens)), bytes: 0 };
        }
    }

    /// Returns whether a provider has reported part of it, including what it was sent beside the conversation.
    pub(super) fn is_told(&self) -> bool {
        self.told.is_some()
    }

    pub(super) fn tokens(&self) -> u64 {
        self.told.unwrap_or(0).saturating_add(self.bytes.div_ceil(BYTES_OF_A_TOKEN))
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
