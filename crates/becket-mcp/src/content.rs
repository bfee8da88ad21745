//! The blocks of which answers consist: of tools, prompts and resources.
//!
//! INVARIANT: a block is kept unchanged; none is dropped because its kind is unknown.

use serde_json::{Value, json};

/// One block of an answer: text, an image, a resource, or anything else that a server sends.
#[derive(Debug, Clone, PartialEq)]
pub struct Content(Value);

impl Content {
    pub(crate) fn new(value: Value) -> Self {
        Self(value)
    }

    /// Creates a block of text.
    #[must_use]
    pub fn of_text(text: impl Into<String>) -> Self {
        Self(json!({"type": "text", "text": text.into()}))
    }

    /// Returns the kind, `type` on the wire: `text`, `image`, `audio`, `resource`, `resource_link`, or another one.
    #[must_use]
    pub fn kind(&self) -> &str {
        self.0.get("type").and_then(Value::as_str).unwrap_or_default()
    }

    /// Returns the text of a text block.
    #[must_use]
    pub fn text(&self) -> Option<&str> {
        if self.kind() == "text" { self.0.get("text").and_then(Value::as_str) } else { None }
    }

    /// Returns the whole block, as in the protocol.
    #[must_use]
    pub fn value(&self) -> &Value {
        &self.0
    }
}
