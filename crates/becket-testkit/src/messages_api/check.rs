//! The rules of the Messages API, written from its documentation and from its known errors. Pure.
//!
//! INVARIANT: stricter than the API, never laxer. The API merges neighbours of one role, for example; here that is an
//! error, since no client does it on purpose.

mod conversation;
mod tools;

use serde_json::Value;

/// The keys of a request.
const KEYS: [&str; 19] = [
    "model",
    "messages",
    "max_tokens",
    "system",
    "tools",
    "tool_choice",
    "thinking",
    "output_config",
    "temperature",
    "top_p",
    "top_k",
    "stop_sequences",
    "stream",
    "metadata",
    "service_tier",
    "container",
    "context_management",
    "mcp_servers",
    "cache_control",
];

/// The maximum number of cache marks in a request.
const MARKS: usize = 4;

/// Returns why the API would reject a request with this body; `None` if it would accept it.
#[must_use]
pub fn refusal(body: &Value) -> Option<String> {
    let Some(fields) = body.as_object() else { return Some("the body is not a JSON object".into()) };
    if let Some(unknown) = fields.keys().find(|key| !KEYS.contains(&key.as_str())) {
        return Some(format!("{unknown}: Extra inputs are not permitted"));
    }
    if body["model"].as_str().is_none_or(str::is_empty) {
        return Some("model: Field required".into());
    }
    let Some(most) = body["max_tokens"].as_u64().filter(|most| *most > 0) else {
        return Some("max_tokens: Input should be greater than or equal to 1".into());
    };
    let Some(messages) = body["messages"].as_array().filter(|messages| !messages.is_empty()) else {
        return Some("messages: at least one message is required".into());
    };
    settings(body, most)
        .or_else(|| system(&body["system"]))
        .or_else(|| tools::refusal(&body["tools"], &body["tool_choice"]))
        .or_else(|| conversation::refusal(messages))
        .or_else(|| marks(body))
}

fn settings(body: &Value, most: u64) -> Option<String> {
    let temperature = &body["temperature"];
    if !temperature.is_null() && temperature.as_f64().is_none_or(|value| !(0.0..=1.0).contains(&value)) {
        return Some("temperature: range: 0..1".into());
    }
    let stops = body["stop_sequences"].as_array().map(Vec::as_slice).unwrap_or_default();
    if stops.iter().any(|stop| stop.as_str().is_none_or(|stop| stop.trim().is_empty())) {
        return Some("stop_sequences: each stop sequence must contain non-whitespace".into());
    }
    match body["thinking"]["type"].as_str() {
        Some("enabled") => {
            let budget = body["thinking"]["budget_tokens"].as_u64().unwrap_or_default();
            let fits = (1024..most).contains(&budget);
            (!fits).then(|| "thinking.enabled.budget_tokens: at least 1024 and less than `max_tokens`".into())
        }
        Some("disabled" | "adaptive") => None,
        None if body["thinking"].is_null() => None,
        other => Some(format!("thinking: unknown type {other:?}")),
    }
}

fn system(system: &Value) -> Option<String> {
    match system {
        Value::Null => None,
        Value::String(text) => conversation::blank(text).map(|wrong| format!("system: {wrong}")),
        Value::Array(blocks) => {
            blocks.iter().find_map(|block| match (&block["type"], block["text"].as_str()) {
                (kind, Some(text)) if kind == "text" => {
                    conversation::blank(text).map(|wrong| format!("system: {wrong}"))
                }
                _ => Some("system: only text blocks are allowed".into()),
            })
        }
        Value::Bool(_) | Value::Number(_) | Value::Object(_) => {
            Some("system: a text or a list of blocks".into())
        }
    }
}

/// Checks the cache marks: not too many, and none on blocks that can't be cached.
fn marks(body: &Value) -> Option<String> {
    let mut found = Vec::new();
    marked(body, &mut found);
    if found.len() > MARKS {
        return Some(format!(
            "a maximum of {MARKS} blocks with cache_control may be provided, found {}",
            found.len()
        ));
    }
    let is_thinking = |block: &&&Value| block["type"].as_str().is_some_and(|kind| kind.contains("thinking"));
    found.iter().find(is_thinking).map(|_| "cache_control cannot be set for thinking blocks".into())
}

fn marked<'a>(value: &'a Value, found: &mut Vec<&'a Value>) {
    match value {
        Value::Object(fields) => {
            if fields.get("cache_control").is_some_and(|mark| !mark.is_null()) {
                found.push(value);
            }
            // The input of a tool is data.
            let inside = fields.iter().filter(|(key, _)| !["input", "input_schema"].contains(&key.as_str()));
            inside.for_each(|(_, field)| marked(field, found));
        }
        Value::Array(items) => items.iter().for_each(|item| marked(item, found)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}
