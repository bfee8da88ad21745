//! What commands say, as plain data: made from the engine's values, printed by [`crate::report`].
//!
//! The shapes are stable, and `becket schema report` describes them: a field may be added, none changes its meaning.

pub(crate) mod answer;
mod answer_fields;
pub(crate) mod background;
pub(crate) mod event_row;
pub(crate) mod finding;
pub(crate) mod fired;
pub(crate) mod fired_fields;
pub(crate) mod hook;
pub(crate) mod listed;
pub(crate) mod mcp;
pub(crate) mod pending;
pub(crate) mod planned;
pub(crate) mod ran;

use schemars::JsonSchema;
use serde::Serialize;

/// What a command prints with `--json`.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(tag = "report", rename_all = "kebab-case")]
pub(crate) enum Report {
    /// `becket fire`
    Fire(Box<fired::Fired>),
    /// `becket explain`
    Explain(planned::Planned),
    /// `becket list`
    List(listed::Listed),
    /// `becket check`
    Check(finding::Checked),
    /// `becket check-output`
    CheckOutput(answer::Answer),
    /// `becket background`
    Background(pending::AllPending),
    /// `becket mcp list` and `becket mcp doctor`
    Mcp(mcp::McpServers),
    /// `becket mcp tools`
    McpTools(mcp::McpTools),
    /// `becket mcp call`
    McpCall(Box<mcp::McpCalled>),
    /// `becket mcp resources`
    McpResources(mcp::McpResources),
    /// `becket mcp resources SERVER URI`
    McpContents(mcp::McpContents),
    /// `becket mcp prompts`
    McpPrompts(mcp::McpPrompts),
    /// `becket mcp prompts SERVER PROMPT`
    McpPrompt(mcp::McpPrompt),
    /// `becket mcp login` and `becket mcp logout`
    McpAccount(mcp::McpAccount),
    /// `becket events`
    Events {
        /// The rows of the event table.
        events: Vec<event_row::EventRow>,
    },
}
