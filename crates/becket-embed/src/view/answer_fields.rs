//! The further fields of a reply under their names on the wire.

use becket_model::{Fields, SandboxAnswer};
use serde_json::{Value, json};

/// Returns all fields that are set, in the order of the event table.
pub(super) fn of(fields: &Fields) -> Vec<(&'static str, Value)> {
    let flag = |is_set: bool| is_set.then_some(Value::Bool(true));
    let text = |text: &Option<String>| text.as_ref().map(|text| json!(text));
    let pairs = [
        ("updatedInput", fields.updated_input.clone().map(Value::Object)),
        ("sandbox", fields.sandbox.as_ref().map(SandboxAnswer::on_the_wire)),
        ("updatedToolOutput", fields.updated_tool_output.clone()),
        ("updatedMCPToolOutput", fields.updated_mcp_tool_output.clone()),
        ("displayContent", text(&fields.display_content)),
        ("sessionTitle", text(&fields.session_title)),
        ("initialUserMessage", text(&fields.initial_user_message)),
        ("watchPaths", fields.watch_paths.as_ref().map(|paths| json!(paths))),
        ("retry", flag(fields.retry)),
        ("reloadSkills", flag(fields.reload_skills)),
        ("suppressOriginalPrompt", flag(fields.suppress_original_prompt)),
        ("classifierContext", text(&fields.classifier_context)),
    ];
    pairs.into_iter().filter_map(|(name, value)| Some((name, value?))).collect()
}
