//! Cursor, by its documentation: an event for each kind of call, and one form of answer for each event.

use super::words::put;
use crate::answer::AnswerParts;
use crate::dialect::HostTimeout;
use crate::{
    Answer, AnswerForm, AnswerSupport, Dialect, Effect, EventRow, McpFiles, McpNames, Proof, Sign, ToolRow,
};
use becket_model::EventKind;
use serde_json::{Map, Value, json};

const CALL: AnswerSupport = AnswerSupport::NOTHING.refusal();

pub(super) static CURSOR: Dialect = Dialect {
    name: "cursor",
    title: "Cursor",
    version: "2.x",
    proof: Proof::Documented,
    project_variables: &["CURSOR_PROJECT_DIR"],
    timeout: HostTimeout::seconds(30),
    signs: &[&[Sign::Has("conversation_id"), Sign::Has("hook_event_name")]],
    fields: &[
        ("conversation_id", "session_id"),
        ("generation_id", "prompt_id"),
        ("tool_output", "tool_response"),
        ("result_json", "tool_response"),
        ("output", "tool_response"),
        ("text", "last_assistant_message"),
    ],
    values: &[],
    events: &[
        EventRow::new("sessionStart", EventKind::SessionStart, AnswerSupport::NOTHING.context()),
        EventRow::new("beforeSubmitPrompt", EventKind::UserPromptSubmit, AnswerSupport::NOTHING.refusal()),
        EventRow::new("preToolUse", EventKind::PreToolUse, CALL),
        EventRow::new("beforeShellExecution", EventKind::PreToolUse, CALL)
            .implying(&[("tool_name", "Shell")]),
        EventRow::new("beforeMCPExecution", EventKind::PreToolUse, CALL),
        EventRow::new("beforeReadFile", EventKind::PreToolUse, CALL).implying(&[("tool_name", "Read")]),
        EventRow::new("postToolUse", EventKind::PostToolUse, AnswerSupport::NOTHING.context()),
        EventRow::new("postToolUseFailure", EventKind::PostToolUseFailure, AnswerSupport::NOTHING),
        EventRow::new("afterShellExecution", EventKind::PostToolUse, AnswerSupport::NOTHING)
            .implying(&[("tool_name", "Shell")]),
        EventRow::new("afterMCPExecution", EventKind::PostToolUse, AnswerSupport::NOTHING),
        EventRow::new("afterFileEdit", EventKind::PostToolUse, AnswerSupport::NOTHING)
            .implying(&[("tool_name", "Edit")]),
        EventRow::new("stop", EventKind::Stop, AnswerSupport::NOTHING.refusal()),
        EventRow::new("subagentStart", EventKind::SubagentStart, AnswerSupport::NOTHING),
        EventRow::new("subagentStop", EventKind::SubagentStop, AnswerSupport::NOTHING.refusal()),
        EventRow::new("preCompact", EventKind::PreCompact, AnswerSupport::NOTHING),
        EventRow::new("sessionEnd", EventKind::SessionEnd, AnswerSupport::NOTHING),
    ],
    informative: &["afterAgentResponse", "afterAgentThought", "afterTabFileEdit", "beforeTabFileRead"],
    tools: &[
        ToolRow::shell("Shell").directory(&["working_directory"]),
        ToolRow::write("Write").keys(FILE),
        ToolRow::write("TabWrite").keys(FILE),
        ToolRow::edit("Edit").keys(FILE),
        ToolRow::edit("StrReplace").keys(FILE),
        ToolRow::edit("Delete").keys(FILE),
        ToolRow::read("Read", "Read").keys(FILE),
        ToolRow::read("TabRead", "Read").keys(FILE),
        ToolRow::read("Grep", "Grep"),
        ToolRow::read("Glob", "Glob").keys(&[("glob_pattern", "pattern"), ("target_directory", "path")]),
        ToolRow::read("LS", "LS"),
        ToolRow::network("WebFetch", "WebFetch"),
        ToolRow::network("WebSearch", "WebSearch"),
        ToolRow::agent("Task"),
        ToolRow::internal("TodoWrite", "TodoWrite"),
        ToolRow::internal("AskQuestion", "AskUserQuestion"),
    ],
    mcp: McpNames::Protocol,
    mcp_files: McpFiles::NONE,
    reshape,
    write,
    effects: &[(AnswerForm::ExitTwo, Effect::Held), (AnswerForm::PermissionDeny, Effect::Held)],
    notes: &[
        "Its own asks and rewrites are not used until they have been seen to hold.",
        "An MCP call names no server, so it counts as a tool that the table does not have.",
        "It also reads `.claude/settings.json`: hooks may run twice there.",
    ],
};

const FILE: &[(&str, &str)] = &[("path", "file_path")];

/// Moves the fields of a call from the top level, and the project out of its list.
fn reshape(fields: &mut Map<String, Value>) {
    let root = fields.get("workspace_roots").and_then(|roots| roots.get(0)).cloned();
    if let Some(root) = root.filter(|_| !fields.contains_key("cwd")) {
        fields.insert("cwd".to_owned(), root);
    }
    let event = fields.get("hook_event_name").and_then(Value::as_str).unwrap_or_default().to_owned();
    match event.as_str() {
        "beforeShellExecution" | "afterShellExecution" => take_input(fields, &["command"]),
        "beforeReadFile" => take_input(fields, &["file_path"]),
        "afterFileEdit" => take_input(fields, &["file_path", "edits"]),
        _ => {}
    }
}

fn take_input(fields: &mut Map<String, Value>, keys: &[&str]) {
    let taken = keys.iter().filter_map(|key| Some(((*key).to_owned(), fields.shift_remove(*key)?)));
    let input: Map<String, Value> = taken.collect();
    if !input.is_empty() {
        fields.insert("tool_input".to_owned(), Value::Object(input));
    }
}

fn write(out: &AnswerParts<'_>) -> Answer {
    let mut top = Map::new();
    match (out.kind, out.refusal()) {
        (Some(EventKind::UserPromptSubmit), Some(reason)) => {
            top.insert("continue".to_owned(), json!(false));
            put(&mut top, "user_message", Some(reason));
        }
        (Some(EventKind::Stop | EventKind::SubagentStop), Some(reason)) => {
            put(&mut top, "followup_message", Some(reason));
        }
        (Some(EventKind::PreToolUse), Some(reason)) => {
            put(&mut top, "permission", Some("deny"));
            put(&mut top, "user_message", Some(reason));
            put(&mut top, "agent_message", Some(reason));
        }
        (_, Some(reason)) => return Answer::exit_two(reason),
        (_, None) => {}
    }
    put(&mut top, "additional_context", out.context.as_deref());
    Answer::json(top)
}
