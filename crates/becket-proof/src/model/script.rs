//! The turns that a model answers with.

use serde_json::{Map, Value};

/// The answers of a model, in order.
#[derive(Debug, Clone, Default)]
pub struct Script {
    /// One answer for each request that offers tools; after the last one the model answers `END`.
    pub turns: Vec<Turn>,
    /// A part of the name of a tool that a request must offer to be answered by a turn. Agents ask models for titles and
    /// summaries as well; those requests are answered with `ok`.
    pub main_tool: Option<&'static str>,
    /// Set if a prompt gets one turn: a request that follows a tool's result is answered with `END`.
    pub one_turn_per_prompt: bool,
}

/// One answer.
#[derive(Debug, Clone, PartialEq)]
pub enum Turn {
    /// A text, which ends the model's work.
    Text(String),
    /// A tool call.
    Call(ToolCall),
}

/// A tool call in the agent's own terms.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolCall {
    /// The name of the tool.
    pub tool: &'static str,
    /// The namespace of the tool, for the Responses API.
    pub namespace: Option<&'static str>,
    /// The input.
    pub input: CallInput,
}

/// The input of a tool call.
#[derive(Debug, Clone, PartialEq)]
pub enum CallInput {
    /// A JSON object.
    Object(Map<String, Value>),
    /// A text, for the tools of the Responses API with text input.
    Text(String),
}

impl ToolCall {
    /// Creates a call with a JSON object, or with an empty one if `input` is none.
    pub fn object(tool: &'static str, input: Value) -> Self {
        let input = match input {
            Value::Object(input) => input,
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => {
                Map::new()
            }
        };
        ToolCall { tool, namespace: None, input: CallInput::Object(input) }
    }

    /// Creates a call with a text.
    pub fn text(tool: &'static str, input: String) -> Self {
        ToolCall { tool, namespace: None, input: CallInput::Text(input) }
    }

    /// Sets the namespace.
    #[must_use]
    pub fn in_namespace(self, namespace: &'static str) -> Self {
        ToolCall { namespace: Some(namespace), ..self }
    }
}

impl CallInput {
    /// Returns the input as a JSON value.
    pub(super) fn value(&self) -> Value {
        match self {
            CallInput::Object(input) => Value::Object(input.clone()),
            CallInput::Text(text) => Value::String(text.clone()),
        }
    }

    /// Returns the input as the text of a JSON value.
    pub(super) fn json(&self) -> String {
        self.value().to_string()
    }
}
