//! Reads the answers of a model that calls tools in JSON because it has no native tool calls.

use super::node::Node;
use super::read::{Verdict, VerdictError, field, quoted, the_object, verdict};
use crate::message::Object;
use serde_json::Value;

/// The content of such an answer.
#[derive(Debug, Clone, PartialEq)]
pub enum ToolRequest {
    /// A tool call.
    Call {
        /// The name of the tool.
        tool: String,
        /// The parameters of the call.
        input: Object,
    },
    /// The model is done.
    Verdict(Verdict),
}

/// Reads an answer to [`tool_request_schema`](super::tool_request_schema).
///
/// rule: H8
///
/// # Errors
/// See [`VerdictError`]; an object that is both a call and a verdict is [`VerdictError::Ambiguous`].
pub fn read_tool_request(text: &str) -> Result<ToolRequest, VerdictError> {
    let node = the_object(text)?;
    let Some(tool) = node.get("tool") else { return verdict(&node, text).map(ToolRequest::Verdict) };
    if node.get("ok").is_some() {
        return Err(VerdictError::Ambiguous { text: quoted(text) });
    }
    let Node::Text(tool) = tool else { return Err(field("tool", "a string", text)) };
    match node.get("input").map(Node::to_value) {
        Some(Value::Object(input)) => Ok(ToolRequest::Call { tool: tool.clone(), input }),
        Some(_) | None => Err(field("input", "an object", text)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    // rule: H8
    #[test]
    fn a_call_or_a_verdict_is_read_and_nothing_between() {
        let call = read_tool_request(r#"{"tool": "Bash", "input": {"command": "ls"}}"#).unwrap();
        let input = json!({"command": "ls"}).as_object().cloned().unwrap();
        assert_eq!(call, ToolRequest::Call { tool: "Bash".into(), input });
        let verdict = Verdict { ok: true, reason: Some("fine".into()), impossible: false };
        assert_eq!(read_tool_request(r#"{"reason":"fine","ok":true}"#), Ok(ToolRequest::Verdict(verdict)));
        let both = r#"{"tool": "Bash", "input": {}, "ok": true}"#;
        assert!(matches!(read_tool_request(both), Err(VerdictError::Ambiguous { .. })));
        for (text, name) in [
            (r#"{"tool": 1, "input": {}}"#, "tool"),
            (r#"{"tool": "x"}"#, "input"),
            (r#"{"tool": "x", "input": []}"#, "input"),
        ] {
            assert!(
                matches!(read_tool_request(text), Err(VerdictError::Field { field, .. }) if field == name),
                "{text}"
            );
        }
    }
}
