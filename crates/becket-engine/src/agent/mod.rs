//! Agent handlers: a model with the host's tools, under the session's rules, ending in a structured answer (H8).

mod id;

pub(crate) use id::is_hook_agent;

use crate::dispatch::Firing;
use crate::handler::{Handler, Prompt};
use crate::run_command::Ran;
use becket_model::interpret;
use becket_model::table::HandlerKind;
use becket_model::{Failure, Session};
use becket_process::CancellationToken;
use futures_util::future::BoxFuture;
use serde_json::{Map, Value};
use std::sync::Arc;

/// The tools that a host lends to `agent` handlers (H8). The engine fires their hooks, asks the rules and settles each
/// call before it is run; a tool only does its work.
pub trait AgentTools: Send + Sync {
    /// The tools, none of which starts agents.
    fn tools(&self) -> Vec<crate::stand_in::ToolSpec>;

    /// Whether the mode `default` runs this call without asking: reads inside the working directories, read-only
    /// commands (P14). Everything else that no allow rule covers is denied, since an agent runs in mode `dontAsk`.
    fn runs_unasked(&self, session: &Session, tool: &str, input: &Map<String, Value>) -> bool;

    /// Runs a call. The engine drops the future at the handler's limit and cancels `cancel` when the event is.
    fn run<'a>(
        &'a self,
        session: &'a Session,
        tool: &'a str,
        input: &'a Map<String, Value>,
        cancel: &'a CancellationToken,
    ) -> BoxFuture<'a, ToolAnswer>;
}

/// What came of a tool call.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolAnswer {
    /// For the model.
    pub text: String,
    /// For PostToolUse: `tool_response`.
    pub response: Value,
    /// Whether it failed; then `text` is the error.
    pub is_error: bool,
}

/// Runs the handler.
pub(crate) async fn run(firing: &Firing<'_>, handler: &Arc<Handler>, prompt: &Prompt) -> Ran {
    let _ = (handler, prompt);
    Ran::without_process(interpret::failed(
        firing.event.kind().spec(),
        Failure::NotInThisBuild { kind: HandlerKind::Agent },
    ))
}
