//! The forms of an answer to a tool call, and their effects on an agent.

use crate::Answer;
use serde_json::Value;

/// The form of an answer to a tool call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AnswerForm {
    /// Nothing on stdout, exit code 0.
    Nothing,
    /// Exit code 2 with the reason on stderr.
    ExitTwo,
    /// Exit code 2 without a reason.
    SilentExitTwo,
    /// Another exit code.
    OtherExit,
    /// Claude Code's `permissionDecision: "deny"`, exit code 0.
    ProtocolDeny,
    /// Claude Code's `permissionDecision: "deny"`, with exit code 2 and the reason on stderr.
    ProtocolDenyAndExitTwo,
    /// Claude Code's `permissionDecision: "ask"`, exit code 0.
    ProtocolAsk,
    /// Claude Code's `decision: {"behavior": "deny"}` of a permission request, exit code 0.
    ProtocolRequestDeny,
    /// `{"behavior": "deny"}`
    BehaviorDeny,
    /// `{"decision": "block", "reason"}`
    DecisionBlock,
    /// `{"decision": "deny", "reason"}`
    DecisionDeny,
    /// `{"decision": "ask", "reason"}`
    DecisionAsk,
    /// `permissionDecision: "deny"` at the top level.
    TopLevelDeny,
    /// `permissionDecision: "ask"` at the top level.
    TopLevelAsk,
    /// `{"cancel": true}`
    Cancel,
    /// `overrideInput` with an empty list of commands.
    EmptyOverride,
    /// `{"permission": "deny"}`
    PermissionDeny,
    /// Any other JSON object, exit code 0.
    OtherJson,
    /// Any other text, exit code 0.
    Text,
}

/// The effect of an answer on the call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effect {
    /// The call is not made, and the model reads the reason.
    Held,
    /// The call is not made, and the model reads nothing.
    Silent,
    /// The call is not made, and the run ends.
    Ends,
    /// A user is asked; without one the call is not made.
    Asks,
    /// The call is made.
    Runs,
}

impl AnswerForm {
    /// Returns the form of an answer.
    pub fn of(answer: &Answer) -> Self {
        let json = serde_json::from_str::<Value>(&answer.stdout).ok().filter(Value::is_object);
        match answer.exit {
            0 => json.map_or_else(|| AnswerForm::of_text(&answer.stdout), |json| AnswerForm::of_json(&json)),
            2 if json.is_some_and(|json| AnswerForm::of_json(&json) == AnswerForm::ProtocolDeny) => {
                AnswerForm::ProtocolDenyAndExitTwo
            }
            2 if answer.stderr.trim().is_empty() => AnswerForm::SilentExitTwo,
            2 if answer.stdout.is_empty() => AnswerForm::ExitTwo,
            _ => AnswerForm::OtherExit,
        }
    }

    fn of_text(stdout: &str) -> Self {
        if stdout.is_empty() { AnswerForm::Nothing } else { AnswerForm::Text }
    }

    fn of_json(json: &Value) -> Self {
        let text = |pointer: &str| json.pointer(pointer).and_then(Value::as_str);
        let is_empty_override =
            json.pointer("/overrideInput/commands").and_then(Value::as_array).is_some_and(Vec::is_empty);
        match (text("/hookSpecificOutput/permissionDecision"), text("/permissionDecision"), text("/decision"))
        {
            (Some("deny"), ..) => AnswerForm::ProtocolDeny,
            (Some("ask"), ..) => AnswerForm::ProtocolAsk,
            (None, Some("deny"), _) => AnswerForm::TopLevelDeny,
            (None, Some("ask"), _) => AnswerForm::TopLevelAsk,
            (None, None, Some("block")) => AnswerForm::DecisionBlock,
            (None, None, Some("deny")) => AnswerForm::DecisionDeny,
            (None, None, Some("ask")) => AnswerForm::DecisionAsk,
            _ if json.get("cancel") == Some(&Value::Bool(true)) => AnswerForm::Cancel,
            _ if is_empty_override => AnswerForm::EmptyOverride,
            _ if text("/hookSpecificOutput/decision/behavior") == Some("deny") => {
                AnswerForm::ProtocolRequestDeny
            }
            _ if text("/behavior") == Some("deny") => AnswerForm::BehaviorDeny,
            _ if text("/permission") == Some("deny") => AnswerForm::PermissionDeny,
            _ => AnswerForm::OtherJson,
        }
    }
}
