//! The points that are checked, and their results.

use serde::{Deserialize, Serialize};
use std::fmt;

/// One effect of a hook of the project.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Point {
    /// A force-push is denied by JSON.
    Deny,
    /// A command is denied by exit code 2.
    ExitTwo,
    /// A new file is denied by a guard of Write and Edit.
    WriteGuard,
    /// A reset that destroys work is asked about.
    Ask,
    /// A command is rewritten.
    Rewrite,
    /// Text for the model when the session starts.
    SessionContext,
    /// Text for the model beside the prompt.
    PromptContext,
    /// Text for the model before a call.
    ContextBefore,
    /// Text for the model after a call.
    ContextAfter,
    /// A block after a call.
    PostBlock,
    /// The output of a call is replaced.
    Output,
    /// A prompt is blocked.
    PromptBlock,
    /// A turn that may not end yet.
    StopBlock,
    /// A hook runs when the session ends.
    SessionEnd,
    /// A call that no hook objects to.
    Harmless,
    /// A call of the agent's own shell, which is off.
    OwnShell,
    /// A force-push is denied, at a terminal.
    TerminalDeny,
    /// A reset is asked about: a person says no, and yes the next time.
    TerminalAsk,
    /// A force-push of a subagent is denied, at a terminal.
    TerminalSubagent,
}

/// The effect of a hook.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum PointResult {
    /// It has its effect, and the model reads the reason.
    Kept,
    /// The call is denied, and the model reads nothing.
    Silent,
    /// The call is denied, and the run ends.
    Ends,
    /// The call is denied with the input that the hook wants.
    Hint,
    /// It has no effect.
    Lost,
    /// The agent did not reach it.
    Unreached,
}

impl fmt::Display for Point {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&name(self))
    }
}

impl fmt::Display for PointResult {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&name(self))
    }
}

/// Returns the name in the data files.
fn name(value: &impl Serialize) -> String {
    let value = serde_json::to_value(value).unwrap_or_default();
    value.as_str().unwrap_or_default().to_owned()
}
