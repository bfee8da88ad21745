//! A tool as its server describes it.

use std::sync::Arc;

use serde_json::{Map, Value};

/// A tool of a connected server (`protocol.md` X5).
#[derive(Debug, Clone, PartialEq)]
pub struct Tool {
    /// The name on the server, as it is called there.
    pub name: String,
    /// What it does, in the server's words.
    pub description: Option<String>,
    /// The JSON Schema of its input, as it came.
    pub input_schema: Arc<Map<String, Value>>,
    /// What the server says about its effects.
    pub hints: Hints,
}

/// What a server says about the effects of a tool, with the protocol's defaults where it says nothing. Untrusted: a
/// server can say anything.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Hints {
    /// It changes nothing.
    pub read_only: bool,
    /// It may destroy something.
    pub destructive: bool,
    /// Doing it twice is doing it once.
    pub idempotent: bool,
    /// It deals with things outside the server's own.
    pub open_world: bool,
}

impl Tool {
    pub(crate) fn from_wire(tool: rmcp::model::Tool) -> Self {
        let said = tool.annotations.unwrap_or_default();
        Self {
            name: tool.name.into_owned(),
            description: tool.description.map(std::borrow::Cow::into_owned),
            input_schema: tool.input_schema,
            hints: Hints {
                read_only: said.read_only_hint.unwrap_or(false),
                destructive: said.destructive_hint.unwrap_or(true),
                idempotent: said.idempotent_hint.unwrap_or(false),
                open_world: said.open_world_hint.unwrap_or(true),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    // rule: X5
    #[test]
    fn what_a_server_does_not_say_is_the_protocols_default() {
        for (annotations, expected) in [
            (json!(null), [false, true, false, true]),
            (json!({"readOnlyHint": true, "destructiveHint": false}), [true, false, false, true]),
            (json!({"idempotentHint": true, "openWorldHint": false}), [false, true, true, false]),
        ] {
            let schema = json!({"z": 1, "a": {"type": "object"}});
            let wire = json!({"name": "n", "inputSchema": schema, "annotations": annotations});
            let tool = Tool::from_wire(serde_json::from_value(wire).unwrap());
            let Hints { read_only, destructive, idempotent, open_world } = tool.hints;
            assert_eq!([read_only, destructive, idempotent, open_world], expected, "{annotations}");
            assert_eq!(Value::Object((*tool.input_schema).clone()).to_string(), schema.to_string());
        }
    }
}
