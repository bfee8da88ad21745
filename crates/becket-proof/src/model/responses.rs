//! Answers in OpenAI's Responses API.

use super::protocol::{ResponseBody, is_streamed};
use super::script::{CallInput, ToolCall, Turn};
use super::sse::push_typed;
use serde_json::{Value, json};

pub(super) fn write(turn: &Turn, body: &Value, number: usize) -> ResponseBody {
    let item = item(turn, number);
    let whole = |status: &str, output: Value| {
        json!({
            "id": format!("resp_{number}"), "object": "response", "created_at": 0, "status": status,
            "model": body.get("model"), "output": output,
            "usage": {
                "input_tokens": 10, "input_tokens_details": {"cached_tokens": 0}, "output_tokens": 5,
                "output_tokens_details": {"reasoning_tokens": 0}, "total_tokens": 15,
            },
        })
    };
    let done = whole("completed", json!([item]));
    if !is_streamed(body) {
        return ResponseBody::Json(done);
    }
    let mut stream = EventStream { text: String::new(), number: 0 };
    stream.push("response.created", json!({"response": whole("in_progress", json!([]))}));
    let mut begun = item.clone();
    begun["status"] = json!("in_progress");
    stream.push("response.output_item.added", json!({"output_index": 0, "item": begun}));
    match turn {
        Turn::Text(text) => stream.push_text(&item["id"], text),
        Turn::Call(ToolCall { input: input @ CallInput::Object(_), .. }) => {
            let at = json!({"item_id": item["id"], "output_index": 0, "delta": input.json()});
            stream.push("response.function_call_arguments.delta", at);
            let at = json!({"item_id": item["id"], "output_index": 0, "arguments": input.json()});
            stream.push("response.function_call_arguments.done", at);
        }
        Turn::Call(ToolCall { input: CallInput::Text(_), .. }) => {}
    }
    stream.push("response.output_item.done", json!({"output_index": 0, "item": item}));
    stream.push("response.completed", json!({"response": done}));
    ResponseBody::Events(stream.text)
}

fn item(turn: &Turn, number: usize) -> Value {
    let call_id = format!("call_{number}");
    match turn {
        Turn::Text(text) => json!({
            "type": "message", "id": format!("msg_{number}"), "role": "assistant", "status": "completed",
            "content": [{"type": "output_text", "text": text, "annotations": []}],
        }),
        Turn::Call(ToolCall { tool, input: CallInput::Text(text), .. }) => json!({
            "type": "custom_tool_call", "id": format!("ctc_{number}"), "call_id": call_id, "name": tool,
            "input": text, "status": "completed",
        }),
        Turn::Call(ToolCall { tool, namespace, input: input @ CallInput::Object(_) }) => {
            let mut call = json!({
                "type": "function_call", "id": format!("fc_{number}"), "call_id": call_id, "name": tool,
                "arguments": input.json(), "status": "completed",
            });
            if let Some(namespace) = namespace {
                call["namespace"] = json!(namespace);
            }
            call
        }
    }
}

/// Numbered events.
struct EventStream {
    text: String,
    number: u64,
}

impl EventStream {
    fn push(&mut self, name: &str, mut data: Value) {
        data["sequence_number"] = json!(self.number);
        self.number += 1;
        push_typed(&mut self.text, name, data);
    }

    fn push_text(&mut self, item: &Value, text: &str) {
        let at = |more: &str, value: Value| json!({"item_id": item, "output_index": 0, "content_index": 0, more: value});
        let part = |text: &str| json!({"type": "output_text", "text": text, "annotations": []});
        self.push("response.content_part.added", at("part", part("")));
        self.push("response.output_text.delta", at("delta", json!(text)));
        self.push("response.output_text.done", at("text", json!(text)));
        self.push("response.content_part.done", at("part", part(text)));
    }
}
