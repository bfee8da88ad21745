//! The result of a call as the agent receives it. Pure.
//!
//! INVARIANT: the blocks of a server are passed on unchanged, including unknown kinds.

use becket_dialects::{Action, Resolution};
use becket_mcp::{CallResult, ReplaceError};
use serde_json::{Map, Value, json};

/// A result of MCP.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Answer {
    content: Vec<Value>,
    structured: Option<Value>,
    is_error: bool,
}

impl Answer {
    /// Converts the answer of a server.
    pub(super) fn of(result: &CallResult) -> Self {
        Answer {
            content: result.content.iter().map(|block| block.value().clone()).collect(),
            structured: result.structured.clone(),
            is_error: result.is_error,
        }
    }

    /// Returns an error with a text.
    pub(super) fn error(text: impl Into<String>) -> Self {
        Answer { content: vec![block(&text.into())], structured: None, is_error: true }
    }

    /// Returns the answer to a call that was not made.
    pub(super) fn refused(reason: &str) -> Self {
        Answer::error(format!("denied: {reason}"))
    }

    /// Adds a text for the model. A structured answer is converted to text: an agent that reads it would not read the
    /// blocks.
    pub(super) fn add(&mut self, text: &str) {
        if let Some(structured) = self.structured.take() {
            let has_text = self.content.iter().any(|block| block["type"] == "text");
            if !has_text {
                self.content.insert(0, block(&structured.to_string()));
            }
        }
        self.content.push(block(text));
    }

    /// Replaces the answer by the output of a hook.
    ///
    /// # Errors
    /// Errors if it can't be the output of a tool; the answer stays unchanged.
    pub(super) fn replace(&mut self, output: Value) -> Result<(), ReplaceError> {
        *self = Answer { is_error: self.is_error, ..Answer::of(&CallResult::replacement(output)?) };
        Ok(())
    }

    /// Applies the decisions of hooks about the result of a call: a replaced output, the reason of a block, context.
    ///
    /// # Errors
    /// Errors if an output can't be used; everything else is added.
    pub(super) fn apply(&mut self, event: &str, resolution: &Resolution) -> Result<(), ReplaceError> {
        let own = |key: &str| resolution.json.get("hookSpecificOutput")?.get(key).cloned();
        let output = own("updatedToolOutput").or_else(|| own("updatedMCPToolOutput"));
        let replaced = output.map_or(Ok(()), |output| self.replace(output));
        if let Action::Refuse { reason } = &resolution.action {
            self.add(&format!("{event} hook blocking error: {reason}"));
        }
        if let Some(context) = &resolution.context {
            self.add(&context_text(event, context));
        }
        if let Some(stop) = &resolution.stop {
            let why = if stop.is_empty() { "no reason is given" } else { stop };
            self.add(&format!("{event} hook: stop here and tell the user: {why}"));
        }
        replaced
    }

    /// Returns the whole result. `is_marked` adds the kind of result that newer versions of MCP require.
    pub(super) fn into_value(self, is_marked: bool) -> Value {
        let fields = [
            ("resultType", is_marked.then(|| json!("complete"))),
            ("content", Some(Value::Array(self.content))),
            ("structuredContent", self.structured),
            ("isError", Some(json!(self.is_error))),
        ];
        let fields: Map<String, Value> =
            fields.into_iter().filter_map(|(key, value)| Some((key.to_owned(), value?))).collect();
        Value::Object(fields)
    }
}

/// Returns the context of hooks as the model reads it.
pub(super) fn context_text(event: &str, context: &str) -> String {
    format!("{event} hook additional context: {context}")
}

fn block(text: &str) -> Value {
    json!({"type": "text", "text": text})
}

#[cfg(test)]
mod tests {
    use super::*;
    use becket_model::EventKind;

    fn resolution(json: Value) -> Resolution {
        let Value::Object(json) = json else { panic!("it is an object") };
        Resolution::from_protocol(EventKind::PostToolUse, json, None)
    }

    fn answer(content: Value, structured: Option<Value>) -> Answer {
        let Value::Array(content) = content else { panic!("it is a list") };
        Answer { content, structured, is_error: false }
    }

    #[test]
    fn an_answer_that_nothing_is_added_to_stays_as_it_is() {
        let blocks = json!([{"type": "hologram", "depth": 3}]);
        let mut same = answer(blocks.clone(), Some(json!({"a": 1})));
        same.apply("PostToolUse", &resolution(json!({}))).unwrap();
        let expected = json!({"content": blocks, "structuredContent": {"a": 1}, "isError": false});
        assert_eq!(same.clone().into_value(false), expected);
        assert_eq!(same.into_value(true)["resultType"], "complete");
    }

    // rules: D4, D5, D11
    #[test]
    fn hooks_replace_an_answer_and_add_to_it() {
        let mut changed = answer(json!([{"type": "text", "text": "secret"}]), Some(json!({"a": 1})));
        let said = json!({
            "decision": "block", "reason": "look again",
            "hookSpecificOutput": {"hookEventName": "PostToolUse", "updatedMCPToolOutput": "hidden", "additionalContext": "mind"}
        });
        changed.apply("PostToolUse", &resolution(said)).unwrap();
        let texts: Vec<&Value> = changed.content.iter().map(|block| &block["text"]).collect();
        assert_eq!(
            texts,
            [
                "hidden",
                "PostToolUse hook blocking error: look again",
                "PostToolUse hook additional context: mind"
            ]
        );
        assert_eq!((changed.structured, changed.is_error), (None, false));
        // An invalid output changes nothing, and the rest still counts.
        let mut kept = answer(json!([]), Some(json!({"a": 1})));
        let said = json!({"hookSpecificOutput": {"updatedMCPToolOutput": 5, "additionalContext": "mind"}});
        assert!(kept.apply("PostToolUse", &resolution(said)).is_err());
        assert_eq!(kept.content[0]["text"], r#"{"a":1}"#);
        assert_eq!(kept.structured, None);
    }

    #[test]
    fn a_refusal_is_an_error_with_its_reason() {
        let refused = Answer::refused("not on a Friday").into_value(false);
        assert_eq!(
            refused,
            json!({"content": [{"type": "text", "text": "denied: not on a Friday"}], "isError": true})
        );
    }
}
