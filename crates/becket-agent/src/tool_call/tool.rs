//! A tool, as the code that runs its calls sees it.

use super::nested::NestedCalls;
use super::output::{ToolFailure, ToolOutput};
use becket_engine::CancellationToken;
use becket_llm::ToolSpec;
use becket_model::Session;
use becket_rules::PermissionUpdate;
use futures_util::future::BoxFuture;
use serde_json::{Map, Value};
use std::path::PathBuf;
use std::time::Duration;

/// A tool. It does its work; whether it may is asked before, by [`super::ToolCalls`].
pub trait Tool: Send + Sync {
    /// Its name, as the model calls it and as hooks and rules know it.
    fn name(&self) -> &str;

    /// Another name by which deny and ask rules may mean it: what it was called before its name was cut (X5). No allow
    /// rule does.
    fn other_name(&self) -> Option<&str> {
        None
    }

    /// Returns the specification for the model.
    fn spec(&self) -> ToolSpec;

    /// Returns the known effects of the tool.
    fn hints(&self) -> Hints {
        Hints::default()
    }

    /// The MCP server that it belongs to.
    fn server(&self) -> Option<&ServerOf> {
        None
    }

    /// Returns whether a person has to answer its prompts: no hook's allow and no mode does (D3).
    fn needs_person(&self) -> bool {
        false
    }

    /// Holds an input to the tool's schema. Asked of what the model wrote (L0) and of what a hook made of it (D9).
    ///
    /// # Errors
    /// The problem, for the model; names the field.
    fn check(&self, input: &Map<String, Value>) -> Result<(), String> {
        let _ = input;
        Ok(())
    }

    /// The defaults of its schema, which are filled in before hooks see a call (N3).
    fn defaults(&self) -> Map<String, Value> {
        Map::new()
    }

    /// Returns the effect of this call, as modes see it (P14); [`Effect::Acts`] if it is not certain.
    fn effect(&self, session: &Session, input: &Map<String, Value>) -> Effect {
        let _ = (session, input);
        Effect::Acts
    }

    /// The rule updates that a person is offered beside yes and no (P13).
    fn suggestions(&self, session: &Session, input: &Map<String, Value>) -> Vec<PermissionUpdate> {
        let _ = (session, input);
        Vec::new()
    }

    /// The file that a call with this input reads or changes, absolute; none if it is about no single file.
    fn touches(&self, input: &Map<String, Value>) -> Option<PathBuf> {
        let _ = input;
        None
    }

    /// Reads the output with which a PostToolUse hook replaced this tool's output (D11).
    ///
    /// # Errors
    /// It does not have the shape of this tool's output: then that stays.
    fn replaced(&self, value: &Value) -> Result<ToolOutput, String> {
        let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        Ok(ToolOutput::text(text, value.clone()))
    }

    /// Does it. After `cancel` it is dropped within a few seconds: whatever it has started has to end with it.
    fn run<'a>(&'a self, running: RunningCall<'a>) -> BoxFuture<'a, Result<ToolOutput, ToolFailure>>;

    /// The same for a tool that makes calls itself: what comes of those goes into `nested`. One that makes none leaves
    /// this out.
    fn run_nested<'a>(
        &'a self,
        running: RunningCall<'a>,
        nested: &'a NestedCalls,
    ) -> BoxFuture<'a, Result<ToolOutput, ToolFailure>> {
        let _ = nested;
        self.run(running)
    }
}

/// One call that runs.
#[derive(Debug, Clone, Copy)]
pub struct RunningCall<'a> {
    /// Where.
    pub session: &'a Session,
    /// The id of the call.
    pub id: &'a str,
    /// With what: the input that was judged.
    pub input: &'a Map<String, Value>,
    /// The model's own input, not normalized or rewritten: for responses that repeat parts of it (N3).
    pub own: &'a Map<String, Value>,
    /// Cancelled once the result is no longer needed.
    pub cancel: &'a CancellationToken,
    /// Time limit. The tool enforces it itself, since only it knows when its clock is paused.
    pub limit: Duration,
}

/// The effect of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Effect {
    /// It reads inside the working directories, or is a command that only reads.
    Reads,
    /// It edits inside the working directories.
    Edits,
    /// It edits elsewhere.
    EditsElsewhere,
    /// It edits what is protected: `.git`, settings, shell profiles.
    EditsProtected,
    /// Anything else, including unknown effects.
    Acts,
}

/// A tool's declared effects; by default the cautious ones (X5).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Hints {
    /// It changes nothing.
    pub read_only: bool,
    /// It may destroy something.
    pub destructive: bool,
    /// It deals with the world outside.
    pub open_world: bool,
    /// Its calls may run beside other calls that may.
    pub together: bool,
}

impl Default for Hints {
    fn default() -> Self {
        Self { read_only: false, destructive: true, open_world: true, together: false }
    }
}

/// The MCP server of a tool, as events name it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerOf {
    /// Its name in the configuration.
    pub name: String,
    /// Origin of its configuration.
    pub source: String,
}

impl ServerOf {
    /// As in events (`mcp_server`).
    pub(crate) fn on_the_wire(&self) -> Map<String, Value> {
        let fields = [("name", &self.name), ("source", &self.source)];
        fields.into_iter().map(|(key, value)| (key.to_owned(), Value::String(value.clone()))).collect()
    }
}
