//! `/tasks`: the background tasks of the session.

use super::answer::{CommandContext, CommandResult};
use crate::report::style::{FAINT, HEAD, NONE, SOURCE};
use crate::report::table::{Cell, Table};
use becket_tools::tasks::{TaskInfo, Tasks};

/// Returns all tasks with their state and their output files; or ends one.
///
/// # Errors
/// Errors if there is no such task, or the argument is malformed.
pub(super) async fn shown(answering: CommandContext<'_>, argument: Option<&str>) -> CommandResult {
    let tasks = answering.session.tools.tasks();
    let words: Vec<&str> = argument.unwrap_or_default().split_whitespace().collect();
    match words.as_slice() {
        [] => Ok(listed(&tasks.list(), answering.at.around.width)),
        ["stop", id] => stopped(tasks, id).await,
        _ => Err("write `/tasks`, or `/tasks stop ID`".to_owned()),
    }
}

/// Ends a task of the session; also for the control protocol.
async fn stopped(tasks: &Tasks, id: &str) -> CommandResult {
    let before =
        tasks.find(id).ok_or_else(|| format!("there is no background task `{id}`; `/tasks` lists them"))?;
    let ran = before.status.name() == "running";
    let ended = tasks.stop(id).await.unwrap_or(before);
    Ok(match ran {
        true => format!("`{id}` has ended: {}", ended.status.name()),
        false => format!("`{id}` had ended before: {}", ended.status.name()),
    })
}

fn listed(tasks: &[TaskInfo], width: Option<usize>) -> String {
    if tasks.is_empty() {
        return "nothing was started in the background".to_owned();
    }
    let mut table = Table::default();
    for task in tasks {
        table.row([
            Cell::new(HEAD, &task.id.to_string()),
            Cell::new(NONE, task.status.name()),
            Cell::new(SOURCE, task.kind.name()),
            Cell::last(NONE, &task.description),
        ]);
        table.below(&format!(
            "    {}\n",
            crate::report::style::styled(FAINT, &task.output_file.display().to_string())
        ));
    }
    table.fitted(0, width)
}
