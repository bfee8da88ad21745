//! Conversion of blocks to and from the API's format.

use crate::message::{Block, Object};
use serde_json::Value;

/// Returns a block in the API's format; `None` if the API would reject it: empty text, a thought without a signature.
pub(super) fn to_wire(block: &Block) -> Option<Value> {
    match block {
        Block::Text(text) if text.trim().is_empty() => None,
        Block::Thinking { signature, .. } if signature.is_empty() => None,
        Block::ToolResult { tool_use_id, content, is_error } => {
            let content: Vec<Value> = content.iter().filter_map(to_wire).collect();
            let mut result = Block::result_to_json(tool_use_id, &[], *is_error);
            if let Some(result) = result.as_object_mut().filter(|_| content.is_empty()) {
                result.shift_remove("content");
            } else {
                result["content"] = Value::Array(content);
            }
            Some(result)
        }
        Block::Text(_)
        | Block::Image { .. }
        | Block::ToolUse { .. }
        | Block::Thinking { .. }
        | Block::RedactedThinking { .. }
        | Block::Other(_) => Some(block.to_json()),
    }
}

/// Reads a block of an answer. Unknown blocks, and blocks that differ from the documentation, are kept as received.
pub(super) fn from_wire(value: Value) -> Block {
    let text = |key: &str| value.get(key).and_then(Value::as_str).map(str::to_owned);
    let known = match value.get("type").and_then(Value::as_str) {
        // Citations are not needed to send a text back.
        Some("text") => text("text").map(Block::Text),
        Some("tool_use") => match (text("id"), text("name")) {
            (Some(id), Some(name)) => Some(Block::ToolUse { id, name, input: object(&value["input"]) }),
            _ => None,
        },
        Some("thinking") => text("thinking").map(|thought| Block::Thinking {
            text: thought,
            signature: text("signature").unwrap_or_default(),
        }),
        Some("redacted_thinking") => text("data").map(|data| Block::RedactedThinking { data }),
        _ => None,
    };
    known.unwrap_or(Block::Other(value))
}

fn object(value: &Value) -> Object {
    value.as_object().cloned().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_came_goes_back_unchanged() {
        for wire in [
            json!({"type": "text", "text": "hi"}),
            json!({"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": "ls"}}),
            json!({"type": "thinking", "thinking": "", "signature": "sig"}),
            json!({"type": "redacted_thinking", "data": "xyz"}),
            json!({"type": "server_tool_use", "id": "s1", "name": "web_search", "input": {}}),
            json!({"type": "of_the_future", "anything": [1, 2]}),
            json!({"no": "type"}),
        ] {
            assert_eq!(to_wire(&from_wire(wire.clone())), Some(wire));
        }
    }

    #[test]
    fn a_failed_tool_says_so_with_blocks() {
        let image = Block::Image { media_type: "image/png".into(), data: "AA==".into() };
        let content = vec![Block::Text("no".into()), image, Block::Text(String::new())];
        let result = Block::ToolResult { tool_use_id: "t1".into(), content, is_error: true };
        let wire = json!({"type": "tool_result", "tool_use_id": "t1", "content": [
            {"type": "text", "text": "no"},
            {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "AA=="}},
        ], "is_error": true});
        assert_eq!(to_wire(&result), Some(wire));
    }

    #[test]
    fn what_the_api_would_refuse_is_left_out() {
        assert_eq!(to_wire(&Block::Text(" \n".into())), None);
        assert_eq!(to_wire(&Block::Thinking { text: "x".into(), signature: String::new() }), None);
    }
}
