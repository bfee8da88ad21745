//! Blocks and answers in the lines of a transcript, in the form of the Messages API, so that other readers understand
//! them.
//!
//! INVARIANT: written content is restored unchanged, even if the API would reject it, such as unsigned thoughts and
//! blank texts.

use becket_llm::{Block, Object, Response, StopReason, Usage};
use serde_json::{Map, Value, json};

/// Returns a user's content; text only is a string, as other agents write it.
pub(super) fn user_content(content: &[Block]) -> Value {
    match content {
        [Block::Text(text)] => Value::from(text.as_str()),
        blocks => blocks.iter().map(Block::to_json).collect(),
    }
}

/// Returns the blocks of a message, or of a result; `None` if there is no content.
pub(super) fn content(value: Option<&Value>) -> Option<Vec<Block>> {
    match value? {
        Value::String(text) => Some(vec![Block::Text(text.clone())]),
        Value::Array(blocks) => Some(blocks.iter().map(from_json).collect()),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => None,
    }
}

fn from_json(value: &Value) -> Block {
    known(value).unwrap_or_else(|| Block::Other(value.clone()))
}

fn known(value: &Value) -> Option<Block> {
    let text = |key: &str| value.get(key).and_then(Value::as_str).map(str::to_owned);
    Some(match value.get("type")?.as_str()? {
        "text" => Block::Text(text("text")?),
        "image" => {
            let source = value.get("source")?.as_object()?;
            let of = |key: &str| source.get(key).and_then(Value::as_str).map(str::to_owned);
            Block::Image { media_type: of("media_type")?, data: of("data")? }
        }
        "tool_use" => Block::ToolUse {
            id: text("id")?,
            name: text("name")?,
            input: value.get("input").and_then(Value::as_object).cloned()?,
        },
        "tool_result" => Block::ToolResult {
            tool_use_id: text("tool_use_id")?,
            content: content(value.get("content")).unwrap_or_default(),
            is_error: value.get("is_error") == Some(&Value::Bool(true)),
        },
        "thinking" => Block::Thinking { text: text("thinking")?, signature: text("signature")? },
        "redacted_thinking" => Block::RedactedThinking { data: text("data")? },
        _ => return None,
    })
}

/// Returns an answer as a message.
pub(super) fn answer(answer: &Response) -> Value {
    let content: Vec<Value> = answer.content.iter().map(Block::to_json).collect();
    let usage = &answer.usage;
    json!({
        "id": answer.id, "type": "message", "role": "assistant", "model": answer.model, "content": content,
        "stop_reason": answer.stop.as_str(),
        "usage": {
            "input_tokens": usage.input_tokens, "cache_creation_input_tokens": usage.cache_write,
            "cache_read_input_tokens": usage.cache_read, "output_tokens": usage.output_tokens,
        },
    })
}

/// Returns a message as an answer; `None` without content.
pub(super) fn answered(message: &Object) -> Option<Response> {
    let text = |key: &str| message.get(key).and_then(Value::as_str).unwrap_or_default();
    let usage = message.get("usage").and_then(Value::as_object).cloned().unwrap_or_else(Map::new);
    let tokens = |key: &str| usage.get(key).and_then(Value::as_u64).unwrap_or(0);
    Some(Response {
        id: text("id").to_owned(),
        model: text("model").to_owned(),
        content: content(message.get("content"))?,
        stop: stop(text("stop_reason")),
        usage: Usage {
            input_tokens: tokens("input_tokens"),
            output_tokens: tokens("output_tokens"),
            cache_read: tokens("cache_read_input_tokens"),
            cache_write: tokens("cache_creation_input_tokens"),
        },
    })
}

fn stop(text: &str) -> StopReason {
    match text {
        "end_turn" => StopReason::EndTurn,
        "max_tokens" => StopReason::MaxTokens,
        "stop_sequence" => StopReason::StopSequence,
        "tool_use" => StopReason::ToolUse,
        "refusal" => StopReason::Refusal,
        "pause_turn" => StopReason::PauseTurn,
        other => StopReason::Other(other.to_owned()),
    }
}
