//! The result of a call.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

/// The result of a call.
#[derive(Debug, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct McpCalled {
    /// The full name of the tool.
    pub tool: String,
    /// The kind of its end.
    pub ended: McpEnded,
    /// True if hooks and rules were evaluated.
    pub hooks: bool,
    /// The reason why it was not run, or its error.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// The source of the denial: `hook`, `rule`, `mode`, `rewrite`, `person`, or `nobody` if a user was needed and
    /// there was none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub denied_by: Option<&'static str>,
    /// The tool's answer, as hooks see it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub response: Option<Value>,
    /// The answer in text, as a model sees it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// The context that hooks add for the model.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub beside: Vec<String>,
    /// Warnings for the user.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
    /// The run time of the tool in milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ms: Option<f64>,
}

/// The end of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum McpEnded {
    /// The tool answered.
    Done,
    /// The tool was started and failed.
    Failed,
    /// The tool was not run.
    Denied,
    /// A hook stopped the session before the tool ran.
    Stopped,
    /// The call waits for the session to be resumed.
    Deferred,
    /// The input is not valid for the tool.
    Invalid,
}

impl McpEnded {
    /// Returns its exit code.
    pub const fn exit_code(self) -> u8 {
        match self {
            McpEnded::Done => 0,
            McpEnded::Failed | McpEnded::Invalid => 1,
            McpEnded::Denied | McpEnded::Stopped => 2,
            McpEnded::Deferred => 3,
        }
    }

    /// Returns its name.
    pub const fn word(self) -> &'static str {
        match self {
            McpEnded::Done => "done",
            McpEnded::Failed => "failed",
            McpEnded::Denied => "denied",
            McpEnded::Stopped => "stopped",
            McpEnded::Deferred => "deferred",
            McpEnded::Invalid => "invalid",
        }
    }
}

impl McpCalled {
    /// Creates the result of a call without an error so far.
    pub fn new(tool: &str, hooks: bool) -> Self {
        Self {
            tool: tool.to_owned(),
            ended: McpEnded::Done,
            hooks,
            why: None,
            denied_by: None,
            response: None,
            text: None,
            beside: Vec::new(),
            warnings: Vec::new(),
            ms: None,
        }
    }

    /// Records the end of a failed call.
    pub fn record_end(&mut self, ended: McpEnded, why: String) {
        (self.ended, self.why) = (ended, Some(why));
    }

    /// Records a denial by `by`, one of the values of [`McpCalled::denied_by`].
    pub fn denied(&mut self, by: &'static str, why: String) {
        self.record_end(McpEnded::Denied, why);
        self.denied_by = Some(by);
    }
}
