//! Answers in OpenAI's chat completions.

use super::protocol::{ResponseBody, is_streamed};
use super::script::Turn;
use super::sse::push;
use serde_json::{Value, json};

pub(super) fn write(turn: &Turn, body: &Value, number: usize) -> ResponseBody {
    let (text, calls, finish) = match turn {
        Turn::Text(text) => (Some(text), None, "stop"),
        Turn::Call(call) => {
            let function = json!({"name": call.tool, "arguments": call.input.json()});
            let call =
                json!({"index": 0, "id": format!("call_{number}"), "type": "function", "function": function});
            (None, Some(json!([call])), "tool_calls")
        }
    };
    let usage = json!({"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15});
    let with = |object: &str, choices: Value| {
        json!({
            "id": format!("chatcmpl-{number}"), "created": 0, "model": body.get("model"), "object": object,
            "choices": choices,
        })
    };
    if !is_streamed(body) {
        let mut message = json!({"role": "assistant", "content": text});
        if let Some(calls) = calls {
            message["tool_calls"] = calls;
        }
        let choice = json!({"index": 0, "message": message, "finish_reason": finish});
        let mut whole = with("chat.completion", json!([choice]));
        whole["usage"] = usage;
        return ResponseBody::Json(whole);
    }
    let chunk = |delta: Value, finish: Value| {
        let choice = json!({"index": 0, "delta": delta, "finish_reason": finish});
        with("chat.completion.chunk", json!([choice]))
    };
    let mut events = String::new();
    let first = json!({"role": "assistant", "content": text.map_or("", String::as_str)});
    push(&mut events, None, &chunk(first, Value::Null));
    if let Some(calls) = calls {
        push(&mut events, None, &chunk(json!({"tool_calls": calls}), Value::Null));
    }
    push(&mut events, None, &chunk(json!({}), json!(finish)));
    let mut last = with("chat.completion.chunk", json!([]));
    last["usage"] = usage;
    push(&mut events, None, &last);
    events.push_str("data: [DONE]\n\n");
    ResponseBody::Events(events)
}
