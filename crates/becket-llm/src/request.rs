//! What a model is asked, whatever the provider.
//!
//! Holds no key, no URL and no model name: those belong to the [`Model`](crate::Model).

use crate::message::Message;
use serde_json::Value;

/// Tokens an answer may have where nobody says otherwise.
const MAX_TOKENS: u32 = 4096;

/// One request. Start from [`Request::user`] or from `default()` and set what differs.
#[derive(Debug, Clone, PartialEq)]
pub struct Request {
    /// The system prompt.
    pub system: Option<String>,
    /// The conversation so far, oldest first.
    pub messages: Vec<Message>,
    /// Tools the model may ask for.
    pub tools: Vec<ToolSpec>,
    /// Whether it may, must or must not ask for one. Counts only beside tools.
    pub tool_choice: ToolChoice,
    /// The shape of the answer.
    pub output: Output,
    /// The most tokens the answer may have.
    pub max_tokens: u32,
    /// Randomness, 0 to 1; `None` leaves it to the provider. Newest models accept none.
    pub temperature: Option<f32>,
    /// Whether the model thinks before it answers.
    pub thinking: Thinking,
    /// Texts that end the answer.
    pub stop: Vec<String>,
    /// Whether the provider keeps the prefix for later requests.
    pub caching: Caching,
}

impl Default for Request {
    fn default() -> Self {
        Self {
            system: None,
            messages: Vec::new(),
            tools: Vec::new(),
            tool_choice: ToolChoice::Auto,
            output: Output::Text,
            max_tokens: MAX_TOKENS,
            temperature: None,
            thinking: Thinking::Default,
            stop: Vec::new(),
            caching: Caching::Off,
        }
    }
}

impl Request {
    /// A request of one message of the user.
    #[must_use]
    pub fn user(text: impl Into<String>) -> Self {
        Self { messages: vec![Message::user(text)], ..Self::default() }
    }

    /// The temperature without the noise of widening: 0.2 stays 0.2.
    pub(crate) fn widened_temperature(&self) -> Option<f64> {
        self.temperature.map(|value| value.to_string().parse().unwrap_or_else(|_| f64::from(value)))
    }
}

/// A tool the model may ask for.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolSpec {
    /// Its name.
    pub name: String,
    /// What it does, for the model.
    pub description: String,
    /// The JSON Schema of its parameters, an object.
    pub input_schema: Value,
}

/// Whether the model asks for a tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ToolChoice {
    /// As it likes.
    Auto,
    /// At least one.
    Any,
    /// This one.
    Tool(String),
    /// None at all.
    None,
}

/// The shape of an answer.
#[derive(Debug, Clone, PartialEq)]
pub enum Output {
    /// Whatever the model writes.
    Text,
    /// JSON of this schema, as the answer's text.
    Json {
        /// Names the shape; letters, digits, `_` and `-`.
        name: String,
        /// Its JSON Schema.
        schema: Value,
    },
}

/// Whether the model thinks before it answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Thinking {
    /// No thinking. rule: H7
    Off,
    /// As the provider does by default.
    Default,
}

/// Whether the provider keeps the prefix of this request for the next one (Anthropic alone).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Caching {
    /// Nothing is marked.
    Off,
    /// Everything up to the last message is marked, for the next turn of the same conversation.
    Conversation,
}
