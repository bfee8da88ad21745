//! A background task, as seen by the registry and the host.

use super::id::TaskId;
use super::output::Output;
use becket_engine::CancellationToken;
use futures_util::future::BoxFuture;
use serde_json::{Map, Value, json};
use std::path::PathBuf;
use std::sync::Arc;

/// Work that runs in parallel to its session.
pub trait BackgroundTask: Send + 'static {
    /// Describes the task. Called once, before it starts.
    fn about(&self) -> About;

    /// Does the work to its end. After `run.cancel` was cancelled it has ten seconds to clean up, then it is dropped:
    /// everything that it has started must end with it, and must end on a drop at any other moment, too.
    fn run(self: Box<Self>, run: TaskRun) -> BoxFuture<'static, TaskEnd>;
}

/// The description of a task, for events and the model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct About {
    /// The existing name of the task; without one it gets an id.
    pub id: Option<TaskId>,
    /// The kind of work.
    pub kind: TaskKind,
    /// A short description of the work.
    pub description: String,
}

/// Called for a task that has begun or ended.
pub type Observer = Arc<dyn Fn(&TaskInfo) + Send + Sync>;

/// The kind of a task's work.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum TaskKind {
    /// A command line.
    Shell {
        /// The line.
        command: String,
    },
    /// A subagent.
    Agent {
        /// The kind of agent (`agent_type`).
        agent_type: String,
    },
    /// A teammate: an agent that waits for messages when it has nothing to do.
    Teammate {
        /// The name in its team.
        name: String,
        /// The kind of agent (`agent_type`).
        agent_type: String,
    },
}

impl TaskKind {
    /// Returns the name on the wire.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Shell { .. } => "shell",
            Self::Agent { .. } => "subagent",
            Self::Teammate { .. } => "teammate",
        }
    }

    /// Returns whether it is a teammate.
    #[must_use]
    pub const fn is_teammate(&self) -> bool {
        matches!(self, Self::Teammate { .. })
    }

    pub(super) const fn initial(&self) -> char {
        match self {
            Self::Shell { .. } => 'b',
            Self::Agent { .. } => 'a',
            Self::Teammate { .. } => 't',
        }
    }
}

/// The handles of a running task.
#[derive(Debug)]
pub struct TaskRun {
    /// The id of the task.
    pub id: TaskId,
    /// Cancelled when the task is stopped, by `TaskStop` or the session's end.
    pub cancel: CancellationToken,
    /// The receiver of its output.
    pub output: Output,
}

/// The end of a task.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TaskEnd {
    /// The process exited with this code.
    Exited(i32),
    /// The work is done.
    Done,
    /// The work failed.
    Failed {
        /// The reason.
        because: String,
    },
    /// The task was stopped.
    Killed,
}

/// The status of a task.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TaskStatus {
    /// The task is running.
    Running,
    /// The task has ended.
    Ended(TaskEnd),
}

impl TaskStatus {
    /// Returns the name on the wire: `running`, `completed`, `failed` or `killed`.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Running => "running",
            Self::Ended(TaskEnd::Exited(0) | TaskEnd::Done) => "completed",
            Self::Ended(TaskEnd::Exited(_) | TaskEnd::Failed { .. }) => "failed",
            Self::Ended(TaskEnd::Killed) => "killed",
        }
    }

    /// Returns the exit code, for a process that has one.
    #[must_use]
    pub const fn exit_code(&self) -> Option<i32> {
        match self {
            Self::Ended(TaskEnd::Exited(code)) => Some(*code),
            Self::Running | Self::Ended(TaskEnd::Done | TaskEnd::Failed { .. } | TaskEnd::Killed) => None,
        }
    }
}

/// A snapshot of a task.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TaskInfo {
    /// The id of the task.
    pub id: TaskId,
    /// The kind of work.
    pub kind: TaskKind,
    /// A short description of the work.
    pub description: String,
    /// The status: running, or its end.
    pub status: TaskStatus,
    /// The private file with its output.
    pub output_file: PathBuf,
    /// The size of its output in bytes.
    pub output_bytes: u64,
}

impl TaskInfo {
    /// Returns the task as in `background_tasks` of Stop and SubagentStop.
    #[must_use]
    pub fn on_the_wire(&self) -> Map<String, Value> {
        let more = match &self.kind {
            TaskKind::Shell { command } => vec![("command", json!(command))],
            TaskKind::Agent { agent_type } => vec![("agent_type", json!(agent_type))],
            TaskKind::Teammate { name, agent_type } => {
                vec![("agent_type", json!(agent_type)), ("name", json!(name))]
            }
        };
        let fields = [
            ("id", json!(self.id.as_str())),
            ("type", json!(self.kind.name())),
            ("status", json!(self.status.name())),
            ("description", json!(self.description)),
        ];
        fields.into_iter().chain(more).map(|(name, value)| (name.to_owned(), value)).collect()
    }

    /// Describes the task's state for the model, which is told at its end.
    #[must_use]
    pub fn words(&self) -> String {
        let what = match &self.kind {
            TaskKind::Shell { .. } => "command",
            TaskKind::Agent { .. } => "agent",
            TaskKind::Teammate { .. } => "teammate",
        };
        let status = match &self.status {
            TaskStatus::Running => "is still running".to_owned(),
            TaskStatus::Ended(TaskEnd::Exited(code)) => {
                format!("{} (exit code {code})", self.status.name())
            }
            TaskStatus::Ended(TaskEnd::Failed { because }) => format!("failed: {because}"),
            TaskStatus::Ended(TaskEnd::Done) => "completed".to_owned(),
            TaskStatus::Ended(TaskEnd::Killed) => "was stopped".to_owned(),
        };
        let (id, description) = (&self.id, &self.description);
        format!(
            "Background {what} `{id}` ({description}) {status}. Its output is in {}; TaskOutput shows it.",
            self.output_file.display()
        )
    }
}
