//! `TaskOutput`: shows the output of a background task, and its state. May wait for its end.

use super::registry::Tasks;
use super::task::{TaskInfo, TaskStatus};
use crate::schema::{Field, Kind, Spec, optional, required};
use becket_engine::{Effect, Hints, RunningCall, Tool, ToolFailure, ToolOutput};
use becket_llm::ToolSpec;
use becket_model::Session;
use futures_util::future::BoxFuture;
use serde_json::{Map, Value, json};
use std::time::Duration;

const DEFAULT_MS: u64 = 30_000;
const MOST_MS: u64 = 600_000;

static SPEC: Spec = Spec {
    name: "TaskOutput",
    description: "Shows the output and the status of a background task: a command that runs in the background, or an \
        agent. Waits for its end, unless `block` is false or `timeout` passes first. Of long output the beginning and \
        the end are shown; the file with all of it is named.",
    fields: &[
        required("task_id", Kind::Text, "The id of the task"),
        Field {
            name: "block",
            kind: Kind::Flag,
            required: false,
            default: Some(Value::Bool(true)),
            description: "Whether to wait for its end",
        },
        optional("timeout", Kind::Number(0, MOST_MS), "The maximum wait in milliseconds; 30,000 by default"),
    ],
};

/// Shows a background task to the model. Rules and hooks know it as `BashOutput`, too (`protocol.md` M7).
#[derive(Debug, Clone)]
pub struct TaskOutput {
    tasks: Tasks,
}

impl TaskOutput {
    /// Creates the tool for tasks of this registry.
    #[must_use]
    pub fn new(tasks: Tasks) -> Self {
        Self { tasks }
    }

    async fn answer(&self, running: RunningCall<'_>) -> Result<ToolOutput, ToolFailure> {
        let id = running.input.get("task_id").and_then(Value::as_str).unwrap_or_default();
        if running.input.get("block").and_then(Value::as_bool).unwrap_or(true) {
            let limit = running.input.get("timeout").and_then(Value::as_u64).unwrap_or(DEFAULT_MS);
            let limit = Duration::from_millis(limit).min(running.limit);
            // However the wait ends, the result is the state at that time.
            tokio::select! {
                _ = tokio::time::timeout(limit, self.tasks.wait(id)) => {}
                () = running.cancel.cancelled() => {}
            }
        }
        let task = self.tasks.find(id).ok_or_else(|| unknown(&self.tasks, id))?;
        let output = self.tasks.output(id).unwrap_or_default();
        if task.status != TaskStatus::Running {
            self.tasks.mark_reported(&task.id);
        }
        let response = response(&task, &output);
        Ok(ToolOutput::text(text_of(&response).unwrap_or_default(), response))
    }
}

/// Returns the failure for an unknown task, for the model.
pub(super) fn unknown(tasks: &Tasks, id: &str) -> ToolFailure {
    let id = crate::schema::brief(id);
    let known: Vec<String> = tasks.list().iter().map(|task| task.id.to_string()).collect();
    ToolFailure::new(match known.as_slice() {
        [] => format!("there is no task `{id}`: nothing was started in the background"),
        ids => format!("there is no task `{id}`: use one of `{}`", ids.join("`, `")),
    })
}

/// Converts a specification to the form that the model sees.
pub(crate) fn for_model(spec: &Spec) -> ToolSpec {
    ToolSpec {
        name: spec.name.to_owned(),
        description: spec.description.to_owned(),
        input_schema: spec.json_schema(),
    }
}

fn response(task: &TaskInfo, output: &str) -> Value {
    let retrieved = if task.status == TaskStatus::Running { "not_ready" } else { "success" };
    json!({
        "retrieval_status": retrieved,
        "task": {
            "task_id": task.id.as_str(),
            "task_type": task.kind.name(),
            "status": task.status.name(),
            "description": task.description,
            "output": output,
            "outputFile": task.output_file.display().to_string(),
            "exitCode": task.status.exit_code(),
        },
    })
}

/// Returns the text of a response; `None` if it is not a response of this tool.
fn text_of(response: &Value) -> Option<String> {
    let task = response.get("task")?;
    let field = |name: &str| task.get(name).and_then(Value::as_str);
    let mut lines =
        vec![format!("Task {} ({}): {}", field("task_id")?, field("task_type")?, field("status")?)];
    if let Some(code) = task.get("exitCode").and_then(Value::as_i64) {
        lines.push(format!("Exit code {code}"));
    }
    if let Some(file) = field("outputFile") {
        lines.push(format!("Output file: {file}"));
    }
    lines.push(match field("output")? {
        "" => "(no output so far)".to_owned(),
        output => format!("Output:\n{output}"),
    });
    Some(lines.join("\n"))
}

impl Tool for TaskOutput {
    fn name(&self) -> &str {
        SPEC.name
    }

    fn spec(&self) -> ToolSpec {
        for_model(&SPEC)
    }

    fn hints(&self) -> Hints {
        Hints { read_only: true, destructive: false, open_world: false, together: true }
    }

    fn check(&self, input: &Map<String, Value>) -> Result<(), String> {
        SPEC.validate(input)
    }

    fn defaults(&self) -> Map<String, Value> {
        SPEC.defaults()
    }

    /// Only reads: it shows output that the model's own calls have started.
    fn effect(&self, _: &Session, _: &Map<String, Value>) -> Effect {
        Effect::Reads
    }

    fn replaced(&self, value: &Value) -> Result<ToolOutput, String> {
        let text = text_of(value).ok_or("it does not have the shape of the output of `TaskOutput`")?;
        Ok(ToolOutput::text(text, value.clone()))
    }

    fn run<'a>(&'a self, running: RunningCall<'a>) -> BoxFuture<'a, Result<ToolOutput, ToolFailure>> {
        Box::pin(self.answer(running))
    }
}
