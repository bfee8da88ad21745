//! A model's answer, and its token usage.

use crate::message::{Block, Object};

/// A complete answer.
#[derive(Debug, Clone, PartialEq)]
pub struct Response {
    /// The provider's name for this answer; empty if it has none.
    pub id: String,
    /// The model that answered, by the provider's name for it.
    pub model: String,
    /// The content, in order.
    pub content: Vec<Block>,
    /// The reason why the answer ended.
    pub stop: StopReason,
    /// The token usage.
    pub usage: Usage,
}

impl Response {
    /// Returns the text of all text blocks, concatenated.
    #[must_use]
    pub fn text(&self) -> String {
        self.content.iter().filter_map(Block::as_text).collect()
    }

    /// Returns the id, name and input of each tool call.
    pub fn tool_uses(&self) -> impl Iterator<Item = (&str, &str, &Object)> {
        self.content.iter().filter_map(|block| match block {
            Block::ToolUse { id, name, input } => Some((id.as_str(), name.as_str(), input)),
            Block::Text(_)
            | Block::Image { .. }
            | Block::ToolResult { .. }
            | Block::Thinking { .. }
            | Block::RedactedThinking { .. }
            | Block::Other(_) => None,
        })
    }
}

/// The reason why an answer ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StopReason {
    /// The model finished its turn.
    EndTurn,
    /// The answer reached [`Request::max_tokens`](crate::Request::max_tokens), and is cut off.
    MaxTokens,
    /// The model generated one of the [`Request::stop`](crate::Request::stop) sequences.
    StopSequence,
    /// The model calls tools.
    ToolUse,
    /// The model declined, or the provider did so for it.
    Refusal,
    /// The model paused a long turn; send the conversation again to continue.
    PauseTurn,
    /// Any other reason, as the provider reported it.
    Other(String),
}

impl StopReason {
    /// Returns the name in the Messages API.
    #[must_use]
    pub fn as_str(&self) -> &str {
        match self {
            StopReason::EndTurn => "end_turn",
            StopReason::MaxTokens => "max_tokens",
            StopReason::StopSequence => "stop_sequence",
            StopReason::ToolUse => "tool_use",
            StopReason::Refusal => "refusal",
            StopReason::PauseTurn => "pause_turn",
            StopReason::Other(other) => other,
        }
    }
}

/// The token usage of one answer, or the sum of several.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Usage {
    /// Input tokens that were not read from the cache.
    pub input_tokens: u64,
    /// Output tokens.
    pub output_tokens: u64,
    /// Input tokens read from the cache.
    pub cache_read: u64,
    /// Input tokens written to the cache.
    pub cache_write: u64,
}

impl Usage {
    /// Returns the sum of both.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self {
            input_tokens: self.input_tokens.saturating_add(other.input_tokens),
            output_tokens: self.output_tokens.saturating_add(other.output_tokens),
            cache_read: self.cache_read.saturating_add(other.cache_read),
            cache_write: self.cache_write.saturating_add(other.cache_write),
        }
    }
}
