//! Gemini CLI: its own event names, and decisions at the top level. JSON on stdout wins over the exit code.

use super::words::{put, put_own, universal};
use crate::answer::AnswerParts;
use crate::dialect::HostTimeout;
use crate::{
    Action, Answer, AnswerForm, AnswerSupport, AskForm, CallShape, Dialect, Effect, EventRow, McpNames,
    Proof, Sign, ToolRow,
};
use becket_model::EventKind;
use serde_json::{Map, Value, json};

const ANYWHERE: AnswerSupport = AnswerSupport::NOTHING.stop().message();

pub(super) static GEMINI: Dialect = Dialect {
    name: "gemini",
    title: "Gemini CLI",
    version: "0.61.0",
    proof: Proof::Run,
    project_variables: &["GEMINI_PROJECT_DIR"],
    timeout: HostTimeout::millis(60_000),
    signs: &[
        &[Sign::Event(&["BeforeTool", "AfterTool", "BeforeAgent", "AfterAgent", "PreCompress"])],
        &[Sign::Event(&["BeforeModel", "AfterModel", "BeforeToolSelection"])],
        &[
            Sign::Event(&["SessionStart", "SessionEnd", "Notification"]),
            Sign::Has("timestamp"),
            Sign::Has("transcript_path"),
            Sign::Lacks("permission_mode"),
        ],
    ],
    fields: &[("prompt_response", "last_assistant_message")],
    values: &[("reason", "exit", "prompt_input_exit")],
    events: &[
        EventRow::named(EventKind::SessionStart, ANYWHERE.context()),
        EventRow::new("BeforeAgent", EventKind::UserPromptSubmit, ANYWHERE.refusal().context()),
        EventRow::new(
            "BeforeTool",
            EventKind::PreToolUse,
            ANYWHERE.refusal().ask(AskForm::EndsRun).rewrite(),
        ),
        EventRow::new("AfterTool", EventKind::PostToolUse, ANYWHERE.refusal().context()),
        EventRow::new("AfterAgent", EventKind::Stop, ANYWHERE.refusal()),
        EventRow::new("PreCompress", EventKind::PreCompact, AnswerSupport::NOTHING.message()),
        EventRow::named(EventKind::Notification, AnswerSupport::NOTHING.message()),
        EventRow::named(EventKind::SessionEnd, AnswerSupport::NOTHING),
    ],
    informative: &["BeforeModel", "AfterModel", "BeforeToolSelection"],
    tools: &[
        ToolRow::shell("run_shell_command"),
        ToolRow::write("write_file"),
        ToolRow::edit("replace"),
        ToolRow::read("read_file", "Read").keys(&[("absolute_path", "file_path")]),
        ToolRow::read("read_many_files", "Read").shape(CallShape::Paths(&["include", "paths"])),
        ToolRow::read("glob", "Glob").keys(&[("dir_path", "path")]),
        ToolRow::read("grep_search", "Grep").keys(&[("dir_path", "path")]),
        ToolRow::read("search_file_content", "Grep").keys(&[("dir_path", "path")]),
        ToolRow::read("list_directory", "LS").keys(&[("dir_path", "path")]),
        ToolRow::network("web_fetch", "WebFetch"),
        ToolRow::network("google_web_search", "WebSearch"),
        ToolRow::agent("invoke_agent").keys(&[("agent_name", "subagent_type")]),
        ToolRow::agent("codebase_investigator"),
        ToolRow::read("list_mcp_resources", "ListMcpResourcesTool"),
        ToolRow::read("read_mcp_resource", "ReadMcpResourceTool"),
        ToolRow::internal("read_background_output", "BashOutput"),
        ToolRow::own("list_background_processes"),
        ToolRow::own("save_memory"),
        ToolRow::internal("write_todos", "TodoWrite"),
        ToolRow::internal("ask_user", "AskUserQuestion"),
        ToolRow::internal("activate_skill", "Skill").keys(&[("name", "skill")]),
        ToolRow::internal("enter_plan_mode", "EnterPlanMode"),
        ToolRow::internal("exit_plan_mode", "ExitPlanMode"),
        ToolRow::own("get_internal_docs"),
        ToolRow::own("complete_task"),
        ToolRow::own("update_topic"),
        ToolRow::own("tracker_add_dependency"),
        ToolRow::own("tracker_create_task"),
        ToolRow::own("tracker_get_task"),
        ToolRow::own("tracker_list_tasks"),
        ToolRow::own("tracker_update_task"),
        ToolRow::own("tracker_visualize"),
    ],
    mcp: McpNames::Gemini,
    reshape,
    write,
    effects: &[
        (AnswerForm::ExitTwo, Effect::Held),
        (AnswerForm::DecisionBlock, Effect::Held),
        (AnswerForm::DecisionDeny, Effect::Held),
        (AnswerForm::DecisionAsk, Effect::Ends),
    ],
    notes: &[
        "An ask without a user ends the run with exit code 0 and no further word, so it is a denial by default.",
    ],
};

/// The prompt begins with the context that SessionStart hooks gave; the user did not write it.
fn reshape(fields: &mut Map<String, Value>) {
    const END: &str = "</hook_context>";
    let prompt = fields.get("prompt").and_then(Value::as_str);
    let typed = prompt.filter(|prompt| prompt.trim_start().starts_with("<hook_context>"));
    if let Some(typed) = typed.and_then(|prompt| prompt.split_once(END)).map(|(_, typed)| typed.trim_start())
    {
        let typed = json!(typed);
        fields.insert("prompt".to_owned(), typed);
    }
}

fn write(out: &AnswerParts<'_>) -> Answer {
    let mut top = universal(out);
    match &out.action {
        Action::Refuse { reason } => {
            top.insert("decision".to_owned(), json!("deny"));
            top.insert("reason".to_owned(), json!(reason));
        }
        Action::Ask { reason } => {
            top.insert("decision".to_owned(), json!("ask"));
            top.insert("reason".to_owned(), json!(reason));
        }
        Action::Proceed | Action::Allow => {}
    }
    let mut own = Map::new();
    if let Some(input) = &out.rewrite {
        own.insert("tool_input".to_owned(), Value::Object(input.clone()));
    }
    put(&mut own, "additionalContext", out.context.as_deref());
    put_own(&mut top, out.native, own);
    Answer::json(top)
}
