//! Answers in Gemini's `generateContent`.

use super::protocol::ResponseBody;
use super::script::Turn;
use super::sse::push;
use serde_json::json;

/// The signature of a thought, which Gemini CLI expects with a call: base64 of any text.
const SIGNATURE: &str = "c2lnbmF0dXJl";

pub(super) fn write(turn: &Turn, path: &str, number: usize) -> ResponseBody {
    let part = match turn {
        Turn::Text(text) => json!({"text": text}),
        Turn::Call(call) => {
            let call = json!({"name": call.tool, "args": call.input.value(), "id": format!("call_{number}")});
            json!({"functionCall": call, "thoughtSignature": SIGNATURE})
        }
    };
    let answer = json!({
        "candidates": [{"content": {"role": "model", "parts": [part]}, "finishReason": "STOP", "index": 0}],
        "usageMetadata": {"promptTokenCount": 10, "candidatesTokenCount": 5, "totalTokenCount": 15},
        "modelVersion": "scripted",
    });
    if !path.ends_with("streamGenerateContent") {
        return ResponseBody::Json(answer);
    }
    let mut events = String::new();
    push(&mut events, None, &answer);
    ResponseBody::Events(events)
}
