//! Subagents, tasks and teammates: one struct per event, fields in wire order.
//!
//! Text whose set of values is open (a `source`, a `reason`) stays a `String`: a host may send values that are newer than this crate.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// A subagent starts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct SubagentStart {
    /// The subagent's id.
    #[serde(skip_serializing)]
    pub agent_id: String,
    /// The subagent's name.
    #[serde(skip_serializing)]
    pub agent_type: String,
}

/// A subagent has answered.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct SubagentStop {
    /// True while the turn continues because an earlier stop hook blocked.
    pub stop_hook_active: bool,
    /// The final text of the model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_assistant_message: Option<String>,
    /// The running background tasks, one object each.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub background_tasks: Option<Vec<Map<String, Value>>>,
    /// The scheduled jobs of the session, one object each.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_crons: Option<Vec<Map<String, Value>>>,
    /// The subagent's id.
    #[serde(skip_serializing)]
    pub agent_id: String,
    /// The subagent's name.
    #[serde(skip_serializing)]
    pub agent_type: String,
    /// The subagent's own transcript.
    pub agent_transcript_path: String,
}

/// A task is about to be created.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct TaskCreated {
    /// The task's id.
    pub task_id: String,
    /// The subject of the task, in one line.
    pub task_subject: String,
    /// The description of the task.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task_description: Option<String>,
    /// The teammate's name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub teammate_name: Option<String>,
    /// The team's name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub team_name: Option<String>,
}

/// A task is about to be marked as done.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct TaskCompleted {
    /// The task's id.
    pub task_id: String,
    /// The subject of the task, in one line.
    pub task_subject: String,
    /// The description of the task.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task_description: Option<String>,
    /// The teammate's name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub teammate_name: Option<String>,
    /// The team's name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub team_name: Option<String>,
    /// Set if a teammate fires it as it stops: a model's no then counts as it does on TeammateIdle. Hooks do not see
    /// it.
    #[serde(skip)]
    pub at_stop: bool,
}

/// A teammate has nothing more to do.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct TeammateIdle {
    /// The teammate's name.
    pub teammate_name: String,
    /// The team's name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub team_name: Option<String>,
}
