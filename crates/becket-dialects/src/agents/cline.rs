//! Cline: executables per event. A denial of commands replaces them by none; any other denial ends the run.

use super::words::put;
use crate::answer::AnswerParts;
use crate::dialect::HostTimeout;
use crate::{
    Answer, AnswerForm, AnswerSupport, CallShape, Dialect, Effect, EventRow, McpFiles, McpNames, Proof, Sign,
    ToolRow,
};
use becket_model::EventKind;
use serde_json::{Map, Value, json};

pub(super) static CLINE: Dialect = Dialect {
    name: "cline",
    title: "Cline CLI",
    version: "3.0.65",
    proof: Proof::Run,
    project_variables: &[],
    timeout: HostTimeout::seconds(30),
    signs: &[&[Sign::Has("clineVersion")], &[Sign::Has("hookName"), Sign::Has("taskId")]],
    fields: &[("hookName", "hook_event_name"), ("taskId", "session_id")],
    values: &[],
    events: &[
        EventRow::new("agent_start", EventKind::SessionStart, AnswerSupport::NOTHING),
        EventRow::new("agent_resume", EventKind::SessionStart, AnswerSupport::NOTHING)
            .implying(&[("source", "resume")]),
        EventRow::new(
            "prompt_submit",
            EventKind::UserPromptSubmit,
            AnswerSupport::NOTHING.refusal().context(),
        ),
        EventRow::new(
            "tool_call",
            EventKind::PreToolUse,
            AnswerSupport::NOTHING.refusal().rewrite().context(),
        ),
        EventRow::new("tool_result", EventKind::PostToolUse, AnswerSupport::NOTHING.context()),
        EventRow::new("agent_end", EventKind::Stop, AnswerSupport::NOTHING),
        EventRow::new("pre_compact", EventKind::PreCompact, AnswerSupport::NOTHING),
        EventRow::new("session_shutdown", EventKind::SessionEnd, AnswerSupport::NOTHING),
    ],
    informative: &["agent_abort", "agent_error"],
    tools: &[
        ToolRow::shell(COMMANDS).shape(CallShape::Commands(&["commands", "command", "cmd"])).bare("commands"),
        ToolRow::edit("editor").keys(&[
            ("path", "file_path"),
            ("old_text", "old_string"),
            ("new_text", "new_string"),
        ]),
        ToolRow::edit("apply_patch").shape(CallShape::Patch("input")).bare("input"),
        ToolRow::read("read_files", "Read")
            .shape(CallShape::Paths(&["files", "paths", "file_paths", "path"]))
            .bare("files"),
        ToolRow::read("search_codebase", "Grep").bare("queries"),
        ToolRow::network("fetch_web_content", "WebFetch").keys(&[("requests", "url")]),
        ToolRow::agent("spawn_agent"),
        ToolRow::internal("ask_question", "AskUserQuestion"),
        ToolRow::internal("skills", "Skill"),
        ToolRow::internal("submit_and_exit", "submit_and_exit"),
    ],
    mcp: McpNames::Underscore,
    mcp_files: McpFiles {
        user_directory: ".cline/data/settings",
        user: &["cline_mcp_settings.json"],
        ..McpFiles::NONE
    },
    reshape,
    write,
    effects: &[(AnswerForm::EmptyOverride, Effect::Held), (AnswerForm::Cancel, Effect::Ends)],
    notes: &[
        "A denied edit ends the run, and the model does not read the reason; a denied command does neither.",
    ],
};

/// The tool that runs commands.
const COMMANDS: &str = "run_commands";

/// Moves the call out of its separate object, and the project out of its list.
fn reshape(fields: &mut Map<String, Value>) {
    let call = fields.shift_remove("tool_call").or_else(|| fields.shift_remove("tool_result"));
    if let Some(Value::Object(mut call)) = call {
        let moved = [
            ("name", "tool_name"),
            ("input", "tool_input"),
            ("id", "tool_use_id"),
            ("output", "tool_response"),
        ];
        for (theirs, ours) in moved {
            fields.extend(call.shift_remove(theirs).map(|value| (ours.to_owned(), value)));
        }
        fields.extend(call.shift_remove("durationMs").map(|value| ("duration_ms".to_owned(), value)));
    }
    let root = fields.get("workspaceRoots").and_then(|roots| roots.get(0)).cloned();
    fields.extend(root.map(|root| ("cwd".to_owned(), root)));
    let last = fields.get("turn").and_then(|turn| turn.get("outputText")).cloned();
    fields.extend(last.map(|text| ("last_assistant_message".to_owned(), text)));
}

fn write(out: &AnswerParts<'_>) -> Answer {
    let mut top = Map::from_iter([("cancel".to_owned(), json!(false))]);
    let mut context = out.context.clone();
    let runs_commands = out.call.is_some_and(|call| call.name == COMMANDS);
    match (out.refusal(), &out.rewrite) {
        // Cancelling would end the whole run, and the model would not read the reason.
        (Some(reason), _) if runs_commands => {
            top.insert("overrideInput".to_owned(), json!({"commands": []}));
            let context_too = context.map(|context| format!("\n{context}")).unwrap_or_default();
            context = Some(format!("{reason}{context_too}"));
        }
        (Some(reason), _) => {
            top.insert("cancel".to_owned(), json!(true));
            put(&mut top, "errorMessage", Some(reason));
        }
        (None, Some(input)) => {
            top.insert("overrideInput".to_owned(), Value::Object(input.clone()));
        }
        (None, None) => {}
    }
    put(&mut top, "contextModification", context.as_deref());
    Answer::json(top)
}
