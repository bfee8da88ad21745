//! Lines about the session itself and its hooks (`"type": "system"`).

use becket_exec::line::Refusal;
use serde::Serialize;

/// The first line: the facts of the session.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Init {
    pub(crate) cwd: String,
    pub(crate) session_id: String,
    pub(crate) tools: Vec<String>,
    pub(crate) mcp_servers: Vec<Server>,
    pub(crate) model: String,
    #[serde(rename = "permissionMode")]
    pub(crate) permission_mode: String,
    pub(crate) slash_commands: Vec<String>,
    /// The source of the key: the name of a variable, or `none`.
    #[serde(rename = "apiKeySource")]
    pub(crate) api_key_source: String,
    pub(crate) becket_version: &'static str,
    /// The release whose protocol is implemented, in the form that the SDKs compare.
    pub(crate) claude_code_version: &'static str,
    pub(crate) output_style: String,
    pub(crate) agents: Vec<String>,
    pub(crate) skills: Vec<String>,
    pub(crate) plugins: Vec<Plugin>,
    /// The optional parts of the protocol that are implemented.
    pub(crate) capabilities: Vec<&'static str>,
    /// The options that were given and have no effect.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) warnings: Vec<String>,
}

/// An MCP server and its state.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Server {
    pub(crate) name: String,
    /// `connected`, `failed`, `needs-auth`, `disabled` or `pending`.
    pub(crate) status: &'static str,
}

/// A plugin and its directory.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Plugin {
    pub(crate) name: String,
    pub(crate) path: String,
    /// The id of the plugin in settings.
    pub(crate) source: String,
}

/// A line of this type, with its content.
#[derive(Debug, Serialize)]
pub(super) struct System<'a, T> {
    pub(super) r#type: &'static str,
    pub(super) subtype: &'static str,
    #[serde(flatten)]
    pub(super) what: &'a T,
    pub(super) uuid: String,
    /// The session id; left out on the first line, whose content includes it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) session_id: Option<&'a str>,
}

/// `hook_started`
#[derive(Debug, Serialize)]
pub(super) struct HookStarted {
    pub(super) hook_id: String,
    pub(super) hook_name: String,
    pub(super) hook_event: &'static str,
}

/// `hook_progress`: the output that a hook has just printed.
#[derive(Debug, Serialize)]
pub(super) struct HookProgress {
    #[serde(flatten)]
    pub(super) hook: HookStarted,
    pub(super) stdout: String,
    pub(super) stderr: String,
    pub(super) output: String,
}

/// `hook_response`
#[derive(Debug, Serialize)]
pub(super) struct HookResponse {
    #[serde(flatten)]
    pub(super) hook: HookStarted,
    pub(super) output: String,
    pub(super) stdout: String,
    pub(super) stderr: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) exit_code: Option<i32>,
    /// `success`, `error` or `cancelled`.
    pub(super) outcome: &'static str,
}

/// `informational`
#[derive(Debug, Serialize)]
pub(super) struct Informational {
    pub(super) content: String,
    pub(super) level: &'static str,
    /// `hook_no_verdict`, if an action was not checked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) tag: Option<&'static str>,
}

/// `stop_hook_summary` (L8)
#[derive(Debug, Serialize)]
pub(super) struct StopHookSummary {
    pub(super) hook_event: &'static str,
    pub(super) hook_count: usize,
    pub(super) hooks: Vec<StopHook>,
    pub(super) hook_errors: Vec<String>,
    pub(super) prevented_continuation: bool,
    pub(super) stop_reason: Option<String>,
    pub(super) has_output: bool,
    pub(super) summary_id: String,
}

/// A hook of a summary.
#[derive(Debug, Serialize)]
pub(super) struct StopHook {
    pub(super) command: String,
    pub(super) duration_ms: u64,
}

/// `compact_boundary`
#[derive(Debug, Serialize)]
pub(super) struct CompactBoundary {
    pub(super) compact_metadata: CompactMetadata,
}

/// The facts about a compaction.
#[derive(Debug, Serialize)]
pub(super) struct CompactMetadata {
    pub(super) trigger: String,
    pub(super) pre_tokens: u64,
}

/// `api_retry`
#[derive(Debug, Serialize)]
pub(super) struct ApiRetry {
    /// The number of the retry, from 1.
    pub(super) attempt: u32,
    pub(super) max_retries: u32,
    pub(super) retry_delay_ms: u64,
    pub(super) error_status: Option<u16>,
    /// The class of the error.
    pub(super) error: &'static str,
    pub(super) message: String,
}

/// `elicitation_complete`
#[derive(Debug, Serialize)]
pub(super) struct ElicitationComplete {
    pub(super) mcp_server_name: String,
    pub(super) elicitation_id: String,
}

/// `program_denied`
#[derive(Debug, Serialize)]
pub(super) struct ProgramDenied {
    pub(super) tool_use_id: String,
    pub(super) command: String,
    pub(super) reason: String,
    pub(super) chain: Vec<String>,
}

/// `access_refused`
#[derive(Debug, Serialize)]
pub(super) struct AccessRefused {
    pub(super) tool_use_id: String,
    #[serde(flatten)]
    pub(super) refusal: Refusal,
}

/// `task_started` and `task_notification`
#[derive(Debug, Serialize)]
pub(super) struct Task {
    pub(super) task_id: String,
    pub(super) task_type: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) subagent_type: Option<String>,
    pub(super) status: String,
    pub(super) description: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) is_backgrounded: Option<bool>,
    /// The output, if the task has ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) output_file: Option<String>,
    /// The result, if the task has ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) summary: Option<String>,
    /// The usage of an agent that has ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) usage: Option<TaskUsage>,
}

/// `task_progress`: a background agent has called a tool, or answered.
#[derive(Debug, Serialize)]
pub(super) struct TaskProgress {
    pub(super) task_id: String,
    pub(super) description: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) subagent_type: Option<String>,
    pub(super) usage: TaskUsage,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) last_tool_name: Option<String>,
}

/// The usage of a task so far.
#[derive(Debug, Serialize)]
pub(super) struct TaskUsage {
    pub(super) total_tokens: u64,
    pub(super) tool_uses: u64,
    pub(super) duration_ms: u64,
}

/// `task_updated`
#[derive(Debug, Serialize)]
pub(super) struct TaskUpdate {
    pub(super) task_id: String,
    /// The changed fields.
    pub(super) patch: serde_json::Value,
}

/// `background_tasks_changed`: all tasks that are currently running.
#[derive(Debug, Serialize)]
pub(super) struct BackgroundTasks {
    pub(super) tasks: Vec<ListedTask>,
}

/// A running task.
#[derive(Debug, Serialize)]
pub(super) struct ListedTask {
    pub(super) task_id: String,
    pub(super) task_type: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) subagent_type: Option<String>,
    pub(super) description: String,
}

/// `session_state_changed`
#[derive(Debug, Serialize)]
pub(super) struct SessionStateChanged {
    pub(super) state: &'static str,
    /// True if only the SDK package requested it, and keeps it from the application.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(super) sdk_host_only: bool,
}
