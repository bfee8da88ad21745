//! Requests to a model of any provider.
//!
//! A request contains no key, URL or model name: those belong to the [`Model`](crate::Model).

use crate::message::Message;
use serde_json::Value;

/// The default maximum number of tokens of an answer.
const MAX_TOKENS: u32 = 4096;

/// A request. Start from [`Request::user`] or `default()`, and set what differs.
#[derive(Debug, Clone, PartialEq)]
pub struct Request {
    /// The system prompt.
    pub system: Option<String>,
    /// The conversation so far, oldest first.
    pub messages: Vec<Message>,
    /// The tools that the model may call.
    pub tools: Vec<ToolSpec>,
    /// The rule for tool calls. It has an effect only if there are tools.
    pub tool_choice: ToolChoice,
    /// The format of the answer.
    pub output: Output,
    /// The maximum number of tokens of the answer.
    pub max_tokens: u32,
    /// The sampling temperature, 0 to 1; `None` leaves it to the provider. The newest models accept none.
    pub temperature: Option<f32>,
    /// The setting of thinking before the answer.
    pub thinking: Thinking,
    /// The form in which thoughts are returned.
    pub thinking_display: Option<ThinkingDisplay>,
    /// The effort that the model puts into the answer.
    pub effort: Option<Effort>,
    /// The token budget that the model may plan with, for this answer and all later ones of its turn (Anthropic only).
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
    /// Creates a request with one user message.
    #[must_use]
    pub fn user(text: impl Into<String>) -> Self {
        Self { messages: vec![Message::user(text)], ..Self::default() }
    }

    /// Returns the temperature as an `f64` without conversion noise: 0.2 stays 0.2.
    pub(crate) fn widened_temperature(&self) -> Option<f64> {
        self.temperature.map(|value| value.to_string().parse().unwrap_or_else(|_| f64::from(value)))
    }
}

/// A tool that the model may call.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolSpec {
    /// The name of the tool.
    pub name: String,
    /// The description for the model.
    pub description: String,
    /// The JSON Schema of the parameters, an object.
    pub input_schema: Value,
}

/// The rule for tool calls: optional, required or forbidden.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ToolChoice {
    /// The model decides.
    Auto,
    /// The model must call at least one tool.
    Any,
    /// The model must call this tool.
    Tool(String),
    /// The model must not call any tool.
    None,
}

/// The format of an answer.
#[derive(Debug, Clone, PartialEq)]
pub enum Output {
    /// Any text.
    Text,
    /// JSON of this schema, as the text of the answer.
    Json {
        /// The name of the schema: letters, digits, `_` and `-`.
        name: String,
        /// The JSON Schema.
        schema: Value,
    },
}

/// The setting of thinking before the answer.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Thinking {
    /// No thinking. rule: H7
    Off,
    /// The provider's default.
    #[default]
    Default,
    /// As much thinking as the model chooses.
    Adaptive,
    /// Thinking with this maximum number of tokens.
    Budget(u32),
}

/// The form in which thoughts are returned (Anthropic only).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ThinkingDisplay {
    /// A summary of the thoughts.
    Summarized,
    /// No thoughts.
    Omitted,
}

impl ThinkingDisplay {
    /// Returns the name in the API.
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
    /// Low effort.
    Low,
    /// Less effort than usual.
    Medium,
    /// The usual effort.
    High,
    /// More effort than usual.
    XHigh,
    /// The maximum effort.
    Max,
}

impl Effort {
    /// All levels, from the lowest.
    pub const ALL: [Self; 5] = [Self::Low, Self::Medium, Self::High, Self::XHigh, Self::Max];

    /// Returns the name in the API.
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

/// The setting that caches the prefix of a request for the next one (Anthropic only).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PromptCaching {
    /// Nothing is marked.
    Off,
    /// Everything up to the last message is marked, for the next turn of the same conversation.
    Conversation,
}
