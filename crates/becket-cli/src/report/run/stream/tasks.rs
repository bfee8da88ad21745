//! The lines about background tasks: the list of running tasks, and their start, progress and end.

use super::super::result::milliseconds;
use super::super::system_line::{BackgroundTasks, ListedTask, Task, TaskProgress, TaskUpdate, TaskUsage};
use becket_agent::update::{Update, UpdateKind};
use becket_llm::{Block, Usage};
use becket_tools::tasks::TaskKind;
use serde_json::{Value, json};
use std::time::{Instant, SystemTime, UNIX_EPOCH};

/// The running tasks.
#[derive(Debug, Default)]
pub(super) struct RunningTasks(Vec<RunningTask>);

#[derive(Debug)]
struct RunningTask {
    id: String,
    kind: TaskKind,
    description: String,
    since: Instant,
    tokens: u64,
    calls: u64,
    last_tool: Option<String>,
}

/// A line: its subtype and content.
pub(super) type TaskLine = (&'static str, Value);

impl RunningTasks {
    /// Returns the lines about a task that has begun or ended.
    pub(super) fn changed(&mut self, what: &UpdateKind) -> Vec<TaskLine> {
        let UpdateKind::Task { id, status, kind, description, output_file } = what else { return Vec::new() };
        if status == "running" {
            self.0.push(RunningTask {
                id: id.clone(),
                kind: kind.clone(),
                description: description.clone(),
                since: Instant::now(),
                tokens: 0,
                calls: 0,
                last_tool: None,
            });
            let mut started = Task::new(id, description, status, kind);
            started.is_backgrounded = Some(true);
            return vec![self.all(), line("task_started", &started)];
        }
        let at = self.0.iter().position(|task| task.id == *id);
        let task = at.map(|at| self.0.remove(at));
        let ended = SystemTime::now().duration_since(UNIX_EPOCH).map(milliseconds).unwrap_or_default();
        let update = TaskUpdate { task_id: id.clone(), patch: json!({"status": status, "end_time": ended}) };
        // In a notification, a killed task is a stopped one.
        let word = if status == "killed" { "stopped" } else { status };
        let mut notification = Task::new(id, description, word, kind);
        notification.output_file = Some(output_file.display().to_string());
        notification.summary = Some(format!("{description}: {word}"));
        notification.usage = task.as_ref().filter(|task| task.is_agent()).map(RunningTask::usage);
        vec![line("task_updated", &update), line("task_notification", &notification), self.all()]
    }

    /// Returns the line about the progress of the agent that an update belongs to.
    pub(super) fn progressed(&mut self, agent: &str, update: &Update) -> Option<TaskLine> {
        let task = self.0.iter_mut().find(|task| task.is_agent() && task.id == agent)?;
        if let UpdateKind::Answered { usage, content, .. } = &update.what {
            task.tokens = task.tokens.saturating_add(total(*usage));
            // The calls of the agent follow, with a line each.
            if content.iter().any(|block| matches!(block, Block::ToolUse { .. })) {
                return None;
            }
        } else if let UpdateKind::CallStarted { tool, .. } = &update.what {
            task.calls += 1;
            task.last_tool = Some(tool.clone());
        } else {
            return None;
        }
        let progress = TaskProgress {
            task_id: task.id.clone(),
            description: task.description.clone(),
            subagent_type: agent_type(&task.kind),
            usage: task.usage(),
            last_tool_name: task.last_tool.clone(),
        };
        Some(line("task_progress", &progress))
    }

    fn all(&self) -> TaskLine {
        let listed = |task: &RunningTask| ListedTask {
            task_id: task.id.clone(),
            task_type: task_type(&task.kind),
            subagent_type: agent_type(&task.kind),
            description: task.description.clone(),
        };
        line("background_tasks_changed", &BackgroundTasks { tasks: self.0.iter().map(listed).collect() })
    }
}

impl RunningTask {
    fn is_agent(&self) -> bool {
        matches!(self.kind, TaskKind::Agent { .. } | TaskKind::Teammate { .. })
    }

    fn usage(&self) -> TaskUsage {
        TaskUsage {
            total_tokens: self.tokens,
            tool_uses: self.calls,
            duration_ms: milliseconds(self.since.elapsed()),
        }
    }
}

impl Task {
    fn new(id: &str, description: &str, status: &str, kind: &TaskKind) -> Self {
        Task {
            task_id: id.to_owned(),
            task_type: task_type(kind),
            subagent_type: agent_type(kind),
            status: status.to_owned(),
            description: description.to_owned(),
            is_backgrounded: None,
            output_file: None,
            summary: None,
            usage: None,
        }
    }
}

fn line(subtype: &'static str, what: &impl serde::Serialize) -> TaskLine {
    (subtype, serde_json::to_value(what).unwrap_or_default())
}

fn total(usage: Usage) -> u64 {
    let Usage { input_tokens, output_tokens, cache_read, cache_write } = usage;
    [output_tokens, cache_read, cache_write].into_iter().fold(input_tokens, u64::saturating_add)
}

/// Returns the name of a kind of task in the SDKs.
fn task_type(kind: &TaskKind) -> &'static str {
    match kind {
        TaskKind::Shell { .. } => "local_bash",
        TaskKind::Agent { .. } => "local_agent",
        TaskKind::Teammate { .. } => "in_process_teammate",
    }
}

fn agent_type(kind: &TaskKind) -> Option<String> {
    match kind {
        TaskKind::Shell { .. } => None,
        TaskKind::Agent { agent_type } | TaskKind::Teammate { agent_type, .. } => Some(agent_type.clone()),
    }
}
