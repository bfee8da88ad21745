//! One answer of the server.

use serde::Deserialize;
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::time::Duration;

/// One answer: the model's text and calls, their delivery, and a fault.
///
/// As JSON: `{"text": "I look.", "tool_uses": [{"id": "t1", "name": "Bash", "input": {"command": "pwd"}}]}`. An unknown
/// key is an error.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Turn {
    /// Texts that a request must contain, in its system prompt, first or last message, to get this turn. Such a turn
    /// takes precedence over turns without.
    pub when: Vec<String>,
    /// The model's reasoning before the answer; signed.
    pub thinking: Option<String>,
    /// The text of the answer.
    pub text: Option<String>,
    /// The answer as JSON: the input of the tool that the request forces, if it forces one.
    pub json: Option<Value>,
    /// The tool calls of the answer.
    pub tool_uses: Vec<Call>,
    /// `stop_reason`; derived from the rest if it is missing.
    pub stop: Option<String>,
    /// `usage`, in the API's own format, over the default.
    pub usage: Map<String, Value>,
    /// The refusal of the request, instead of an answer.
    pub refused: Option<ErrorReply>,
    /// A fault of the answer.
    pub trouble: Option<Trouble>,
    /// The delay in milliseconds before the answer begins.
    pub delay_ms: u64,
    /// The delay in milliseconds before each event of the stream.
    pub drip_ms: u64,
}

/// A tool call.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Call {
    /// The id; generated if it is empty.
    pub id: String,
    /// The tool.
    pub name: String,
    /// Its input.
    pub input: Value,
    /// Raw bytes instead of the input.
    pub raw: Option<String>,
}

/// An HTTP error status.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ErrorReply {
    /// 400 to 599.
    pub status: u16,
    /// `error.type`.
    #[serde(default)]
    pub kind: String,
    /// `error.message`.
    #[serde(default)]
    pub message: String,
    /// Further headers.
    #[serde(default)]
    pub headers: BTreeMap<String, String>,
}

/// A fault during an answer, or instead of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Trouble {
    /// The connection is closed before a byte of an answer.
    Closed,
    /// It is closed in the middle of the first block.
    CutInBlock,
    /// The stream ends normally at the HTTP level after the last block, without the end of the message.
    CutBeforeEnd,
    /// The first block is followed by bytes that are not an event.
    Garbage,
    /// The stream ends with an `overloaded_error`.
    ErrorEvent,
    /// A page of some proxy comes instead, with status 200.
    Page,
    /// Nothing ever comes; the connection stays open.
    Silence,
}

impl Turn {
    /// Creates a turn with a text.
    pub fn text(text: impl Into<String>) -> Self {
        Self { text: Some(text.into()), ..Self::default() }
    }

    /// Creates a turn with one tool call.
    pub fn call(id: impl Into<String>, name: impl Into<String>, input: Value) -> Self {
        Self::calls([Call { id: id.into(), name: name.into(), input, raw: None }])
    }

    /// Creates a turn with several tool calls.
    pub fn calls(calls: impl IntoIterator<Item = Call>) -> Self {
        Self { tool_uses: calls.into_iter().collect(), ..Self::default() }
    }

    /// Creates a turn that refuses the request.
    pub fn refused(status: u16, kind: &str, message: &str) -> Self {
        let refused =
            ErrorReply { status, kind: kind.into(), message: message.into(), headers: BTreeMap::new() };
        Self { refused: Some(refused), ..Self::default() }
    }

    /// Adds a header to the refusal, such as `retry-after`.
    #[must_use]
    pub fn header(mut self, name: &str, value: &str) -> Self {
        if let Some(refused) = &mut self.refused {
            refused.headers.insert(name.to_owned(), value.to_owned());
        }
        self
    }

    /// Adds a fault.
    #[must_use]
    pub fn trouble(mut self, trouble: Trouble) -> Self {
        self.trouble = Some(trouble);
        self
    }

    /// Restricts the turn to requests that contain this text.
    #[must_use]
    pub fn when(mut self, text: impl Into<String>) -> Self {
        self.when.push(text.into());
        self
    }

    /// Sets the delay before each event.
    #[must_use]
    pub fn drip(mut self, each: Duration) -> Self {
        self.drip_ms = u64::try_from(each.as_millis()).unwrap_or(u64::MAX);
        self
    }

    pub(super) fn stop(&self) -> &str {
        match &self.stop {
            Some(stop) => stop,
            None if self.tool_uses.is_empty() => "end_turn",
            None => "tool_use",
        }
    }
}
