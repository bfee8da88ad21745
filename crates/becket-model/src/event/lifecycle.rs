//! The session itself: setup, start, prompts, stop, end: one struct per event, fields in wire order.
//!
//! Text whose set of values is open (a `source`, a `reason`) stays a `String`: a host may send values that are newer than this crate.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// The host prepares the project once, on its init or maintenance flag.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct Setup {
    /// The cause: `init` or `maintenance`.
    pub trigger: String,
}

/// A session starts: new, resumed, cleared, compacted or forked.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct SessionStart {
    /// The cause of the start.
    pub source: String,
    /// The model in use.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The title shown for the session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_title: Option<String>,
    /// The number of seconds since the model last answered (resume and fork).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seconds_since_last_response: Option<f64>,
    /// The number of tokens in the context.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context_tokens: Option<u64>,
    /// Set if the provider has probably dropped its prompt cache.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prompt_cache_likely_expired: Option<bool>,
    /// The cost of writing the cache again, in US dollars.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub estimated_cache_write_usd: Option<f64>,
}

/// A session is over.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct SessionEnd {
    /// The reason why it has ended.
    pub reason: String,
}

/// The user sends a prompt; the model has not seen it yet.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct UserPromptSubmit {
    /// The user's text.
    pub prompt: String,
}

/// A command that the user typed becomes a prompt.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct UserPromptExpansion {
    /// `slash_command` or `mcp_prompt`.
    pub expansion_type: String,
    /// The command, without its slash.
    pub command_name: String,
    /// The text after the command, as typed.
    pub command_args: String,
    /// The place where the command is defined.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command_source: Option<String>,
    /// The user's text.
    pub prompt: String,
}

/// The main agent has answered and calls no more tools.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct Stop {
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
}

/// An API error ended the turn.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct StopFailure {
    /// The error.
    pub error: String,
    /// Details of the error, if there are any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error_details: Option<String>,
    /// The final text of the model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_assistant_message: Option<String>,
}
