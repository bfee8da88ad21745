//! Tool calls: one struct per event, fields in wire order.
//!
//! Text whose set of values is open (a `source`, a `reason`) stays a `String`: a host may send values that are newer than this crate.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// A tool call is about to run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct PreToolUse {
    /// The tool, under its current name.
    pub tool_name: String,
    /// The call's arguments.
    pub tool_input: Map<String, Value>,
    /// The id of the call.
    pub tool_use_id: String,
    /// The MCP server of the tool, if it has one: `name` and `source`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mcp_server: Option<Map<String, Value>>,
    /// A program that the call is about to run: `file`, `argv`, `cwd`, `chain`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub executed: Option<ExecutedProgram>,
}

/// A program that a shell line is about to run (E4).
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ExecutedProgram {
    /// The file that is executed; for a script, its interpreter.
    pub file: String,
    /// The argument list, including the name.
    pub argv: Vec<String>,
    /// The working directory.
    pub cwd: String,
    /// The names of the programs that led to it; its own is the last.
    pub chain: Vec<String>,
}

/// A tool call has succeeded.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct PostToolUse {
    /// The tool, under its current name.
    pub tool_name: String,
    /// The call's arguments.
    pub tool_input: Map<String, Value>,
    /// The id of the call.
    pub tool_use_id: String,
    /// The MCP server of the tool, if it has one: `name` and `source`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mcp_server: Option<Map<String, Value>>,
    /// The answer of the tool.
    pub tool_response: Value,
    /// The duration of the call, in milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub duration_ms: Option<u64>,
}

/// A tool call has started and failed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct PostToolUseFailure {
    /// The tool, under its current name.
    pub tool_name: String,
    /// The call's arguments.
    pub tool_input: Map<String, Value>,
    /// The id of the call.
    pub tool_use_id: String,
    /// The MCP server of the tool, if it has one: `name` and `source`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mcp_server: Option<Map<String, Value>>,
    /// The error.
    pub error: String,
    /// Set if the user interrupted it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub is_interrupt: Option<bool>,
    /// The duration of the call, in milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub duration_ms: Option<u64>,
}

/// All calls of one model answer are done; the next request has not been sent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct PostToolBatch {
    /// The calls of the batch: `tool_name`, `tool_input`, `tool_use_id`, `tool_response` each.
    pub tool_calls: Vec<Map<String, Value>>,
}
