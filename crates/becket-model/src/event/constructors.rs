//! Constructors of events: `new` takes the fields that every input has, and a method of a field's name sets one that may
//! be missing. The structs gain fields with the protocol, so other crates can't write them as literals.

use super::*;
use serde_json::Value;

macro_rules! constructors {
    ($($family:ident::$name:ident { $($field:ident: $type:ty),* } { $($optional:ident: $value:ty),* })*) => {$(
        impl $family::$name {
            #[doc = concat!("Creates the event from the fields that each `", stringify!($name), "` has.")]
            #[must_use]
            pub fn new($($field: $type),*) -> Self {
                Self { $($field,)* $($optional: None,)* }
            }

            $(
                #[doc = concat!("Sets `", stringify!($optional), "`.")]
                #[must_use]
                pub fn $optional(mut self, $optional: impl Into<Option<$value>>) -> Self {
                    self.$optional = $optional.into();
                    self
                }
            )*
        }
    )*};
}

constructors! {
    agents::SubagentStart { agent_id: String, agent_type: String } {  }
    agents::SubagentStop { stop_hook_active: bool, agent_id: String, agent_type: String, agent_transcript_path: String } { last_assistant_message: String, background_tasks: Vec<Map<String, Value>>, session_crons: Vec<Map<String, Value>> }
    agents::TaskCreated { task_id: String, task_subject: String } { task_description: String, teammate_name: String, team_name: String }
    agents::TaskCompleted { task_id: String, task_subject: String, at_stop: bool } { task_description: String, teammate_name: String, team_name: String }
    agents::TeammateIdle { teammate_name: String } { team_name: String }
    context::InstructionsLoaded { file_path: String, memory_type: String, load_reason: String } { globs: Vec<String>, trigger_file_path: String, parent_file_path: String }
    context::PreCompact { trigger: String } { custom_instructions: String }
    context::PostCompact { trigger: String, compact_summary: String } {  }
    context::MessageDisplay { turn_id: String, message_id: String, index: u64, r#final: bool, delta: String } {  }
    context::PreModelSwitch { from_model: String, to_model: String, requested_model: String, source: String } { context_tokens: u64, prompt_cache_warm: bool, cache_ttl: String, estimated_cache_write_usd: f64, pricing: String }
    context::PostModelSwitch { from_model: String, to_model: String, requested_model: String, source: String } { context_tokens: u64, prompt_cache_warm: bool, cache_ttl: String, estimated_cache_write_usd: f64, pricing: String }
    environment::ConfigChange { source: String } { file_path: String }
    environment::CwdChanged { old_cwd: String, new_cwd: String } {  }
    environment::DirectoryAdded { directory: String, source: String } {  }
    environment::FileChanged { file_path: String, event: String } {  }
    environment::WorktreeCreate { name: String } {  }
    environment::WorktreeRemove { worktree_path: String } {  }
    lifecycle::Setup { trigger: String } {  }
    lifecycle::SessionStart { source: String } { model: String, session_title: String, seconds_since_last_response: f64, context_tokens: u64, prompt_cache_likely_expired: bool, estimated_cache_write_usd: f64 }
    lifecycle::SessionEnd { reason: String } {  }
    lifecycle::UserPromptSubmit { prompt: String } {  }
    lifecycle::UserPromptExpansion { expansion_type: String, command_name: String, command_args: String, prompt: String } { command_source: String }
    lifecycle::Stop { stop_hook_active: bool } { last_assistant_message: String, background_tasks: Vec<Map<String, Value>>, session_crons: Vec<Map<String, Value>> }
    lifecycle::StopFailure { error: String } { error_details: String, last_assistant_message: String }
    mcp::Elicitation { mcp_server_name: String, message: String } { mode: String, url: String, elicitation_id: String, requested_schema: Map<String, Value> }
    mcp::ElicitationResult { mcp_server_name: String, action: String } { mode: String, elicitation_id: String, content: Map<String, Value> }
    permission::PermissionRequest { tool_name: String, tool_input: Map<String, Value> } { permission_suggestions: Vec<Map<String, Value>> }
    permission::PermissionDenied { tool_name: String, tool_input: Map<String, Value>, tool_use_id: String, reason: String } { mcp_server: Map<String, Value> }
    permission::Notification { message: String, notification_type: String } { title: String }
    tool::PreToolUse { tool_name: String, tool_input: Map<String, Value>, tool_use_id: String } { mcp_server: Map<String, Value>, executed: tool::ExecutedProgram }
    tool::PostToolUse { tool_name: String, tool_input: Map<String, Value>, tool_use_id: String, tool_response: Value } { mcp_server: Map<String, Value>, duration_ms: u64 }
    tool::PostToolUseFailure { tool_name: String, tool_input: Map<String, Value>, tool_use_id: String, error: String } { mcp_server: Map<String, Value>, is_interrupt: bool, duration_ms: u64 }
    tool::PostToolBatch { tool_calls: Vec<Map<String, Value>> } {  }
}
