//! `TaskStop`: ends a background task.

use super::output_tool::{for_model, unknown};
use super::registry::Tasks;
use super::task::{TaskEnd, TaskStatus};
use crate::schema::{Kind, Spec, required};
use becket_engine::{Effect, Hints, RunningCall, Tool, ToolFailure, ToolOutput};
use becket_llm::ToolSpec;
use becket_model::Session;
use futures_util::future::BoxFuture;
use serde_json::{Map, Value, json};

static SPEC: Spec = Spec {
    name: "TaskStop",
    description: "Ends a background task, with everything that it has started. Fails if the task has ended on its own.",
    fields: &[required("task_id", Kind::Text, "The id of the task")],
};

/// Ends a background task for the model. Rules and hooks know it as `KillShell` and `KillBash`, too (`protocol.md` M7).
#[derive(Debug, Clone)]
pub struct TaskStop {
    tasks: Tasks,
}

impl TaskStop {
    /// Creates the tool for tasks of this registry.
    #[must_use]
    pub fn new(tasks: Tasks) -> Self {
        Self { tasks }
    }

    async fn answer(&self, running: RunningCall<'_>) -> Result<ToolOutput, ToolFailure> {
        let id = running.input.get("task_id").and_then(Value::as_str).unwrap_or_default();
        let task = self.tasks.stop(id).await.ok_or_else(|| unknown(&self.tasks, id))?;
        let what = match &task.status {
            TaskStatus::Ended(TaskEnd::Killed) => format!("stopped task `{id}` ({})", task.description),
            TaskStatus::Ended(TaskEnd::Exited(_) | TaskEnd::Done | TaskEnd::Failed { .. }) => {
                self.tasks.mark_reported(&task.id);
                return Err(ToolFailure::new(format!("it is not running any more. {}", task.words())));
            }
            TaskStatus::Running => {
                return Err(ToolFailure::new(format!("task `{id}` has been cancelled, but does not end")));
            }
        };
        self.tasks.mark_reported(&task.id);
        let response = json!({
            "message": what,
            "task_id": task.id.as_str(),
            "task_type": task.kind.name(),
            "description": task.description,
        });
        Ok(ToolOutput::text(what, response))
    }
}

impl Tool for TaskStop {
    fn name(&self) -> &str {
        SPEC.name
    }

    fn spec(&self) -> ToolSpec {
        for_model(&SPEC)
    }

    fn hints(&self) -> Hints {
        Hints { read_only: false, destructive: true, open_world: false, together: true }
    }

    fn check(&self, input: &Map<String, Value>) -> Result<(), String> {
        SPEC.validate(input)
    }

    /// Only reads, for modes: it undoes a part of a call that was allowed, and nothing else, so no mode asks about it.
    fn effect(&self, _: &Session, _: &Map<String, Value>) -> Effect {
        Effect::Reads
    }

    fn replaced(&self, value: &Value) -> Result<ToolOutput, String> {
        let text = value.get("message").and_then(Value::as_str);
        let text = text.ok_or("it does not have the shape of the output of `TaskStop`")?;
        Ok(ToolOutput::text(text, value.clone()))
    }

    fn run<'a>(&'a self, running: RunningCall<'a>) -> BoxFuture<'a, Result<ToolOutput, ToolFailure>> {
        Box::pin(self.answer(running))
    }
}
