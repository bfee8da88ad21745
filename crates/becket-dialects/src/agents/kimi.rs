//! Kimi Code: Claude Code's events; a refusal is exit code 2, and a context of a prompt plain text.

use crate::answer::AnswerParts;
use crate::dialect::HostTimeout;
use crate::{
    Answer, AnswerForm, AnswerSupport, Dialect, Effect, EventRow, McpFiles, McpNames, Proof, Sign, ToolRow,
};
use becket_model::EventKind;
use serde_json::{Map, Value, json};

pub(super) static KIMI: Dialect = Dialect {
    name: "kimi",
    title: "Kimi Code",
    version: "2.1.0",
    proof: Proof::Run,
    project_variables: &[],
    timeout: HostTimeout::seconds(30).up_to(600),
    signs: &[&[Sign::Is("client_type", "kimi_code_cli")]],
    fields: &[("tool_call_id", "tool_use_id"), ("tool_output", "tool_response")],
    values: &[],
    events: &[
        EventRow::named(EventKind::SessionStart, AnswerSupport::NOTHING),
        EventRow::named(EventKind::UserPromptSubmit, AnswerSupport::NOTHING.refusal().context()),
        EventRow::named(EventKind::PreToolUse, AnswerSupport::NOTHING.refusal()),
        EventRow::named(EventKind::PostToolUse, AnswerSupport::NOTHING),
        EventRow::named(EventKind::PostToolUseFailure, AnswerSupport::NOTHING),
        EventRow::named(EventKind::Notification, AnswerSupport::NOTHING),
        EventRow::named(EventKind::Stop, AnswerSupport::NOTHING.refusal()),
        EventRow::named(EventKind::StopFailure, AnswerSupport::NOTHING),
        EventRow::named(EventKind::SubagentStart, AnswerSupport::NOTHING),
        EventRow::named(EventKind::SubagentStop, AnswerSupport::NOTHING),
        EventRow::named(EventKind::PreCompact, AnswerSupport::NOTHING),
        EventRow::named(EventKind::PostCompact, AnswerSupport::NOTHING),
        EventRow::named(EventKind::SessionEnd, AnswerSupport::NOTHING),
    ],
    informative: &[],
    tools: &[
        ToolRow::shell("Bash"),
        ToolRow::shell("Shell"),
        ToolRow::write("Write").keys(FILE),
        ToolRow::write("WriteFile").keys(FILE),
        ToolRow::edit("Edit").keys(FILE),
        ToolRow::edit("StrReplaceFile").keys(FILE),
        ToolRow::read("Read", "Read").keys(FILE),
        ToolRow::read("ReadFile", "Read").keys(FILE),
        ToolRow::read("ReadMediaFile", "Read").keys(FILE),
        ToolRow::read("Glob", "Glob").keys(&[("directory", "path")]),
        ToolRow::read("Grep", "Grep"),
        ToolRow::network("FetchURL", "WebFetch"),
        ToolRow::network("SearchWeb", "WebSearch"),
        ToolRow::network("WebSearch", "WebSearch"),
        ToolRow::agent("Agent"),
        ToolRow::agent("Task"),
        ToolRow::internal("AskUserQuestion", "AskUserQuestion"),
        ToolRow::internal("TodoList", "TodoWrite"),
        ToolRow::internal("SetTodoList", "TodoWrite"),
        ToolRow::internal("Skill", "Skill"),
        ToolRow::internal("EnterPlanMode", "EnterPlanMode"),
        ToolRow::internal("ExitPlanMode", "ExitPlanMode"),
        ToolRow::internal("Think", "Think"),
    ],
    mcp: McpNames::Protocol,
    mcp_files: McpFiles::NONE,
    reshape,
    write,
    effects: &[
        (AnswerForm::ExitTwo, Effect::Held),
        (AnswerForm::SilentExitTwo, Effect::Silent),
        (AnswerForm::ProtocolDeny, Effect::Held),
        (AnswerForm::ProtocolDenyAndExitTwo, Effect::Held),
    ],
    notes: &["Of `SessionStart` and `PostToolUse` it takes nothing, in seven forms tried."],
};

const FILE: &[(&str, &str)] = &[("path", "file_path")];

/// Joins the parts of a prompt. If a part of type `text` has no text, the list stays, which is an error later.
fn reshape(fields: &mut Map<String, Value>) {
    if let Some(Value::Array(parts)) = fields.get("prompt")
        && let Some(texts) = parts.iter().map(text_of).collect::<Option<Vec<String>>>()
    {
        fields.insert("prompt".to_owned(), json!(texts.join("\n")));
    }
}

/// Returns the text of a part; a part with more than that, or of another type, is its JSON.
fn text_of(part: &Value) -> Option<String> {
    let is_text = part.get("type").and_then(Value::as_str) == Some("text");
    let text = part.get("text").and_then(Value::as_str);
    let has_more = part.as_object().is_some_and(|part| part.keys().any(|key| key != "type" && key != "text"));
    match text {
        Some(text) if is_text && !has_more => Some(text.to_owned()),
        None if is_text => None,
        Some(_) | None => Some(part.to_string()),
    }
}

fn write(out: &AnswerParts<'_>) -> Answer {
    match (out.refusal(), &out.context) {
        (Some(reason), _) => Answer::exit_two(reason),
        (None, Some(context)) => Answer::text(context),
        (None, None) => Answer::nothing(),
    }
}
