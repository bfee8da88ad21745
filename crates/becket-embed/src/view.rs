//! The results of commands as plain data: made from the engine's values, printed by the caller.
//!
//! The shapes are stable, and `becket schema report` describes them: a field may be added, none changes its meaning.

pub mod answer;
mod answer_fields;
pub mod background;
pub mod call;
pub mod event_row;
pub mod failing;
pub mod finding;
pub mod fired;
pub mod happened;
pub mod hook;
pub mod listed;
pub mod mcp;
pub mod pending;
pub mod planned;
pub mod ran;
pub mod rule;

use schemars::JsonSchema;
use serde::Serialize;

/// The output of a command with `--json`.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(tag = "report", rename_all = "kebab-case")]
pub enum Report {
    /// `becket fire`
    Fire(Box<fired::FireReport>),
    /// `becket explain`
    Explain(planned::PlanReport),
    /// `becket explain --call`
    ExplainCall(call::CallReport),
    /// `becket list`
    List(listed::HookListing),
    /// `becket check`
    Check(finding::CheckReport),
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
    /// `becket self version`
    SelfVersion {
        /// The version.
        version: &'static str,
        /// The commit of the build, if the build has named it.
        commit: Option<String>,
        /// The target of the build, such as `x86_64-unknown-linux-gnu`.
        target: String,
        /// The installer: `install.sh`, `cargo`, `debian`, `homebrew`, `npm`, `wheel`, `build` (of a clone) or `unknown`.
        installed_by: &'static str,
        /// The path of the full program.
        full: String,
        /// The path of the small program beside it, if there is one.
        small: Option<String>,
        /// The command that updates this copy, if one is known.
        update: Option<String>,
        /// True if an update was interrupted between the two programs.
        interrupted_update: bool,
    },
    /// `becket self update`
    SelfUpdate {
        /// The version of the program that ran.
        version: &'static str,
        /// The version of the release.
        release: String,
        /// True if the release is newer.
        is_newer: bool,
        /// True if the programs were replaced.
        updated: bool,
    },
    /// `becket rule`
    Rules {
        /// The rules of `check`.
        rules: Vec<rule::RuleView>,
    },
}
