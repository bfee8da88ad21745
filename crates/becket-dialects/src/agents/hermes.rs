//! Hermes: its own events; only `{"decision": "block"}` counts.

use super::words::{put, put_block};
use crate::answer::AnswerParts;
use crate::dialect::HostTimeout;
use crate::{
    Answer, AnswerForm, AnswerSupport, CallShape, Dialect, Effect, EventRow, McpFiles, McpNames, Proof, Sign,
    ToolRow,
};
use becket_model::EventKind;
use serde_json::{Map, Value};

const FILE: &[(&str, &str)] = &[("path", "file_path")];

pub(super) static HERMES: Dialect = Dialect {
    name: "hermes",
    title: "Hermes",
    version: "0.19.0",
    proof: Proof::Run,
    project_variables: &[],
    timeout: HostTimeout::seconds(60).up_to(300),
    signs: &[
        &[Sign::Event(&[
            "pre_tool_call",
            "post_tool_call",
            "on_session_start",
            "pre_llm_call",
            "post_llm_call",
            "on_session_end",
            "on_session_finalize",
            "on_session_reset",
            "subagent_stop",
        ])],
        // An event of another version: exit code 2, which most agents understand, runs the call here.
        &[
            Sign::Has("hook_event_name"),
            Sign::Has("extra"),
            Sign::Lacks("transcript_path"),
            Sign::Lacks("timestamp"),
            Sign::Lacks("client_type"),
            Sign::Lacks("conversation_id"),
            Sign::Lacks("clineVersion"),
            Sign::Lacks("agent_action_name"),
            Sign::Lacks("dialect"),
        ],
    ],
    fields: &[],
    values: &[],
    events: &[
        EventRow::new("on_session_start", EventKind::SessionStart, AnswerSupport::NOTHING),
        EventRow::new("pre_llm_call", EventKind::UserPromptSubmit, AnswerSupport::NOTHING.context()),
        EventRow::new("pre_tool_call", EventKind::PreToolUse, AnswerSupport::NOTHING.refusal()),
        EventRow::new("post_tool_call", EventKind::PostToolUse, AnswerSupport::NOTHING),
        EventRow::new("subagent_stop", EventKind::SubagentStop, AnswerSupport::NOTHING),
        EventRow::new("on_session_end", EventKind::SessionEnd, AnswerSupport::NOTHING),
    ],
    informative: &["post_llm_call", "on_session_finalize", "on_session_reset"],
    tools: &[
        ToolRow::shell("terminal").directory(&["workdir"]),
        ToolRow::shell("execute_code").keys(&[("code", "command")]),
        ToolRow::input("process").keys(&[("data", "command")]),
        ToolRow::write("write_file").keys(FILE),
        ToolRow::edit("patch").keys(FILE).shape(CallShape::PatchOrOne("patch")),
        ToolRow::read("read_file", "Read").keys(FILE),
        ToolRow::read("search_files", "Grep")
            .keys(&[("file_glob", "glob")])
            .shape(CallShape::Search("target")),
        ToolRow::network("web_search", "WebSearch"),
        ToolRow::network("web_extract", "WebFetch").keys(&[("urls", "url")]),
        ToolRow::agent("delegate_task"),
        ToolRow::internal("todo", "TodoWrite"),
        ToolRow::internal("clarify", "AskUserQuestion"),
        ToolRow::internal("skill_view", "Skill"),
        ToolRow::internal("skills_list", "skills_list"),
        ToolRow::internal("session_search", "session_search"),
        ToolRow::internal("memory", "memory"),
    ],
    mcp: McpNames::Protocol,
    mcp_files: McpFiles::NONE,
    reshape,
    write,
    effects: &[(AnswerForm::DecisionBlock, Effect::Held)],
    notes: &["The command of a hook is split into words, no shell runs it; the user consents to each once."],
};

/// Moves the facts out of `extra`, where most of them are.
fn reshape(fields: &mut Map<String, Value>) {
    let Some(Value::Object(mut extra)) = fields.shift_remove("extra") else { return };
    for (theirs, ours) in
        [("tool_call_id", "tool_use_id"), ("user_message", "prompt"), ("result", "tool_response")]
    {
        let value = extra.shift_remove(theirs).filter(|value| !value.is_null());
        fields.extend(value.map(|value| (ours.to_owned(), value)));
    }
    fields.extend(extra.shift_remove("model").map(|model| ("model".to_owned(), model)));
    // In events without a call, the fields of one are null.
    for field in ["tool_name", "tool_input"] {
        if fields.get(field).is_some_and(Value::is_null) && !fields.contains_key("tool_use_id") {
            fields.shift_remove(field);
        }
    }
}

fn write(out: &AnswerParts<'_>) -> Answer {
    let mut top = Map::new();
    put_block(&mut top, out);
    if out.refusal().is_none() {
        put(&mut top, "context", out.context.as_deref());
    }
    Answer::json(top)
}
