//! The further fields of a verdict, under their names on the wire.

use becket_model::{Attributed, Ruling, SandboxAnswer, Verdict};
use serde_json::{Map, Value, json};

/// Returns all fields that are set, in the order of the event table.
pub fn of(verdict: &Verdict) -> Map<String, Value> {
    let fields = &verdict.fields;
    let flag = |is_set: bool| is_set.then_some(Value::Bool(true));
    let pairs = [
        ("updatedInput", fields.updated_input.as_ref().map(|one| Value::Object(one.what.clone()))),
        ("proposedInput", fields.proposed_input.as_ref().map(|one| Value::Object(one.what.clone()))),
        ("sandbox", sandboxes(&fields.sandbox)),
        ("updatedToolOutput", what(&fields.updated_tool_output)),
        ("updatedMCPToolOutput", what(&fields.updated_mcp_tool_output)),
        ("displayContent", text(&fields.display_content)),
        ("sessionTitle", text(&fields.session_title)),
        ("initialUserMessage", text(&fields.initial_user_message)),
        ("watchPaths", fields.watch_paths.as_ref().map(|paths| json!(paths))),
        ("retry", flag(fields.retry)),
        ("reloadSkills", flag(fields.reload_skills)),
        ("suppressOriginalPrompt", flag(fields.suppress_original_prompt)),
        ("classifierContext", fields.classifier_context.as_ref().map(|note| json!(note))),
    ];
    let set = pairs.into_iter().chain(of_ruling(&verdict.ruling));
    set.filter_map(|(name, value)| Some((name.to_owned(), value?))).collect()
}

/// Returns the fields of a ruling without its reasons.
fn of_ruling(ruling: &Ruling) -> Vec<(&'static str, Option<Value>)> {
    match ruling {
        Ruling::RequestAllow { updated_input, updated_permissions } => vec![
            ("updatedInput", updated_input.as_ref().map(|one| Value::Object(one.what.clone()))),
            ("updatedPermissions", list(updated_permissions)),
        ],
        Ruling::RequestDeny { interrupt, .. } => vec![("interrupt", interrupt.then_some(Value::Bool(true)))],
        Ruling::Elicitation { action, content } => vec![
            ("action", Some(json!(action.as_str()))),
            ("content", content.as_ref().map(|one| Value::Object(one.what.clone()))),
        ],
        Ruling::Worktree(path) => vec![("worktreePath", Some(json!(path.what)))],
        Ruling::None | Ruling::Permission { .. } | Ruling::Block(_) | Ruling::WorktreeFailed(_) => Vec::new(),
    }
}

/// Returns the rights that each handler leaves to the call; null for one that can't be read.
fn sandboxes(attributed: &[Attributed<SandboxAnswer>]) -> Option<Value> {
    (!attributed.is_empty()).then(|| attributed.iter().map(|answer| answer.what.on_the_wire()).collect())
}

fn list(attributed: &[Attributed<Value>]) -> Option<Value> {
    (!attributed.is_empty()).then(|| attributed.iter().map(|entry| entry.what.clone()).collect())
}

fn what(attributed: &Option<Attributed<Value>>) -> Option<Value> {
    attributed.as_ref().map(|one| one.what.clone())
}

fn text(attributed: &Option<Attributed<String>>) -> Option<Value> {
    attributed.as_ref().map(|one| Value::from(one.what.as_str()))
}
