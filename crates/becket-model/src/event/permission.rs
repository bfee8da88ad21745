//! Permissions and notifications: one struct per event, fields in wire order.
//!
//! Text whose set of values is open (a `source`, a `reason`) stays a `String`: a host may send values that are newer than this crate.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// A tool call needs a permission.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct PermissionRequest {
    /// The tool, under its current name.
    pub tool_name: String,
    /// The call's arguments.
    pub tool_input: Map<String, Value>,
    /// Rule updates that the host would offer the user.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub permission_suggestions: Option<Vec<Map<String, Value>>>,
}

/// The automatic mode has refused a tool call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct PermissionDenied {
    /// The tool, under its current name.
    pub tool_name: String,
    /// The call's arguments.
    pub tool_input: Map<String, Value>,
    /// The id of the call.
    pub tool_use_id: String,
    /// The MCP server of the tool, if it has one: `name` and `source`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mcp_server: Option<Map<String, Value>>,
    /// The reason for the refusal.
    pub reason: String,
}

/// The host notifies the user.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct Notification {
    /// The text shown to the user.
    pub message: String,
    /// The title above the message.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// The kind of notification.
    pub notification_type: String,
}
