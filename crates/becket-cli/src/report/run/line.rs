//! The lines of a conversation: one type for each, with a stable order of fields.

use super::content::Tokens;
use becket_llm::RateLimit;
use serde::Serialize;
use serde_json::Value;

/// An answer of the model.
#[derive(Debug, Serialize)]
pub(super) struct Assistant {
    pub(super) r#type: &'static str,
    pub(super) message: Answer,
    pub(super) parent_tool_use_id: Option<String>,
    /// The class of the error that kept the model from answering.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) error: Option<String>,
    pub(super) session_id: String,
    pub(super) uuid: String,
}

/// The message of an answer, in the format of the Messages API.
#[derive(Debug, Serialize)]
pub(super) struct Answer {
    pub(super) model: String,
    pub(super) id: String,
    pub(super) r#type: &'static str,
    pub(super) role: &'static str,
    pub(super) content: Vec<Value>,
    pub(super) stop_reason: Option<&'static str>,
    pub(super) stop_sequence: Option<&'static str>,
    pub(super) usage: Tokens,
}

/// The messages to the model: results of tools, texts of hooks.
#[derive(Debug, Serialize)]
pub(super) struct User {
    pub(super) r#type: &'static str,
    pub(super) message: UserContent,
    pub(super) parent_tool_use_id: Option<String>,
    /// True if the message comes neither from a user nor from a tool.
    #[serde(rename = "isSynthetic", skip_serializing_if = "std::ops::Not::not")]
    pub(super) is_synthetic: bool,
    pub(super) session_id: String,
    pub(super) uuid: String,
}

/// The message of a [`User`] line.
#[derive(Debug, Serialize)]
pub(super) struct UserContent {
    pub(super) role: &'static str,
    pub(super) content: Vec<Value>,
}

/// A piece of an answer.
#[derive(Debug, Serialize)]
pub(super) struct StreamEvent {
    pub(super) r#type: &'static str,
    /// The piece, in the streaming format of the Messages API.
    pub(super) event: Value,
    pub(super) session_id: String,
    pub(super) parent_tool_use_id: Option<String>,
    pub(super) uuid: String,
}

/// The conversation has ended, and another one begins.
#[derive(Debug, Serialize)]
pub(super) struct ConversationReset {
    pub(super) r#type: &'static str,
    pub(super) new_conversation_id: String,
    pub(super) trigger: &'static str,
    /// The session that has ended.
    pub(super) session_id: String,
    pub(super) uuid: String,
}

/// The state of the provider's limit on requests.
#[derive(Debug, Serialize)]
pub(super) struct RateLimitEvent {
    pub(super) r#type: &'static str,
    pub(super) rate_limit_info: RateLimitInfo,
    pub(super) uuid: String,
    pub(super) session_id: String,
}

/// The limit, as SDKs name its parts.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct RateLimitInfo {
    status: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    resets_at: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    rate_limit_type: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    utilization: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    overage_status: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    overage_resets_at: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    overage_disabled_reason: Option<String>,
}

impl From<&RateLimit> for RateLimitInfo {
    fn from(limit: &RateLimit) -> Self {
        RateLimitInfo {
            status: limit.status.clone(),
            resets_at: limit.resets_at,
            rate_limit_type: limit.kind.clone(),
            utilization: limit.utilization,
            overage_status: limit.overage_status.clone(),
            overage_resets_at: limit.overage_resets_at,
            overage_disabled_reason: limit.overage_disabled_reason.clone(),
        }
    }
}
