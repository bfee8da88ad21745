//! The JSON schemas that a model's answers must match.
//!
//! Every property is required and no others are allowed: providers reject a schema that leaves either open, and some
//! write required properties first, which would undo the order.

use crate::request::ToolSpec;
use serde_json::{Value, json};

/// Returns the schema of a verdict: `reason`, then `ok`, then, for events that may end even without it, `impossible`.
///
/// rules: H7, H8
#[must_use]
pub fn verdict_schema(with_impossible: bool) -> Value {
    let mut schema = json!({
        "type": "object",
        "properties": {
            "reason": {"type": "string", "description": "Why, in one or two sentences."},
            "ok": {"type": "boolean", "description": "Whether the condition holds."},
        },
        "required": ["reason", "ok"],
        "additionalProperties": false,
    });
    if with_impossible {
        let about = "Whether the condition can never hold, whatever is done. Otherwise false.";
        schema["properties"]["impossible"] = json!({"type": "boolean", "description": about});
        schema["required"] = json!(["reason", "ok", "impossible"]);
    }
    schema
}

/// Returns the schema for a model without native tool calls: each answer is either a call, `{"tool", "input"}`, or the
/// verdict.
///
/// rule: H8
#[must_use]
pub fn tool_request_schema(tools: &[ToolSpec]) -> Value {
    let mut shapes: Vec<Value> = tools
        .iter()
        .map(|tool| {
            json!({
                "type": "object",
                "description": tool.description,
                "properties": {"tool": {"type": "string", "enum": [tool.name]}, "input": tool.input_schema},
                "required": ["tool", "input"],
                "additionalProperties": false,
            })
        })
        .collect();
    shapes.push(verdict_schema(false));
    json!({"anyOf": shapes})
}

#[cfg(test)]
mod tests {
    use super::*;

    // rules: H7, H8
    #[test]
    fn the_reason_comes_before_the_verdict() {
        for with_impossible in [false, true] {
            let schema = verdict_schema(with_impossible);
            let keys: Vec<&String> = schema["properties"].as_object().unwrap().keys().collect();
            assert_eq!(keys[..2], ["reason", "ok"]);
            assert_eq!(schema["required"].as_array().unwrap().len(), keys.len());
            assert_eq!(keys.len(), 2 + usize::from(with_impossible));
            let text = schema.to_string();
            assert!(text.find("\"reason\"") < text.find("\"ok\""), "{text}");
        }
    }

    // rule: H8
    #[test]
    fn each_tool_has_its_own_shape() {
        let input_schema = json!({"type": "object", "properties": {"command": {"type": "string"}}});
        let tool =
            ToolSpec { name: "Bash".into(), description: "runs".into(), input_schema: input_schema.clone() };
        let schema = tool_request_schema(&[tool]);
        assert_eq!(schema["anyOf"][0]["properties"]["tool"]["enum"], json!(["Bash"]));
        assert_eq!(schema["anyOf"][0]["properties"]["input"], input_schema);
        assert_eq!(schema["anyOf"][1], verdict_schema(false));
    }
}
