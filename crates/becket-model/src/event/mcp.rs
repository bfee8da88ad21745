//! Questions of MCP servers: one struct per event, fields in wire order.
//!
//! Text whose set of values is open (a `source`, a `reason`) stays a `String`: a host may send values that are newer than this crate.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// An MCP server asks the user a question.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct Elicitation {
    /// The MCP server that asks.
    pub mcp_server_name: String,
    /// The text shown to the user.
    pub message: String,
    /// `form` or `url`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mode: Option<String>,
    /// The page that the user is sent to (mode `url`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// The id of the question.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub elicitation_id: Option<String>,
    /// The schema of the answer (mode `form`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub requested_schema: Option<Map<String, Value>>,
}

/// The user has answered an MCP server's question.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct ElicitationResult {
    /// The MCP server that asks.
    pub mcp_server_name: String,
    /// `accept`, `decline` or `cancel`.
    pub action: String,
    /// `form` or `url`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mode: Option<String>,
    /// The id of the question.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub elicitation_id: Option<String>,
    /// The answer, by field.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content: Option<Map<String, Value>>,
}
