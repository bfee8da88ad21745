//! Answers in Anthropic's Messages API.

use super::protocol::{ResponseBody, is_streamed};
use super::script::Turn;
use super::sse::push_typed;
use serde_json::{Value, json};

pub(super) fn write(turn: &Turn, body: &Value, number: usize) -> ResponseBody {
    let (block, delta, stop) = match turn {
        Turn::Text(text) => {
            (json!({"type": "text", "text": text}), json!({"type": "text_delta", "text": text}), "end_turn")
        }
        Turn::Call(call) => (
            json!({"type": "tool_use", "id": format!("toolu_{number}"), "name": call.tool, "input": call.input.value()}),
            json!({"type": "input_json_delta", "partial_json": call.input.json()}),
            "tool_use",
        ),
    };
    let usage = json!({
        "input_tokens": 10, "output_tokens": 5, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0,
    });
    let message = |content: Value, stop: Value| {
        json!({
            "id": format!("msg_{number}"), "type": "message", "role": "assistant", "model": body.get("model"),
            "content": content, "stop_reason": stop, "stop_sequence": null, "usage": usage,
        })
    };
    if !is_streamed(body) {
        return ResponseBody::Json(message(json!([block]), json!(stop)));
    }
    let empty = match turn {
        Turn::Text(_) => json!({"type": "text", "text": ""}),
        Turn::Call(call) => json!({"type": "tool_use", "id": block["id"], "name": call.tool, "input": {}}),
    };
    let mut events = String::new();
    push_typed(&mut events, "message_start", json!({"message": message(json!([]), Value::Null)}));
    push_typed(&mut events, "content_block_start", json!({"index": 0, "content_block": empty}));
    push_typed(&mut events, "content_block_delta", json!({"index": 0, "delta": delta}));
    push_typed(&mut events, "content_block_stop", json!({"index": 0}));
    let end = json!({"delta": {"stop_reason": stop, "stop_sequence": null}, "usage": usage});
    push_typed(&mut events, "message_delta", end);
    push_typed(&mut events, "message_stop", json!({}));
    ResponseBody::Events(events)
}
