//! An answer of a model, and its token usage.

use crate::message::{Block, Object};

/// A whole answer.
#[derive(Debug, Clone, PartialEq)]
pub struct Response {
    /// The provider's name for this answer; empty if it has none.
    pub id: String,
    /// The model that answered, as the provider calls it.
    pub model: String,
    /// The content, in order.
    pub content: Vec<Block>,
    /// The reason why it ended.
    pub stop: StopReason,
    /// Tokens.
    pub usage: Usage,
}

impl Response {
    /// All text blocks, one after the other.
    #[must_use]
    pub fn text(&self) -> String {
        self.content.iter().filter_map(Block::as_text).collect()
    }

    /// The tools it asks for: id, name and input.
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
    /// The model was done.
    EndTurn,
    /// It reached [`Request::max_tokens`](crate::Request::max_tokens): the answer is cut off.
    MaxTokens,
    /// It wrote one of [`Request::stop`](crate::Request::stop).
    StopSequence,
    /// It asks for tools.
    ToolUse,
    /// It declined, or the provider did for it.
    Refusal,
    /// It paused a long turn; send the conversation again to go on.
    PauseTurn,
    /// Anything else, as the provider wrote it.
    Other(String),
}

impl StopReason {
    /// Returns its word in the Messages API.
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

/// Tokens of one answer, or of several added up.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Usage {
    /// Read without the cache.
    pub input_tokens: u64,
    /// Written.
    pub output_tokens: u64,
    /// Read from the cache.
    pub cache_read: u64,
    /// Written to the cache.
    pub cache_write: u64,
}

impl Usage {
    /// Both together.
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
