//! The format of a turn of a script.

use crate::error::ModelError;
use crate::message::Object;
use crate::response::{StopReason, Usage};
use serde::Deserialize;
use serde_json::Value;
use std::time::Duration;

/// A turn of a script.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Turn {
    #[serde(default)]
    pub(super) expect: Vec<String>,
    pub(super) text: Option<String>,
    pub(super) json: Option<Value>,
    pub(super) thinking: Option<String>,
    #[serde(default)]
    pub(super) tool_uses: Vec<Call>,
    pub(super) stop: Option<TurnEnd>,
    #[serde(default)]
    pub(super) usage: Tokens,
    pub(super) error: Option<Failure>,
    #[serde(default)]
    pub(super) delay_ms: u64,
    pub(super) endless: Option<Endless>,
}

impl Turn {
    /// Returns an error that serde can't detect: a turn with two answers at once, or none.
    pub(super) fn problem(&self) -> Option<&'static str> {
        let says = self.text.is_some() || self.json.is_some() || !self.tool_uses.is_empty();
        match (self.text.is_some() && self.json.is_some(), says, &self.error, &self.endless) {
            (true, ..) => Some("both `text` and `json`"),
            (_, true, Some(_), _) => Some("both an answer and an `error`"),
            (_, _, Some(_), Some(_)) => Some("both an `error` and `endless`"),
            (_, true, _, Some(_)) => Some("both an answer and `endless`"),
            (_, false, None, None) => Some("neither an answer nor an `error` nor `endless`"),
            (_, true, None, None) | (_, false, Some(_), None) | (_, false, None, Some(_)) => None,
        }
    }

    /// Creates a turn with this text.
    #[must_use]
    pub fn text(text: impl Into<String>) -> Self {
        Self { text: Some(text.into()), ..Self::default() }
    }

    /// Creates a turn with this JSON as text.
    #[must_use]
    pub fn json(value: Value) -> Self {
        Self { json: Some(value), ..Self::default() }
    }

    /// Creates a turn that calls this tool.
    #[must_use]
    pub fn tool(name: impl Into<String>, input: Object) -> Self {
        Self { tool_uses: vec![Call { id: None, name: name.into(), input }], ..Self::default() }
    }

    /// Creates a turn that never answers.
    #[must_use]
    pub fn silence() -> Self {
        Self { endless: Some(Endless::Silence), ..Self::default() }
    }

    /// Restricts this turn to requests that contain this text.
    #[must_use]
    pub fn expecting(mut self, text: impl Into<String>) -> Self {
        self.expect.push(text.into());
        self
    }

    /// Delays this turn.
    #[must_use]
    pub fn after(mut self, delay: Duration) -> Self {
        self.delay_ms = u64::try_from(delay.as_millis()).unwrap_or(u64::MAX);
        self
    }
}

/// A tool call.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Call {
    pub(super) id: Option<String>,
    pub(super) name: String,
    #[serde(default)]
    pub(super) input: Object,
}

/// The reason why a turn ends, in the terms of a script.
#[derive(Debug, Clone, Copy, Deserialize)]
pub(super) enum TurnEnd {
    #[serde(rename = "end_turn")]
    Done,
    #[serde(rename = "max_tokens")]
    CutOff,
    #[serde(rename = "stop_sequence")]
    Stopped,
    #[serde(rename = "tool_use")]
    Tools,
    #[serde(rename = "refusal")]
    Refused,
    #[serde(rename = "pause_turn")]
    Paused,
}

impl From<TurnEnd> for StopReason {
    fn from(ending: TurnEnd) -> Self {
        match ending {
            TurnEnd::Done => Self::EndTurn,
            TurnEnd::CutOff => Self::MaxTokens,
            TurnEnd::Stopped => Self::StopSequence,
            TurnEnd::Tools => Self::ToolUse,
            TurnEnd::Refused => Self::Refusal,
            TurnEnd::Paused => Self::PauseTurn,
        }
    }
}

#[derive(Debug, Clone, Copy, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Tokens {
    input_tokens: u64,
    output_tokens: u64,
    cache_read: u64,
    cache_write: u64,
}

impl From<Tokens> for Usage {
    fn from(tokens: Tokens) -> Self {
        Self {
            input_tokens: tokens.input_tokens,
            output_tokens: tokens.output_tokens,
            cache_read: tokens.cache_read,
            cache_write: tokens.cache_write,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Endless {
    Silence,
    Text,
}

#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Kind {
    Unauthorized,
    RateLimited,
    Overloaded,
    BadRequest,
    NotFound,
    Connection,
    Truncated,
    BadAnswer,
    Server,
}

/// The error of a turn.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Failure {
    kind: Kind,
    #[serde(default = "scripted")]
    message: String,
    retry_after_s: Option<u32>,
}

fn scripted() -> String {
    "the script says so".to_owned()
}

impl Failure {
    pub(super) fn error(&self, from: &str) -> ModelError {
        let (from, message) = (from.to_owned(), self.message.clone());
        let retry_after = self.retry_after_s.map(|seconds| Duration::from_secs(seconds.into()));
        match self.kind {
            Kind::Unauthorized => ModelError::Unauthorized { from, status: 401, message },
            Kind::RateLimited => ModelError::RateLimited { from, retry_after, message },
            Kind::Overloaded => ModelError::Overloaded { from, retry_after, message },
            Kind::BadRequest => ModelError::BadRequest { from, message },
            Kind::NotFound => ModelError::NotFound { model: from.clone(), from, message },
            Kind::Connection => ModelError::Connection { from, message },
            Kind::Truncated => ModelError::Truncated { from },
            Kind::BadAnswer => ModelError::BadAnswer { from, message },
            Kind::Server => {
                let (status, kind) = (Some(500), String::new());
                ModelError::Provider { from, status, kind, retry_after, message }
            }
        }
    }
}
