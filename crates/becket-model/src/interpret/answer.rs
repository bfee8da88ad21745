//! Converts the fields of a checked answer into a [`Reply`], as far as the event's row gives them effect.

use super::{BLOCKED, terminal, worktree};
use crate::failure::Failure;
use crate::reply::{
    ContextText, DecidedBy, Decision, ElicitationAction, Fields, PermissionDecision, Reply, RequestDecision,
    Stop,
};
use crate::table::{DecisionModel, EventSpec};
use crate::wire::output::Output;
use serde_json::{Map, Value};
use std::path::PathBuf;

/// Reads an answer. Fields that are ignored, but were surely meant, go to `warnings`.
///
/// # Errors
/// Errors with [`Failure::NoPath`] if a path is required and the answer has none.
pub(super) fn reply(
    spec: &EventSpec,
    output: &Output<'_>,
    warnings: &mut Vec<String>,
) -> Result<Reply, Failure> {
    Ok(Reply {
        decision: decision(spec, output)?,
        stop: stop(spec, output, warnings),
        system_message: system_message(spec, output, warnings),
        terminal_sequence: terminal_sequence(output, warnings),
        context: output
            .own_text("additionalContext")
            .map(|text| ContextText { text: text.to_owned(), plain: false })
            .into_iter()
            .collect(),
        notices: Vec::new(),
        fields: fields(output, warnings).into(),
    })
}

fn stop(spec: &EventSpec, output: &Output<'_>, warnings: &mut Vec<String>) -> Option<Stop> {
    let stops = output.top("continue").and_then(Value::as_bool) == Some(false);
    if stops && !spec.honours.stop {
        warnings.push(format!("`continue: false` has no effect on `{}`", spec.kind));
    }
    (stops && spec.honours.stop).then(|| Stop { reason: output.top_text("stopReason").map(str::to_owned) })
}

fn system_message(spec: &EventSpec, output: &Output<'_>, warnings: &mut Vec<String>) -> Option<String> {
    let message = output.top_text("systemMessage")?;
    if !spec.honours.system_message {
        warnings.push(format!("`systemMessage` has no effect on `{}`", spec.kind));
        return None;
    }
    Some(message.to_owned())
}

fn terminal_sequence(output: &Output<'_>, warnings: &mut Vec<String>) -> Option<String> {
    let sequence = output.top("terminalSequence").and_then(Value::as_str).filter(|text| !text.is_empty())?;
    if !terminal::is_allowed(sequence) {
        warnings.push(format!(
            "`terminalSequence` is ignored: `{}` is more than OSC 0, 1, 2, 9, 99 or 777 and BEL",
            sequence.escape_debug()
        ));
        return None;
    }
    Some(sequence.to_owned())
}

/// Returns the decision in the form that the event's row defines (O7, O9).
fn decision(spec: &EventSpec, output: &Output<'_>) -> Result<Option<Decision>, Failure> {
    Ok(match spec.decision {
        DecisionModel::Permission => permission(output),
        DecisionModel::Block | DecisionModel::Task => says_block(output).then(|| Decision::Block {
            reason: output.top_text("reason").unwrap_or(BLOCKED).to_owned(),
            by: DecidedBy::Answer,
        }),
        DecisionModel::PermissionRequest => {
            output.own_object("decision").map(|answer| Decision::PermissionRequest(request(answer)))
        }
        DecisionModel::Elicitation => elicitation(output),
        DecisionModel::Path => Some(Decision::Worktree(path(output)?)),
        DecisionModel::None
        | DecisionModel::Context
        | DecisionModel::Retry
        | DecisionModel::ContinueOnly
        | DecisionModel::Display => None,
    })
}

fn says_block(output: &Output<'_>) -> bool {
    output.top_text("decision") == Some("block")
}

/// Returns the reason why the answer blocks, if it does and gives one (O3).
pub(super) fn blocking_reason(spec: &EventSpec, output: &Output<'_>) -> Option<String> {
    let legacy = || output.top_text("reason").filter(|_| says_block(output));
    let reason = match spec.decision {
        DecisionModel::Permission => {
            let denies = output.own_text("permissionDecision") == Some("deny");
            output.own_text("permissionDecisionReason").filter(|_| denies).or_else(legacy)
        }
        DecisionModel::Block | DecisionModel::Task => legacy(),
        DecisionModel::PermissionRequest => {
            let answer =
                output.own_object("decision").filter(|answer| answer.get("behavior") == Some(&"deny".into()));
            answer.and_then(|answer| answer.get("message")?.as_str()).filter(|text| !text.trim().is_empty())
        }
        DecisionModel::None
        | DecisionModel::Context
        | DecisionModel::Retry
        | DecisionModel::ContinueOnly
        | DecisionModel::Display
        | DecisionModel::Path
        | DecisionModel::Elicitation => None,
    };
    reason.map(str::to_owned)
}

/// Returns the decision of `permissionDecision` and the older top-level `decision`: the stricter counts, with its own
/// reason (O9).
fn permission(output: &Output<'_>) -> Option<Decision> {
    let named = output.own_text("permissionDecision").and_then(|word| match word {
        "allow" => Some(PermissionDecision::Allow),
        "ask" => Some(PermissionDecision::Ask),
        "defer" => Some(PermissionDecision::Defer),
        "deny" => Some(PermissionDecision::Deny),
        _ => None,
    });
    let legacy = output.top_text("decision").map(|word| match word {
        "block" => PermissionDecision::Deny,
        _ => PermissionDecision::Allow,
    });
    let decision = named.max(legacy)?;
    let reason = [(named, output.own_text("permissionDecisionReason")), (legacy, output.top_text("reason"))]
        .into_iter()
        .find_map(|(value, reason)| reason.filter(|_| value == Some(decision)));
    let default = (decision == PermissionDecision::Deny).then_some(BLOCKED);
    let reason = reason.or(default).map(str::to_owned);
    Some(Decision::Permission { decision, reason, by: DecidedBy::Answer })
}

fn request(answer: &Map<String, Value>) -> RequestDecision {
    let text = |name: &str| answer.get(name).and_then(Value::as_str);
    if text("behavior") == Some("allow") {
        return RequestDecision::Allow {
            updated_input: answer.get("updatedInput").and_then(Value::as_object).cloned(),
            updated_permissions: answer
                .get("updatedPermissions")
                .and_then(Value::as_array)
                .cloned()
                .unwrap_or_default(),
        };
    }
    RequestDecision::Deny {
        message: Some(text("message").filter(|text| !text.trim().is_empty()).unwrap_or(BLOCKED).to_owned()),
        interrupt: answer.get("interrupt").and_then(Value::as_bool).unwrap_or(false),
    }
}

fn elicitation(output: &Output<'_>) -> Option<Decision> {
    let action = match output.own_text("action")? {
        "accept" => ElicitationAction::Accept,
        "cancel" => ElicitationAction::Cancel,
        _ => ElicitationAction::Decline,
    };
    let content = output.own_object("content").filter(|_| action == ElicitationAction::Accept).cloned();
    Some(Decision::Elicitation { action, content })
}

fn path(output: &Output<'_>) -> Result<PathBuf, Failure> {
    let missing = || Failure::NoPath { message: "answer `hookSpecificOutput.worktreePath`".to_owned() };
    output.own_text("worktreePath").ok_or_else(missing).and_then(worktree::checked)
}

fn fields(output: &Output<'_>, warnings: &mut Vec<String>) -> Fields {
    let text = |name| output.own_text(name).map(str::to_owned);
    Fields {
        updated_input: output.own_object("updatedInput").cloned(),
        // Read by `sandbox.rs`, which sees the whole answer.
        sandbox: None,
        updated_tool_output: output.own("updatedToolOutput").cloned(),
        updated_mcp_tool_output: output.own("updatedMCPToolOutput").cloned(),
        // Blank text is an answer here: a hook may hide a message.
        display_content: output.own("displayContent").and_then(Value::as_str).map(str::to_owned),
        session_title: text("sessionTitle"),
        initial_user_message: text("initialUserMessage"),
        watch_paths: watch_paths(output, warnings),
        retry: output.own_flag("retry"),
        reload_skills: output.own_flag("reloadSkills"),
        suppress_original_prompt: output.own_flag("suppressOriginalPrompt"),
        classifier_context: text("classifierContext"),
    }
}

fn watch_paths(output: &Output<'_>, warnings: &mut Vec<String>) -> Option<Vec<PathBuf>> {
    let list = output.own("watchPaths")?.as_array()?;
    let (absolute, relative): (Vec<PathBuf>, Vec<PathBuf>) =
        list.iter().filter_map(Value::as_str).map(PathBuf::from).partition(|path| path.is_absolute());
    for path in relative {
        warnings.push(format!("`{}` in `watchPaths` is ignored: give an absolute path", path.display()));
    }
    Some(absolute)
}
