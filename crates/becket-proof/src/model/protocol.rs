//! The protocols of model APIs, distinguished by the path of a request.

use super::script::Turn;
use super::{anthropic, chat, gemini, responses};
use serde_json::Value;

/// The protocol of a model API.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Protocol {
    /// Anthropic's Messages API.
    Anthropic,
    /// OpenAI's Responses API.
    Responses,
    /// OpenAI's chat completions, which most providers offer.
    Chat,
    /// Gemini's `generateContent`.
    Gemini,
}

/// The body of a response.
pub(super) enum ResponseBody {
    /// One JSON value.
    Json(Value),
    /// Server-sent events.
    Events(String),
}

impl Protocol {
    /// Returns the protocol of a path without its query; `None` if the request is not for an answer of a model.
    pub(super) fn of(path: &str) -> Option<Self> {
        if path.ends_with("/messages") {
            Some(Protocol::Anthropic)
        } else if path.ends_with("/responses") {
            Some(Protocol::Responses)
        } else if path.ends_with("/chat/completions") {
            Some(Protocol::Chat)
        } else if path.ends_with("enerateContent") {
            Some(Protocol::Gemini)
        } else {
            None
        }
    }

    /// Returns the messages of a request: all but the system prompt and the tools.
    pub(super) fn messages(self, body: &Value) -> Value {
        let key = match self {
            Protocol::Anthropic | Protocol::Chat => "messages",
            Protocol::Responses => "input",
            Protocol::Gemini => "contents",
        };
        body.get(key).cloned().unwrap_or(Value::Null)
    }

    /// Returns true if a request follows the result of a tool, and not a prompt.
    pub(super) fn follows_result(self, body: &Value) -> bool {
        let messages = self.messages(body);
        let Some(last) = messages.as_array().and_then(|messages| messages.last()) else { return false };
        let has_part = |list: &str, is_result: fn(&Value) -> bool| {
            last.get(list).and_then(Value::as_array).is_some_and(|parts| parts.iter().any(is_result))
        };
        match self {
            Protocol::Anthropic => has_part("content", |part| part["type"] == "tool_result"),
            Protocol::Chat => last["role"] == "tool",
            Protocol::Responses => last["type"].as_str().is_some_and(|kind| kind.ends_with("_output")),
            Protocol::Gemini => has_part("parts", |part| part.get("functionResponse").is_some()),
        }
    }

    /// Writes an answer; `number` makes its ids unique.
    pub(super) fn write(self, turn: &Turn, body: &Value, path: &str, number: usize) -> ResponseBody {
        match self {
            Protocol::Anthropic => anthropic::write(turn, body, number),
            Protocol::Responses => responses::write(turn, body, number),
            Protocol::Chat => chat::write(turn, body, number),
            Protocol::Gemini => gemini::write(turn, path, number),
        }
    }
}

/// Returns the names of the tools that a request offers, in any of the protocols.
pub(super) fn tool_names(body: &Value) -> Vec<String> {
    let tools = body.get("tools").and_then(Value::as_array);
    tools.into_iter().flatten().flat_map(names).collect()
}

fn names(tool: &Value) -> Vec<String> {
    let declared = tool.get("functionDeclarations").or_else(|| tool.get("function_declarations"));
    if let Some(declared) = declared.and_then(Value::as_array) {
        return declared.iter().filter_map(|one| one.get("name")?.as_str().map(str::to_owned)).collect();
    }
    let own = tool.get("function").unwrap_or(tool);
    let name = own.get("name").or_else(|| own.get("type")).and_then(Value::as_str);
    name.map(str::to_owned).into_iter().collect()
}

/// Returns true if the client requests its answer as events.
pub(super) fn is_streamed(body: &Value) -> bool {
    body.get("stream").and_then(Value::as_bool).unwrap_or_default()
}
