//! A tool as its server describes it.
//!
//! A schema is not corrected: its problem is reported beside it, and the tool can be called anyway. Of JSON
//! Schema, types, `enum`, `const`, `required`, `properties`, `items` and `additionalProperties: false` are checked;
//! everything else passes, since the server validates its own input.
//!
//! INVARIANT: a schema that is an object is kept as it came, down to the order of its members.

mod page;
mod schema;

use std::sync::Arc;

use serde_json::{Map, Value, json};

pub(crate) use page::page;
pub use schema::InputError;

/// Limit on the shown part of a description, in characters.
const SHOWN: usize = 2_048;

/// A tool of a connected server (`protocol.md` X5).
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Tool {
    /// The name on the server.
    pub name: String,
    /// The display name.
    pub title: Option<String>,
    /// Its description, in the server's words, complete. A list shows [`Tool::summary`].
    pub description: Option<String>,
    /// The JSON Schema of its input, as it came. If a tool's schema is not an object, `{"type": "object"}`.
    pub input_schema: Arc<Map<String, Value>>,
    /// The JSON Schema of its structured answer, as it came.
    pub output_schema: Option<Arc<Map<String, Value>>>,
    /// The server's hints about its effects.
    pub hints: Hints,
    /// `_meta`, unchanged.
    pub meta: Option<Map<String, Value>>,
    /// The problem with its input schema. It is listed and called anyway.
    pub problem: Option<String>,
}

/// The tools of a server, in its order.
pub type ToolList = Vec<Tool>;

/// A server's hints about the effects of a tool, with the protocol's defaults for missing ones. Untrusted: a server can
/// say anything.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Hints {
    /// It changes nothing.
    pub read_only: bool,
    /// It may destroy something.
    pub destructive: bool,
    /// It is idempotent.
    pub idempotent: bool,
    /// It accesses external systems.
    pub open_world: bool,
}

impl Tool {
    pub(crate) fn from_wire(tool: rmcp::model::Tool) -> Self {
        let said = tool.annotations.unwrap_or_default();
        let problem = schema::problem(&tool.input_schema);
        Self {
            name: tool.name.into_owned(),
            title: tool.title.or(said.title),
            description: tool.description.map(std::borrow::Cow::into_owned),
            input_schema: tool.input_schema,
            output_schema: tool.output_schema,
            hints: Hints {
                read_only: said.read_only_hint.unwrap_or(false),
                destructive: said.destructive_hint.unwrap_or(true),
                idempotent: said.idempotent_hint.unwrap_or(false),
                open_world: said.open_world_hint.unwrap_or(true),
            },
            meta: tool.meta.map(|meta| meta.0),
            problem,
        }
    }

    /// Reads a tool that does not fit the protocol's own types: only the name is required. `None` if it has no name.
    pub(crate) fn from_json(tool: &Value) -> Option<Self> {
        let text = |key: &str| tool.get(key).and_then(Value::as_str).map(str::to_owned);
        let object = |key: &str| tool.get(key).and_then(Value::as_object).cloned();
        let annotations = tool.get("annotations");
        let said = |key: &str, default| {
            annotations.and_then(|said| said.get(key)).and_then(Value::as_bool).unwrap_or(default)
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
                read_only: said("readOnlyHint", false),
                destructive: said("destructiveHint", true),
                idempotent: said("idempotentHint", false),
                open_world: said("openWorldHint", true),
            },
            meta: object("_meta"),
            problem,
        })
    }

    /// Returns true if calls of it may run side by side: it says that it changes nothing. That opens nothing else; for
    /// permissions and modes the word of a server counts only where its user trusts it.
    #[must_use]
    pub fn may_run_together(&self) -> bool {
        self.hints.read_only
    }

    /// Returns the beginning of the description, at most 2,048 characters, for a list that a person reads. A model gets
    /// all of it.
    #[must_use]
    pub fn summary(&self) -> Option<String> {
        self.description.as_deref().map(|text| becket_base::text::cut(text, SHOWN))
    }

    /// Checks an input against the schema, for a host that wants errors before the server's. See the module for the
    /// checked keywords; others pass.
    ///
    /// # Errors
    /// All problems, each with its position.
    pub fn validate(&self, input: &Map<String, Value>) -> Result<(), Vec<InputError>> {
        if self.problem.is_some() { Ok(()) } else { schema::validate(&self.input_schema, input) }
    }
}

fn any_object() -> Map<String, Value> {
    Map::from_iter([("type".to_owned(), json!("object"))])
}

#[cfg(test)]
mod tests;
