//! Requests to a model of any provider.
//!
//! Holds no key, no URL and no model name: those belong to the [`Model`](crate::Model).

use crate::message::Message;
use serde_json::Value;

/// The default limit on the tokens of an answer.
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
    /// The rule for tool calls. Has an effect only if there are tools.
    pub tool_choice: ToolChoice,
    /// The shape of the answer.
    pub output: Output,
    /// The most tokens the answer may have.
    pub max_tokens: u32,
    /// Randomness, 0 to 1; `None` leaves it to the provider. Newest models accept none.
    pub temperature: Option<f32>,
    /// The setting of thinking before the answer.
    pub thinking: Thinking,
    /// The form in which thoughts are returned.
    pub thinking_display: Option<ThinkingDisplay>,
    /// The effort that the model puts into the answer.
    pub effort: Option<Effort>,
    /// The tokens that the model may plan with, for this answer and all that follow in its turn (Anthropic alone).
    pub task_budget: Option<u64>,
    /// Texts that end the answer.
    pub stop: Vec<String>,
    /// The setting of the provider's prefix cache.
    pub caching: PromptCaching,
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
            thinking_display: None,
            effort: None,
            task_budget: None,
            stop: Vec::new(),
            caching: PromptCaching::Off,
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
    /// The description for the model.
    pub description: String,
    /// The JSON Schema of its parameters, an object.
    pub input_schema: Value,
}

/// The rule for tool calls: allowed, required or forbidden.
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
    /// Any text.
    Text,
    /// JSON of this schema, as the answer's text.
    Json {
        /// Names the shape; letters, digits, `_` and `-`.
        name: String,
        /// Its JSON Schema.
        schema: Value,
    },
}

/// The setting of thinking before the answer.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Thinking {
    /// No thinking. rule: H7
    Off,
    /// As the provider does by default.
    #[default]
    Default,
    /// As much as the model finds right.
    Adaptive,
    /// Up to this number of tokens.
    Budget(u32),
}

/// The form in which thoughts are returned (Anthropic alone).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ThinkingDisplay {
    /// As a summary.
    Summarized,
    /// Not at all.
    Omitted,
}

impl ThinkingDisplay {
    /// The word on the wire.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Summarized => "summarized",
            Self::Omitted => "omitted",
        }
    }
}

/// The effort that a model puts into an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effort {
    /// Little.
    Low,
    /// Less than usual.
    Medium,
    /// The usual one.
    High,
    /// More than usual.
    XHigh,
    /// All of it.
    Max,
}

impl Effort {
    /// All levels, from the lowest.
    pub const ALL: [Self; 5] = [Self::Low, Self::Medium, Self::High, Self::XHigh, Self::Max];

    /// The word on the wire.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Low => "low",
            Self::Medium => "medium",
            Self::High => "high",
            Self::XHigh => "xhigh",
            Self::Max => "max",
        }
    }
}

/// The setting that caches the prefix of this request for the next one (Anthropic alone).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PromptCaching {
    /// Nothing is marked.
    Off,
    /// Everything up to the last message is marked, for the next turn of the same conversation.
    Conversation,
}
