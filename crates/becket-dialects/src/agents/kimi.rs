//! Kimi Code: Claude Code's events; a refusal is exit code 2, and a context of a prompt plain text.

use crate::answer::Outgoing;
use crate::dialect::HostTimeout;
use crate::{Answer, AnswerForm, Dialect, Effect, EventRow, McpNames, Proof, Sign, Takes, ToolRow};
use becket_model::EventKind;
use serde_json::{Map, Value, json};

pub(super) static KIMI: Dialect = Dialect {
    name: "kimi",
    title: "Kimi Code",
    version: "2.1.0",
    proof: Proof::Run,
    project_variables: &[],
    timeout: HostTimeout::seconds(30),
    signs: &[&[Sign::Is("client_type", "kimi_code_cli")]],
    fields: &[("tool_call_id", "tool_use_id"), ("tool_output", "tool_response")],
    values: &[],
    events: &[
        EventRow::new("SessionStart", EventKind::SessionStart, Takes::NOTHING),
        EventRow::new("UserPromptSubmit", EventKind::UserPromptSubmit, Takes::NOTHING.refusal().context()),
        EventRow::new("PreToolUse", EventKind::PreToolUse, Takes::NOTHING.refusal()),
        EventRow::new("PostToolUse", EventKind::PostToolUse, Takes::NOTHING),
        EventRow::new("PostToolUseFailure", EventKind::PostToolUseFailure, Takes::NOTHING),
        EventRow::new("Notification", EventKind::Notification, Takes::NOTHING),
        EventRow::new("Stop", EventKind::Stop, Takes::NOTHING.refusal()),
        EventRow::new("StopFailure", EventKind::StopFailure, Takes::NOTHING),
        EventRow::new("SubagentStart", EventKind::SubagentStart, Takes::NOTHING),
        EventRow::new("SubagentStop", EventKind::SubagentStop, Takes::NOTHING),
        EventRow::new("PreCompact", EventKind::PreCompact, Takes::NOTHING),
        EventRow::new("PostCompact", EventKind::PostCompact, Takes::NOTHING),
        EventRow::new("SessionEnd", EventKind::SessionEnd, Takes::NOTHING),
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
        ToolRow::read("Glob", "Glob"),
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

/// A prompt is a list of parts.
fn reshape(fields: &mut Map<String, Value>) {
    if let Some(Value::Array(parts)) = fields.get("prompt") {
        let texts: Vec<&str> = parts.iter().filter_map(|part| part.get("text")?.as_str()).collect();
        let text = json!(texts.join("\n"));
        fields.insert("prompt".to_owned(), text);
    }
}

fn write(out: &Outgoing<'_>) -> Answer {
    match (out.refusal(), &out.context) {
        (Some(reason), _) => Answer::exit_two(reason),
        (None, Some(context)) => Answer::text(context),
        (None, None) => Answer::nothing(),
    }
}
