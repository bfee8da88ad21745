//! Windsurf (Cascade hooks), by its documentation: an event for each kind of call; a refusal is exit code 2.

use crate::answer::AnswerParts;
use crate::dialect::HostTimeout;
use crate::{
    Answer, AnswerForm, AnswerSupport, CallShape, Dialect, Effect, EventRow, McpFiles, McpNames, Proof, Sign,
    ToolRow,
};
use becket_model::EventKind;
use serde_json::{Map, Value, json};

const CALL: AnswerSupport = AnswerSupport::NOTHING.refusal();

pub(super) static WINDSURF: Dialect = Dialect {
    name: "windsurf",
    title: "Windsurf",
    version: "1.x",
    proof: Proof::Documented,
    project_variables: &[],
    timeout: HostTimeout::seconds(30),
    signs: &[&[Sign::Has("agent_action_name")]],
    fields: &[
        ("agent_action_name", "hook_event_name"),
        ("trajectory_id", "session_id"),
        ("execution_id", "prompt_id"),
    ],
    values: &[],
    events: &[
        EventRow::new("pre_user_prompt", EventKind::UserPromptSubmit, AnswerSupport::NOTHING.refusal()),
        EventRow::new("pre_run_command", EventKind::PreToolUse, CALL)
            .implying(&[("tool_name", "run_command")]),
        EventRow::new("pre_write_code", EventKind::PreToolUse, CALL).implying(&[("tool_name", "write_code")]),
        EventRow::new("pre_read_code", EventKind::PreToolUse, CALL).implying(&[("tool_name", "read_code")]),
        EventRow::new("pre_mcp_tool_use", EventKind::PreToolUse, CALL),
        EventRow::new("post_run_command", EventKind::PostToolUse, AnswerSupport::NOTHING)
            .implying(&[("tool_name", "run_command")]),
        EventRow::new("post_write_code", EventKind::PostToolUse, AnswerSupport::NOTHING)
            .implying(&[("tool_name", "write_code")]),
        EventRow::new("post_read_code", EventKind::PostToolUse, AnswerSupport::NOTHING)
            .implying(&[("tool_name", "read_code")]),
        EventRow::new("post_mcp_tool_use", EventKind::PostToolUse, AnswerSupport::NOTHING),
        EventRow::new("post_cascade_response", EventKind::Stop, AnswerSupport::NOTHING),
    ],
    informative: &["post_setup_worktree", "post_cascade_response_with_transcript"],
    tools: &[
        ToolRow::shell("run_command").keys(&[("command_line", "command")]),
        ToolRow::edit("write_code"),
        ToolRow::read("read_code", "Read").shape(CallShape::Paths(&["file_path"])),
    ],
    mcp: McpNames::Protocol,
    mcp_files: McpFiles::NONE,
    reshape,
    write,
    effects: &[(AnswerForm::ExitTwo, Effect::Held)],
    notes: &["It has no event for the start and the end of a session."],
};

/// Moves the facts out of `tool_info`, where every event has them.
fn reshape(fields: &mut Map<String, Value>) {
    let Some(Value::Object(mut info)) = fields.shift_remove("tool_info") else { return };
    fields.extend(info.shift_remove("cwd").map(|cwd| ("cwd".to_owned(), cwd)));
    fields.extend(info.shift_remove("user_prompt").map(|prompt| ("prompt".to_owned(), prompt)));
    fields.extend(info.shift_remove("response").map(|text| ("last_assistant_message".to_owned(), text)));
    let server = info.shift_remove("mcp_server_name");
    let tool = info.shift_remove("mcp_tool_name");
    if let (Some(Value::String(server)), Some(Value::String(tool))) = (server, tool) {
        fields.insert("tool_name".to_owned(), json!(format!("mcp__{server}__{tool}")));
        fields.extend(info.shift_remove("mcp_tool_arguments").map(|input| ("tool_input".to_owned(), input)));
        fields.extend(info.shift_remove("mcp_result").map(|result| ("tool_response".to_owned(), result)));
        return;
    }
    join_edits(&mut info);
    if !info.is_empty() {
        fields.insert("tool_input".to_owned(), Value::Object(info));
    }
}

/// Adds all old and all new text of the edits of one file, joined.
fn join_edits(info: &mut Map<String, Value>) {
    let Some(Value::Array(edits)) = info.get("edits").cloned() else { return };
    for key in ["old_string", "new_string"] {
        let texts: Vec<&str> = edits.iter().filter_map(|edit| edit.get(key)?.as_str()).collect();
        info.insert(key.to_owned(), json!(texts.join("\n")));
    }
}

fn write(out: &AnswerParts<'_>) -> Answer {
    out.refusal().map_or_else(Answer::nothing, Answer::exit_two)
}
