//! Tools for agents of hooks, offered to the host's own model: the same work under the same gate.

use super::output::{ToolFailure, ToolOutput};
use super::tool::{Effect, Hints, RunningCall, Tool};
use becket_engine::{AgentTools, Tools};
use becket_llm::ToolSpec;
use becket_model::Session;
use futures_util::future::BoxFuture;
use serde_json::{Map, Value};
use std::sync::Arc;

/// Each of these tools, for a [`super::Toolbox`].
pub fn lent_tools<T: AgentTools + Tools + 'static>(tools: T) -> Vec<Arc<dyn Tool>> {
    let tools = Arc::new(tools);
    let one = |spec: ToolSpec| Arc::new(HostTool { tools: Arc::clone(&tools), spec }) as Arc<dyn Tool>;
    tools.tools().into_iter().map(one).collect()
}

/// One of them.
struct HostTool<T> {
    tools: Arc<T>,
    spec: ToolSpec,
}

impl<T: AgentTools + Tools> HostTool<T> {
    async fn answer(&self, running: RunningCall<'_>) -> Result<ToolOutput, ToolFailure> {
        let RunningCall { session, id: _, input, own: _, cancel, limit } = running;
        let work = self.tools.run(session, &self.spec.name, input, cancel);
        match tokio::time::timeout(limit, work).await {
            Ok(answer) if answer.is_error => Err(ToolFailure::new(answer.text)),
            Ok(answer) => Ok(ToolOutput::text(answer.text, answer.response)),
            Err(_) => Err(ToolFailure::new(format!("it took longer than {} s", limit.as_secs_f64()))),
        }
    }
}

impl<T: AgentTools + Tools> Tool for HostTool<T> {
    fn name(&self) -> &str {
        &self.spec.name
    }

    fn spec(&self) -> ToolSpec {
        self.spec.clone()
    }

    fn hints(&self) -> Hints {
        Hints { open_world: false, ..Hints::default() }
    }

    fn needs_person(&self) -> bool {
        self.tools.requires_user_interaction(&self.spec.name)
    }

    fn check(&self, input: &Map<String, Value>) -> Result<(), String> {
        self.tools.validate(&self.spec.name, input)
    }

    fn defaults(&self) -> Map<String, Value> {
        self.tools.defaults(&self.spec.name)
    }

    fn effect(&self, session: &Session, input: &Map<String, Value>) -> Effect {
        if self.tools.runs_unasked(session, &self.spec.name, input) { Effect::Reads } else { Effect::Acts }
    }

    fn replaced(&self, value: &Value) -> Result<ToolOutput, String> {
        let text = self.tools.text_of(&self.spec.name, value);
        let text =
            text.ok_or_else(|| format!("it does not have the shape of the output of `{}`", self.spec.name))?;
        Ok(ToolOutput::text(text, value.clone()))
    }

    fn run<'a>(&'a self, running: RunningCall<'a>) -> BoxFuture<'a, Result<ToolOutput, ToolFailure>> {
        Box::pin(self.answer(running))
    }
}
