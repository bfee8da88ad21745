//! StructuredOutput: the tool by which the model gives its answer as JSON that matches the host's schema.
//!
//! It is called like any other tool: hooks see a call and may deny or rewrite it, and rules may deny it. Only an input
//! that was allowed and fits the schema is an answer; a turn without one does not end until its attempts are used up.

use becket_base::json_schema::{JsonSchema, SchemaError};
use becket_engine::{Effect, Hints, RunningCall, Tool, ToolFailure, ToolOutput};
use becket_llm::ToolSpec;
use becket_model::Session;
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use serde_json::{Map, Value, json};
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The name of the tool.
pub(crate) const NAME: &str = "StructuredOutput";

const DESCRIPTION: &str = "Gives your final answer, in the structure that was asked for. Call it exactly once, when the \
    work is done: only what it is called with counts as the answer, and no text replaces it.";

/// The text for a model that ends its turn without an answer.
pub(crate) const MISSING: &str = "The answer is still missing: it has to be given by a call of StructuredOutput that \
    fits its schema. Call it now.";

/// The answer of the current turn, and the tool that receives it. Cheap to clone; all clones are the same.
#[derive(Clone)]
pub struct StructuredOutput {
    schema: Arc<JsonSchema>,
    state: Arc<Mutex<State>>,
}

/// The state of the current turn.
#[derive(Debug, Default)]
struct State {
    answer: Option<Value>,
    /// The difference between the last attempt and the schema.
    mismatch: Option<String>,
}

impl StructuredOutput {
    /// Creates the tool for answers of this schema.
    ///
    /// # Errors
    /// Errors if it is not a valid schema, or not the schema of an object.
    pub fn new(schema: Value) -> Result<Self, SchemaError> {
        let is_object = schema.get("type").is_none_or(|kind| kind == "object");
        if schema.is_object() && !is_object {
            let why = "an answer is an object: write `\"type\": \"object\"`, with the value as one of its properties";
            // A type that does not exist has a separate error.
            JsonSchema::new(schema)?;
            return Err(SchemaError { at: "/type".to_owned(), why: why.to_owned() });
        }
        let schema = JsonSchema::new(schema)?;
        if !schema.source().is_object() {
            return Err(SchemaError { at: String::new(), why: "it must be a JSON object".to_owned() });
        }
        Ok(Self { schema: Arc::new(schema), state: Arc::default() })
    }

    /// Drops the answer of the previous turn.
    pub(crate) fn begin(&self) {
        *self.state() = State::default();
    }

    /// Returns whether there is an answer.
    pub(crate) fn is_given(&self) -> bool {
        self.state().answer.is_some()
    }

    /// Takes the answer.
    pub(crate) fn take(&self) -> Option<Value> {
        self.state().answer.take()
    }

    /// Returns the difference between the last attempt and the schema.
    pub(crate) fn mismatch(&self) -> Option<String> {
        self.state().mismatch.clone()
    }

    fn fits(&self, input: &Map<String, Value>) -> Result<Value, String> {
        let value = Value::Object(input.clone());
        let checked = self.schema.check(&value).map_err(|mismatch| mismatch.to_string());
        let mut state = self.state();
        state.mismatch = checked.as_ref().err().cloned();
        checked.map(|()| value).map_err(|why| format!("the answer does not fit its schema: {why}"))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Tool for StructuredOutput {
    fn name(&self) -> &str {
        NAME
    }

    fn spec(&self) -> ToolSpec {
        let mut input_schema = self.schema.source().clone();
        if let Some(fields) = input_schema.as_object_mut() {
            fields.entry("type").or_insert_with(|| json!("object"));
        }
        ToolSpec { name: NAME.to_owned(), description: DESCRIPTION.to_owned(), input_schema }
    }

    fn hints(&self) -> Hints {
        Hints { read_only: true, destructive: false, open_world: false, together: false }
    }

    fn check(&self, input: &Map<String, Value>) -> Result<(), String> {
        self.fits(input).map(drop)
    }

    /// The call has no effect on files or the world.
    fn effect(&self, _: &Session, _: &Map<String, Value>) -> Effect {
        Effect::Reads
    }

    fn run<'a>(&'a self, running: RunningCall<'a>) -> BoxFuture<'a, Result<ToolOutput, ToolFailure>> {
        let taken = self.fits(running.input).map_err(ToolFailure::new).map(|answer| {
            self.state().answer = Some(answer.clone());
            ToolOutput::text("The answer was taken. End now, unless it has to be corrected.", answer)
        });
        std::future::ready(taken).boxed()
    }
}

impl fmt::Debug for StructuredOutput {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StructuredOutput").field("schema", &self.schema).finish_non_exhaustive()
    }
}
