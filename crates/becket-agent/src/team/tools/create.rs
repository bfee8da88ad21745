//! `TaskCreate`: adds a task to the list, if TaskCreated hooks allow it.
//!
//! INVARIANT: a task is added only after its hooks have allowed it: a session that is killed earlier leaves none, and
//! no teammate starts one that is then removed.

use super::super::list::ListedTask;
use super::tool::{At, failed, text};
use crate::tool_call::NestedCalls;
use becket_engine::{RunningCall, ToolFailure, ToolOutput};
use becket_model::event::agents::TaskCreated;
use becket_tools::schema::{Kind, Spec, optional, required};
use serde_json::{Map, Value, json};

pub(super) static SPEC: Spec = Spec {
    name: "TaskCreate",
    description: "Puts a task on the list of what is to be done, which everybody in the session shares. Use it to plan \
        work of several steps. It begins as `pending`; TaskUpdate says when it is begun and when it is done.",
    fields: &[
        required("subject", Kind::Text, "What is to be done, in one line"),
        required("description", Kind::Text, "The same at length: all that somebody else would have to know"),
        optional("activeForm", Kind::Text, "What is shown while somebody works on it: `Running the tests`"),
        optional("metadata", Kind::Object, "Whatever is to be kept beside it, by name"),
    ],
};

pub(super) fn check(input: &Map<String, Value>) -> Result<(), String> {
    match text(input, "subject").is_none_or(|subject| subject.trim().is_empty()) {
        true => Err("`subject` has to say what is to be done".to_owned()),
        false => Ok(()),
    }
}

pub(super) async fn run(
    at: &At,
    running: RunningCall<'_>,
    nested: &NestedCalls,
) -> Result<ToolOutput, ToolFailure> {
    let (input, list) = (running.input, at.team.list(running.session));
    let id = list.reserve(running.cancel).await.map_err(failed)?;
    let (subject, description) = (text(input, "subject").unwrap_or_default(), text(input, "description"));
    let mut task = ListedTask::new(id, subject, description.unwrap_or_default());
    task.active_form = text(input, "activeForm").map(str::to_owned);
    task.metadata = input.get("metadata").and_then(Value::as_object).cloned().unwrap_or_default();
    let (teammate_name, team_name) = at.caller_and_team(running.session);
    let created = TaskCreated::new(task.id.clone(), task.subject.clone())
        .task_description(task.description.clone())
        .teammate_name(teammate_name)
        .team_name(team_name);
    let judged = at.judged(created, running, nested).await;
    judged.map_err(|failure| {
        ToolFailure::new(format!("the task was not created: {failure}")).interrupted(failure.interrupted)
    })?;
    list.add(task.clone(), running.cancel).await.map_err(failed)?;
    let message = format!("Task #{} created: {}", task.id, task.subject);
    Ok(ToolOutput::text(message, json!({"task": {"id": task.id, "subject": task.subject}})))
}
