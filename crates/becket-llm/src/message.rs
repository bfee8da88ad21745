//! A conversation: messages made of blocks.
//!
//! Unknown blocks are kept as received and sent back unchanged, so that a conversation is not damaged by what a
//! provider adds.

use serde_json::{Map, Value, json};

/// A JSON object, in its original order.
pub type Object = Map<String, Value>;

/// The author of a message. A system prompt is not a message: see [`Request::system`](crate::Request::system).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// The user, whose messages also carry the results of tools.
    User,
    /// The model.
    Assistant,
}

/// A message of one role.
#[derive(Debug, Clone, PartialEq)]
pub struct Message {
    /// The role of the author.
    pub role: Role,
    /// The blocks of the message, in order.
    pub content: Vec<Block>,
}

impl Message {
    /// Creates a user message that contains only text.
    #[must_use]
    pub fn user(text: impl Into<String>) -> Self {
        Self { role: Role::User, content: vec![Block::Text(text.into())] }
    }

    /// Creates an assistant message that contains only text.
    #[must_use]
    pub fn assistant(text: impl Into<String>) -> Self {
        Self { role: Role::Assistant, content: vec![Block::Text(text.into())] }
    }
}

/// A block of a message.
#[derive(Debug, Clone, PartialEq)]
pub enum Block {
    /// Plain text.
    Text(String),
    /// An image.
    Image {
        /// The media type, such as `image/png`.
        media_type: String,
        /// The image data in base64.
        data: String,
    },
    /// A tool call of the model.
    ToolUse {
        /// The id of the call; its result repeats it.
        id: String,
        /// The name of the tool.
        name: String,
        /// The parameters.
        input: Object,
    },
    /// The result of a tool call.
    ToolResult {
        /// The call's [`id`](Block::ToolUse::id).
        tool_use_id: String,
        /// The text and images of the result.
        content: Vec<Block>,
        /// True if the call failed, or was denied.
        is_error: bool,
    },
    /// The model's reasoning, with the signature needed to send it back.
    Thinking {
        /// The text of the reasoning.
        text: String,
        /// The signature, which is opaque and sent back unchanged.
        signature: String,
    },
    /// Reasoning that the provider encrypted; sent back unchanged.
    RedactedThinking {
        /// The encrypted reasoning, which is opaque.
        data: String,
    },
    /// Any other block, as received.
    Other(Value),
}

impl Block {
    /// Returns the text of a text block.
    #[must_use]
    pub fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            Self::Image { .. }
            | Self::ToolUse { .. }
            | Self::ToolResult { .. }
            | Self::Thinking { .. }
            | Self::RedactedThinking { .. }
            | Self::Other(_) => None,
        }
    }

    /// Returns the complete block in the format of the Messages API, including content that the API rejects, such as
    /// blank text or a thought without a signature. `is_error` of a result is present only if it is true.
    #[must_use]
    pub fn to_json(&self) -> Value {
        match self {
            Self::Text(text) => json!({"type": "text", "text": text}),
            Self::Image { media_type, data } => {
                json!({"type": "image", "source": {"type": "base64", "media_type": media_type, "data": data}})
            }
            Self::ToolUse { id, name, input } => {
                json!({"type": "tool_use", "id": id, "name": name, "input": input})
            }
            Self::ToolResult { tool_use_id, content, is_error } => {
                Self::result_to_json(tool_use_id, content, *is_error)
            }
            Self::Thinking { text, signature } => {
                json!({"type": "thinking", "thinking": text, "signature": signature})
            }
            Self::RedactedThinking { data } => json!({"type": "redacted_thinking", "data": data}),
            Self::Other(value) => value.clone(),
        }
    }

    /// Returns the JSON that [`Block::to_json`] returns for such a [`Block::ToolResult`].
    #[must_use]
    pub fn result_to_json(tool_use_id: &str, content: &[Block], is_error: bool) -> Value {
        let content: Vec<Value> = content.iter().map(Self::to_json).collect();
        let mut result = json!({"tool_use_id": tool_use_id, "type": "tool_result", "content": content});
        if is_error {
            result["is_error"] = Value::Bool(true);
        }
        result
    }
}
