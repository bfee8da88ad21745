//! `TaskUpdate`: changes a task of the list; completes it, if TaskCompleted hooks allow it.
//!
//! INVARIANT: a task is completed only as its hooks have judged it. If they deny, stop the host, or another change came
//! first, no part of the update is applied.

use super::super::list::{Change, ListedTask, Status, To};
use super::tool::{At, failed, text};
use crate::tool_call::NestedCalls;
use becket_engine::{CancellationToken, RunningCall, ToolFailure, ToolOutput};
use becket_model::event::agents::TaskCompleted;
use becket_tools::schema::{Kind, Spec, optional, required};
use serde_json::{Map, Value, json};

pub(super) static SPEC: Spec = Spec {
    name: "TaskUpdate",
    description: "Changes a task of the list. Set `in_progress` before you begin with it, which makes it yours if it is \
        nobody's, and `completed` once it is done wholly: hooks may look at the work then, and refuse. What is not \
        named stays. `deleted` takes it away for good.",
    fields: &[
        required("taskId", Kind::Text, "The id of the task"),
        optional("subject", Kind::Text, "Another subject"),
        optional("description", Kind::Text, "Another description"),
        optional("activeForm", Kind::Text, "What is shown while somebody works on it"),
        optional(
            "status",
            Kind::Choice(&["pending", "in_progress", "completed", "deleted"]),
            "How far it has come",
        ),
        optional("addBlocks", Kind::Texts, "The ids of tasks that wait for this one"),
        optional("addBlockedBy", Kind::Texts, "The ids of tasks for which this one waits"),
        optional("owner", Kind::Text, "Who works on it; empty: nobody"),
        optional("metadata", Kind::Object, "What is kept beside it, by name; null takes a name away"),
    ],
};

pub(super) async fn run(
    at: &At,
    running: RunningCall<'_>,
    nested: &NestedCalls,
) -> Result<ToolOutput, ToolFailure> {
    let (session, cancel) = (running.session, running.cancel);
    let (list, who) = (at.team.list(session), at.team.teammate(session));
    let id = text(running.input, "taskId").unwrap_or_default();
    let mut change = change(running.input);
    if change.to == Some(To::Status(Status::Completed)) {
        let mut as_if = list.all(cancel).await.map_err(failed)?;
        let before = as_if.find(id).cloned();
        // A change that is not possible anyway is not judged by hooks.
        let after = as_if.change(id, &change, who.as_deref()).map_err(failed)?;
        if after.status.is_some() {
            at.judged(completed(at, &after.task, running), running, nested).await.map_err(|failure| {
                let error = format!("task #{} is not completed: {}", after.task.id, failure.error);
                ToolFailure::new(error).interrupted(failure.interrupted)
            })?;
            change.judged = before;
        }
    }
    // Once hooks have allowed it, the change is made: a cancel in between would not help any caller.
    let changed = list.change(id, change, who.as_deref(), &CancellationToken::new()).await.map_err(failed)?;
    let mut response = json!({"success": true, "taskId": changed.task.id, "updatedFields": changed.fields});
    if let Some((from, to)) = changed.status {
        response["statusChange"] = json!({"from": from, "to": to});
    }
    let what = match changed.fields.as_slice() {
        [] => "nothing was to be changed".to_owned(),
        fields => format!("updated {}", fields.join(", ")),
    };
    let now = changed.status.map(|(_, to)| format!("; it is {to}")).unwrap_or_default();
    Ok(ToolOutput::text(format!("Task #{}: {what}{now}", changed.task.id), response))
}

fn completed(at: &At, task: &ListedTask, running: RunningCall<'_>) -> TaskCompleted {
    let (teammate_name, team_name) = at.caller_and_team(running.session);
    TaskCompleted::new(task.id.clone(), task.subject.clone(), false)
        .task_description(task.description.clone())
        .teammate_name(teammate_name)
        .team_name(team_name)
}

/// Returns the change that an input requests.
fn change(input: &Map<String, Value>) -> Change {
    let own = |field: &str| text(input, field).map(str::to_owned);
    let ids = |field: &str| {
        let all = input.get(field).and_then(Value::as_array).into_iter().flatten();
        all.filter_map(Value::as_str).map(str::to_owned).collect()
    };
    Change {
        subject: own("subject"),
        description: own("description"),
        active_form: own("activeForm"),
        to: text(input, "status").and_then(To::read),
        owner: own("owner"),
        add_blocks: ids("addBlocks"),
        add_blocked_by: ids("addBlockedBy"),
        metadata: input.get("metadata").and_then(Value::as_object).cloned().unwrap_or_default(),
        judged: None,
    }
}
