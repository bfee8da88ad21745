//! An agent that a test sets up: its settings, its model, its tools.

use super::tools::FakeTools;
use super::{agent_hook, host, turns};
use crate::common::{Project, command, fire, stop};
use becket_engine::{Engine, Outcome};
use becket_llm::ScriptedModel;
use serde_json::{Value, json};
use std::sync::Arc;

/// An agent on Stop, tools that it may call, and a model that follows a script.
pub(crate) struct Agent {
    pub(crate) project: Project,
    pub(crate) model: Arc<ScriptedModel>,
    pub(crate) tools: FakeTools,
}

impl Agent {
    /// Creates a project with these settings in addition to the agent's own hook.
    pub(crate) fn new(turns_of: Value, settings: Value) -> Self {
        Agent::with_model(turns(turns_of), settings)
    }

    pub(crate) fn with_model(model: Arc<ScriptedModel>, mut settings: Value) -> Self {
        if settings.get("hooks").is_none() {
            settings["hooks"] = json!({});
        }
        settings["hooks"]["Stop"] = json!([{"hooks": [agent_hook("are the tests green?")]}]);
        Agent { project: Project::with(settings), model, tools: FakeTools::default() }
    }

    pub(crate) fn engine(&self) -> Engine {
        let builder = self.project.builder().models(host(&self.model)).agent_tools(self.tools.for_agents());
        let engine = builder.build().unwrap();
        assert!(engine.config().diagnostics.is_empty(), "{:?}", engine.config().diagnostics);
        engine
    }

    pub(crate) fn fire(&self) -> Outcome {
        fire(&self.engine(), &self.project.event(stop()))
    }
}

pub(crate) fn use_tool(name: &str, input: Value) -> Value {
    json!({"tool_uses": [{"name": name, "input": input}]})
}

pub(crate) fn verdict(ok: bool) -> Value {
    use_tool("StructuredOutput", json!({"reason": "as seen", "ok": ok}))
}

/// Returns a hook that appends its input to a file of the project.
pub(crate) fn log_to(file: &str) -> Value {
    command(&format!("cat >> {file}"))
}

pub(crate) fn logged(project: &Project, file: &str) -> Vec<Value> {
    let path = project.path(&format!("work/{file}"));
    let text = std::fs::read_to_string(path).unwrap_or_default();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}
