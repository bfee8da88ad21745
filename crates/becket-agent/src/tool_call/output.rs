//! The result of a tool that ran.

use becket_llm::Block;
use serde_json::Value;

/// Output of a tool.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolOutput {
    /// For the model.
    pub content: Vec<Block>,
    /// For hooks: `tool_response`.
    pub response: Value,
}

/// The reason why a tool that was started gave no answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{error}")]
pub struct ToolFailure {
    /// For the model.
    pub error: String,
    /// Set if the tool's own work was interrupted.
    pub interrupted: bool,
}

impl ToolOutput {
    /// An answer in text.
    pub fn text(text: impl Into<String>, response: Value) -> Self {
        Self { content: vec![Block::Text(text.into())], response }
    }

    /// Its text alone, as batches show it.
    #[must_use]
    pub fn as_text(&self) -> String {
        let texts: Vec<&str> = self.content.iter().filter_map(Block::as_text).collect();
        texts.join("\n")
    }
}

impl ToolFailure {
    /// A failure of the tool's own.
    pub fn new(error: impl Into<String>) -> Self {
        Self { error: error.into(), interrupted: false }
    }
}
