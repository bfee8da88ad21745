//! `TaskList` and `TaskGet`: show the list, and one task of it.

use super::super::list::{ListedTask, ListedTasks, Status};
use super::tool::{At, failed, text};
use becket_engine::{RunningCall, ToolFailure, ToolOutput};
use becket_tools::schema::{Kind, Spec, required};
use serde_json::{Value, json};

pub(super) static LIST: Spec = Spec {
    name: "TaskList",
    description: "Shows the list of tasks: what is to be done, who works on what, and what waits for what. TaskGet shows \
        one of them at length.",
    fields: &[],
};

pub(super) static GET: Spec = Spec {
    name: "TaskGet",
    description: "Shows one task of the list at length.",
    fields: &[required("taskId", Kind::Text, "The id of the task")],
};

pub(super) async fn list(at: &At, running: RunningCall<'_>) -> Result<ToolOutput, ToolFailure> {
    let tasks = at.team.list(running.session).all(running.cancel).await.map_err(failed)?;
    let shown: Vec<Value> = tasks.tasks.iter().map(|task| in_list(&tasks, task)).collect();
    let lines: Vec<String> = tasks.tasks.iter().map(|task| line(&tasks, task)).collect();
    let text = if lines.is_empty() { "There are no tasks.".to_owned() } else { lines.join("\n") };
    Ok(ToolOutput::text(text, json!({"tasks": shown})))
}

pub(super) async fn get(at: &At, running: RunningCall<'_>) -> Result<ToolOutput, ToolFailure> {
    let id = text(running.input, "taskId").unwrap_or_default();
    let tasks = at.team.list(running.session).all(running.cancel).await.map_err(failed)?;
    let task = tasks.find(id).ok_or_else(|| failed(tasks.unknown(id)))?;
    let blocks = tasks.blocks(&task.id);
    let mut shown = json!({
        "id": task.id,
        "subject": task.subject,
        "description": task.description,
        "status": task.status.as_str(),
        "blocks": blocks,
        "blockedBy": task.blocked_by,
    });
    if let Some(owner) = &task.owner {
        shown["owner"] = json!(owner);
    }
    if !task.metadata.is_empty() {
        shown["metadata"] = json!(task.metadata);
    }
    let mut parts = vec![line(&tasks, task), task.description.clone()];
    if !blocks.is_empty() {
        parts.push(format!("Waiting for it: #{}", blocks.join(", #")));
    }
    if !task.metadata.is_empty() {
        parts.push(format!("Metadata: {}", Value::Object(task.metadata.clone())));
    }
    parts.retain(|part| !part.is_empty());
    Ok(ToolOutput::text(parts.join("\n"), json!({"task": shown})))
}

fn in_list(tasks: &ListedTasks, task: &ListedTask) -> Value {
    let mut shown = json!({"id": task.id, "subject": task.subject, "status": task.status.as_str()});
    if let Some(owner) = &task.owner {
        shown["owner"] = json!(owner);
    }
    shown["blockedBy"] = json!(tasks.waits_for(task));
    shown
}

fn line(tasks: &ListedTasks, task: &ListedTask) -> String {
    let owner = task.owner.as_ref().map(|owner| format!(" ({owner})")).unwrap_or_default();
    let waits = tasks.waits_for(task);
    let waits = match task.status {
        Status::Pending | Status::InProgress if !waits.is_empty() => {
            format!(" [waits for #{}]", waits.join(", #"))
        }
        Status::Pending | Status::InProgress | Status::Completed => String::new(),
    };
    format!("#{} [{}] {}{owner}{waits}", task.id, task.status.as_str(), task.subject)
}
