//! A handler in a report.

use becket_engine::handler::{Action, Command, Handler, Location};
use becket_engine::hookset::{HookModule, RejectedHandler};
use becket_engine::{SkippedHandler, Stage};
use becket_model::Enforcement;
use schemars::JsonSchema;
use serde::Serialize;
use std::time::SystemTime;

/// One handler.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct Hook {
    /// Its origin: `project`, `plugin:name`, …
    pub source: String,
    /// Its name for people: its command, URL, tool or prompt.
    pub label: String,
    /// `command`, `http`, `mcp_tool`, `prompt` or `agent`.
    pub kind: &'static str,
    /// The position of its definition.
    pub at: SourcePosition,
}

/// A position in a file.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct SourcePosition {
    /// The file, or a name in angle brackets for other sources.
    pub file: String,
    /// The line, from 1; 0 for the whole file.
    pub line: u32,
    /// The column in characters, from 1; 0 for the whole file.
    pub column: u32,
}

/// Returns the mode of a handler in observation, with its end and whether that is over.
pub(super) fn mode(handler: &Handler) -> Option<String> {
    let rollout = handler.rollout;
    let is_over = rollout.at(SystemTime::now()) == Enforcement::Enforce;
    let over = if is_over { ", which is over: enforced" } else { "" };
    (rollout.written() != Enforcement::Enforce).then(|| format!("{rollout}{over}"))
}

/// A handler that does not run.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct SkippedHook {
    /// Its origin.
    pub source: String,
    /// Its name for people.
    pub label: String,
    /// The position of its definition.
    pub at: SourcePosition,
    /// The stage that dropped it.
    pub stage: &'static str,
    /// The reason.
    pub why: String,
}

impl SkippedHook {
    /// Returns true if the configuration could not load it.
    pub fn is_rejected(&self) -> bool {
        self.stage == Stage::Schema.as_str()
    }
}

impl From<&Handler> for Hook {
    fn from(handler: &Handler) -> Self {
        Hook {
            source: handler.place.source.to_string(),
            label: handler.place.label.to_string(),
            kind: handler.action.name(),
            at: SourcePosition::from(&handler.location),
        }
    }
}

impl From<&Location> for SourcePosition {
    fn from(location: &Location) -> Self {
        SourcePosition {
            file: location.file.display().to_string(),
            line: location.line,
            column: location.column,
        }
    }
}

impl From<&SkippedHandler> for SkippedHook {
    fn from(skipped: &SkippedHandler) -> Self {
        let handler = &skipped.handler;
        SkippedHook {
            source: handler.place.source.to_string(),
            label: handler.place.label.to_string(),
            at: SourcePosition::from(&handler.location),
            stage: skipped.why.stage().as_str(),
            why: skipped.to_string(),
        }
    }
}

impl From<&RejectedHandler> for SkippedHook {
    fn from(rejected: &RejectedHandler) -> Self {
        SkippedHook {
            source: rejected.source.to_string(),
            label: rejected.label.to_string(),
            at: SourcePosition::from(&rejected.location),
            stage: Stage::Schema.as_str(),
            why: rejected.why.clone(),
        }
    }
}

/// The stage of handlers that only another program can run (C12).
pub const NOT_RUN_HERE: &str = "module";

impl From<&HookModule> for SkippedHook {
    fn from(module: &HookModule) -> Self {
        SkippedHook {
            source: module.source.to_string(),
            label: module.label.to_string(),
            at: SourcePosition::from(&module.location),
            stage: NOT_RUN_HERE,
            why: format!("the hooks of the module `{}` are not run here", module.file.display()),
        }
    }
}

/// Returns the form of a handler, which is more precise than its kind.
pub fn form(action: &Action) -> &'static str {
    match action {
        Action::Command(Command::Shell { .. }) => "command (shell)",
        Action::Command(Command::Exec { .. }) => "command (exec)",
        Action::Http(_) => "http",
        Action::McpTool(_) => "mcp_tool",
        Action::Prompt(_) => "prompt",
        Action::Agent(_) => "agent",
        Action::Callback(_) => "callback",
    }
}
