//! A tool as described by its server.
//!
//! A schema is not corrected: its problem is recorded with the tool, which can be called anyway. Of JSON Schema,
//! types,
//! `enum`, `const`, `required`, `properties`, `items` and `additionalProperties: false` are checked; everything else
//! passes, since the server validates its own input.
//!
//! INVARIANT: a schema that is an object is kept unchanged, including the order of its members.

mod page;
mod schema;

use std::sync::Arc;

use serde_json::{Map, Value, json};

pub(crate) use page::page;
pub use schema::InputError;

/// The limit on the shown part of a description, in characters.
const SHOWN: usize = 2_048;

/// A tool of a connected server (`protocol.md` X5).
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Tool {
    /// The name on the server.
    pub name: String,
    /// The display name.
    pub title: Option<String>,
    /// The complete description, in the server's words. A list shows [`Tool::summary`].
    pub description: Option<String>,
    /// The JSON Schema of the input, unchanged; `{"type": "object"}` if the server's is not an object.
    pub input_schema: Arc<Map<String, Value>>,
    /// The JSON Schema of the structured answer, unchanged.
    pub output_schema: Option<Arc<Map<String, Value>>>,
    /// The server's hints about the effects of the tool.
    pub hints: Hints,
    /// `_meta`, unchanged.
    pub meta: Option<Map<String, Value>>,
    /// The problem with the input schema. The tool is listed and called anyway.
    pub problem: Option<String>,
}

/// The tools of a server, in its order.
pub type ToolList = Vec<Tool>;

/// A server's hints about the effects of a tool, with the protocol's defaults for missing ones. Untrusted: a server
/// can claim anything.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Hints {
    /// The tool changes nothing.
    pub read_only: bool,
    /// The tool may destroy something.
    pub destructive: bool,
    /// The tool is idempotent.
    pub idempotent: bool,
    /// The tool accesses external systems.
    pub open_world: bool,
}

impl Tool {
    pub(crate) fn from_wire(tool: rmcp::model::Tool) -> Self {
        let annotations = tool.annotations.unwrap_or_default();
        let problem = schema::problem(&tool.input_schema);
        Self {
            name: tool.name.into_owned(),
            title: tool.title.or(annotations.title),
            description: tool.description.map(std::borrow::Cow::into_owned),
            input_schema: tool.input_schema,
            output_schema: tool.output_schema,
            hints: Hints {
                read_only: annotations.read_only_hint.unwrap_or(false),
                destructive: annotations.destructive_hint.unwrap_or(true),
                idempotent: annotations.idempotent_hint.unwrap_or(false),
                open_world: annotations.open_world_hint.unwrap_or(true),
            },
            meta: tool.meta.map(|meta| meta.0),
            problem,
        }
    }

    /// Parses a tool that does not fit the protocol's own types: only the name is required. `None` if it has no name.
    pub(crate) fn from_json(tool: &Value) -> Option<Self> {
        let text = |key: &str| tool.get(key).and_then(Value::as_str).map(str::to_owned);
        let object = |key: &str| tool.get(key).and_then(Value::as_object).cloned();
        let annotations = tool.get("annotations");
        let hint = |key: &str, default| {
            annotations.and_then(|hints| hints.get(key)).and_then(Value::as_bool).unwrap_or(default)
        };
        let (input_schema, problem) = match tool.get("inputSchema") {
            Some(Value::Object(schema)) => (schema.clone(), schema::problem(schema)),
            Some(other) => (any_object(), Some(format!("its input schema is {}", schema::kind(other)))),
            None => (any_object(), Some("it has no input schema".to_owned())),
        };
        Some(Self {
            name: text("name")?,
            title: text("title").or_else(|| annotations?.get("title")?.as_str().map(str::to_owned)),
            description: text("description"),
            input_schema: input_schema.into(),
            output_schema: object("outputSchema").map(Arc::new),
            hints: Hints {
                read_only: hint("readOnlyHint", false),
                destructive: hint("destructiveHint", true),
                idempotent: hint("idempotentHint", false),
                open_world: hint("openWorldHint", true),
            },
            meta: object("_meta"),
            problem,
        })
    }

    /// Returns whether calls of it may run concurrently: it claims to change nothing. This allows nothing else; for
    /// permissions and modes the claim of a server counts only if its user trusts it.
    #[must_use]
    pub fn may_run_together(&self) -> bool {
        self.hints.read_only
    }

    /// Returns the beginning of the description, at most 2,048 characters, for a list that a person reads. A model
    /// gets all of it.
    #[must_use]
    pub fn summary(&self) -> Option<String> {
        self.description.as_deref().map(|text| becket_base::text::cut(text, SHOWN))
    }

    /// Checks an input against the schema, for a host that wants errors before the server's. See the module for the
    /// checked keywords; others pass.
    ///
    /// # Errors
    /// Returns all problems, each with its position.
    pub fn validate(&self, input: &Map<String, Value>) -> Result<(), Vec<InputError>> {
        if self.problem.is_some() { Ok(()) } else { schema::validate(&self.input_schema, input) }
    }
}

fn any_object() -> Map<String, Value> {
    Map::from_iter([("type".to_owned(), json!("object"))])
}

#[cfg(test)]
mod tests;
