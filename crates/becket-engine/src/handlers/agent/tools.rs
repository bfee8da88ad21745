//! The tools that a host provides to the agents of hooks.

use crate::config::Config;
use becket_llm::ToolSpec;
use becket_model::Session;
use becket_process::CancellationToken;
use futures_util::future::BoxFuture;
use serde_json::{Map, Value};
use std::sync::Arc;

/// The tools that a host provides to `agent` handlers (H8). The engine fires their hooks, checks the rules and settles
/// each call before it is run; a tool only does its work.
///
/// Before hooks see a call, its input is checked against the schema of [`crate::Tools::validate`]: a type that
/// implements this trait should implement that one too, and is passed in as both.
pub trait AgentTools: Send + Sync {
    /// The tools. Not offered to the model: one that starts agents (`Agent`, `Task`), one that a deny rule takes away as
    /// a whole (P1), and one called `StructuredOutput`, which is how an agent answers.
    fn tools(&self) -> Vec<ToolSpec>;

    /// Another configuration is in force from now on (C8); a call under way keeps what it started with. The one that an engine is
    /// built with is not told. Must come back at once, and not ask the engine.
    fn configured(&self, config: &Arc<Config>) {
        let _ = config;
    }

    /// Returns whether the mode `default` runs this call without a question: reads inside the working directories,
    /// read-only commands (P14). Every other call that no allow rule covers is denied, since an agent runs in mode
    /// `dontAsk`.
    ///
    /// `input` is what would run: paths absolute (N3), defaults filled in, rewritten if a hook did so. Called on the
    /// task that fires, so it may look at a few files and must not wait.
    fn runs_unasked(&self, session: &Session, tool: &str, input: &Map<String, Value>) -> bool;

    /// Runs a call; one at a time for each agent. The engine cancels `cancel` when the event is cancelled and at the
    /// handler's limit, and drops the future a moment later: whatever the call has started has to end with it.
    ///
    /// `session` is the event's, in mode `dontAsk` and with the agent's own id.
    fn run<'a>(
        &'a self,
        session: &'a Session,
        tool: &'a str,
        input: &'a Map<String, Value>,
        cancel: &'a CancellationToken,
    ) -> BoxFuture<'a, ToolAnswer>;

    /// Returns the text for the model of an output with which a PostToolUse hook replaces the tool's own; `None` if it
    /// does not have the shape of this tool's `response`: then the tool's own output stays (D11). By default a string
    /// is shown as it is, and anything else as JSON.
    fn text_of(&self, tool: &str, response: &Value) -> Option<String> {
        let _ = tool;
        Some(response.as_str().map_or_else(|| response.to_string(), str::to_owned))
    }
}

/// The result of a tool call.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolAnswer {
    /// For the model; of more than 30,000 characters the head and the tail are shown to it.
    pub text: String,
    /// For PostToolUse: `tool_response`.
    pub response: Value,
    /// Set if it failed; then `text` is the error.
    pub is_error: bool,
}
