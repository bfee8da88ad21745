//! The lines of a conversation: one type for each, with a stable order of fields.

use super::content::Tokens;
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
