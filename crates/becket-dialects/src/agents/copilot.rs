//! Copilot CLI: Claude Code's event names, its own keys, and decisions at the top level.

use super::words::{put, put_block};
use crate::answer::AnswerParts;
use crate::dialect::HostTimeout;
use crate::{
    Action, Answer, AnswerForm, AnswerSupport, AskForm, Dialect, Effect, EventRow, McpFiles, McpNames, Proof,
    Sign, ToolRow,
};
use becket_model::EventKind;
use serde_json::{Map, Value, json};

const CALL: AnswerSupport = AnswerSupport::NOTHING.refusal().ask(AskForm::Kept).rewrite().context();
const READS: AnswerSupport = AnswerSupport::NOTHING.context();
const BLOCKS: AnswerSupport = AnswerSupport::NOTHING.refusal().context();
const STOPS: AnswerSupport = AnswerSupport::NOTHING.refusal();

const FILE: &[(&str, &str)] = &[("path", "file_path")];
const CREATE: &[(&str, &str)] = &[("path", "file_path"), ("file_text", "content")];
const EDIT: &[(&str, &str)] = &[("path", "file_path"), ("old_str", "old_string"), ("new_str", "new_string")];

pub(super) static COPILOT: Dialect = Dialect {
    name: "copilot",
    title: "Copilot CLI",
    version: "1.0.102",
    proof: Proof::Run,
    project_variables: &[],
    timeout: HostTimeout::seconds(30),
    signs: &[
        &[
            Sign::Has("session_id"),
            Sign::Has("timestamp"),
            Sign::Lacks("transcript_path"),
            Sign::Lacks("client_type"),
            Sign::Lacks("agent_action_name"),
        ],
        &[Sign::Event(&["Stop"]), Sign::Has("timestamp"), Sign::Lacks("permission_mode")],
        &[Sign::Has("hookName"), Sign::Has("sessionId")],
        &[Sign::Has("toolArgs"), Sign::Has("sessionId")],
    ],
    fields: &[
        ("hookName", "hook_event_name"),
        ("sessionId", "session_id"),
        ("toolName", "tool_name"),
        ("toolInput", "tool_input"),
        ("toolArgs", "tool_input"),
        ("toolResult", "tool_response"),
        ("tool_result", "tool_response"),
        ("permissionSuggestions", "permission_suggestions"),
        ("transcriptPath", "transcript_path"),
    ],
    values: &[("source", "new", "startup"), ("reason", "complete", "other")],
    events: &[
        EventRow::named(EventKind::SessionStart, READS),
        EventRow::named(EventKind::UserPromptSubmit, BLOCKS),
        EventRow::named(EventKind::PreToolUse, CALL),
        EventRow::named(EventKind::PostToolUse, BLOCKS),
        EventRow::named(EventKind::PostToolUseFailure, READS),
        EventRow::named(EventKind::PermissionRequest, STOPS),
        EventRow::named(EventKind::Notification, AnswerSupport::NOTHING),
        EventRow::named(EventKind::PreCompact, AnswerSupport::NOTHING),
        EventRow::named(EventKind::Stop, STOPS),
        EventRow::named(EventKind::SubagentStart, READS),
        EventRow::named(EventKind::SubagentStop, STOPS),
        EventRow::named(EventKind::SessionEnd, AnswerSupport::NOTHING),
        EventRow::new("sessionStart", EventKind::SessionStart, READS),
        EventRow::new("userPromptSubmitted", EventKind::UserPromptSubmit, BLOCKS),
        EventRow::new("preToolUse", EventKind::PreToolUse, CALL),
        EventRow::new("postToolUse", EventKind::PostToolUse, BLOCKS),
        EventRow::new("permissionRequest", EventKind::PermissionRequest, STOPS),
        EventRow::new("notification", EventKind::Notification, AnswerSupport::NOTHING),
        EventRow::new("agentStop", EventKind::Stop, STOPS),
        EventRow::new("subagentStop", EventKind::SubagentStop, STOPS),
        EventRow::new("sessionEnd", EventKind::SessionEnd, AnswerSupport::NOTHING),
    ],
    informative: &["ErrorOccurred", "errorOccurred"],
    tools: &[
        ToolRow::shell("Bash"),
        ToolRow::shell("bash"),
        ToolRow::input("write_bash").keys(&[("input", "command")]),
        ToolRow::internal("read_bash", "TaskOutput"),
        ToolRow::internal("stop_bash", "TaskStop"),
        ToolRow::internal("list_bash", "list_bash"),
        ToolRow::write("Write").keys(CREATE),
        ToolRow::write("create").keys(CREATE),
        ToolRow::edit("Edit").keys(EDIT),
        ToolRow::edit("edit").keys(EDIT),
        ToolRow::read("Read", "Read").keys(FILE),
        ToolRow::read("view", "Read").keys(FILE),
        ToolRow::read("Glob", "Glob"),
        ToolRow::read("glob", "Glob"),
        ToolRow::read("Grep", "Grep"),
        ToolRow::read("grep", "Grep"),
        ToolRow::read("rg", "Grep"),
        ToolRow::network("WebFetch", "WebFetch"),
        ToolRow::network("web_fetch", "WebFetch"),
        ToolRow::network("WebSearch", "WebSearch"),
        ToolRow::network("web_search", "WebSearch"),
        ToolRow::agent("Agent"),
        ToolRow::agent("Task"),
        ToolRow::agent("task"),
        ToolRow::internal("Skill", "Skill"),
        ToolRow::internal("skill", "Skill"),
        ToolRow::internal("ask_user", "AskUserQuestion"),
        ToolRow::internal("report_intent", "report_intent"),
        ToolRow::internal("update_todo", "TodoWrite"),
        ToolRow::internal("TodoWrite", "TodoWrite"),
        ToolRow::internal("task_complete", "task_complete"),
        ToolRow::internal("fetch_copilot_cli_documentation", "fetch_copilot_cli_documentation"),
    ],
    mcp: McpNames::Hyphen,
    mcp_files: McpFiles {
        built_in: &["github-mcp-server"],
        variable: Some(("COPILOT_HOME", "")),
        user_directory: ".copilot",
        user: &["mcp-config.json"],
        project: &[".mcp.json", ".github/mcp.json", ".copilot/mcp-config.json"],
        ..McpFiles::NONE
    },
    reshape: |_| {},
    write,
    effects: &[
        (AnswerForm::ExitTwo, Effect::Silent),
        (AnswerForm::SilentExitTwo, Effect::Silent),
        (AnswerForm::OtherExit, Effect::Silent),
        (AnswerForm::ProtocolDeny, Effect::Held),
        (AnswerForm::ProtocolDenyAndExitTwo, Effect::Silent),
        (AnswerForm::ProtocolAsk, Effect::Asks),
        (AnswerForm::TopLevelDeny, Effect::Held),
        (AnswerForm::TopLevelAsk, Effect::Asks),
        (AnswerForm::BehaviorDeny, Effect::Held),
    ],
    notes: &[
        "It reads `.claude/settings.json` as well, and runs those hooks without `if` and `args`: hooks run twice there.",
        "Server and tool of an MCP call are joined by a hyphen: only the servers of its own configuration count.",
        "The answer to `PermissionRequest` follows the documentation; it was not recorded.",
    ],
};

fn write(out: &AnswerParts<'_>) -> Answer {
    let mut top = Map::new();
    match (out.kind, &out.action) {
        (Some(EventKind::PermissionRequest), Action::Refuse { reason }) => {
            top.insert("behavior".to_owned(), json!("deny"));
            put(&mut top, "message", Some(reason));
        }
        // An unknown event may be one before a call.
        (Some(EventKind::PreToolUse) | None, Action::Refuse { reason }) => decision(&mut top, "deny", reason),
        (Some(EventKind::PreToolUse), Action::Ask { reason }) => decision(&mut top, "ask", reason),
        (Some(EventKind::PreToolUse) | None, _) => {}
        (Some(_), _) => put_block(&mut top, out),
    }
    if let Some(input) = &out.rewrite {
        top.insert("modifiedArgs".to_owned(), Value::Object(input.clone()));
    }
    put(&mut top, "additionalContext", out.context.as_deref());
    Answer::json(top)
}

fn decision(top: &mut Map<String, Value>, decision: &str, reason: &str) {
    put(top, "permissionDecision", Some(decision));
    put(top, "permissionDecisionReason", Some(reason));
}
