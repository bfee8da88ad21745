//! Gemini CLI: its own event names, and decisions at the top level. JSON on stdout wins over the exit code.

use super::words::{put, put_own, universal};
use crate::answer::AnswerParts;
use crate::dialect::HostTimeout;
use crate::{
    Action, Answer, AnswerForm, AnswerSupport, AskForm, CallShape, Dialect, Effect, EventRow, McpFiles,
    McpNames, OutputForm, Proof, Sign, ToolRow,
};
use becket_model::EventKind;
use serde_json::{Map, Value, json};

const ANYWHERE: AnswerSupport = AnswerSupport::NOTHING.stop().message();

const GREP: &[(&str, &str)] = &[("dir_path", "path"), ("include", "glob"), ("include_pattern", "glob")];

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
        EventRow::new(
            "AfterTool",
            EventKind::PostToolUse,
            ANYWHERE.refusal().context().output(OutputForm::Block),
        ),
        EventRow::new("AfterAgent", EventKind::Stop, ANYWHERE.refusal()),
        EventRow::new("PreCompress", EventKind::PreCompact, AnswerSupport::NOTHING.message()),
        EventRow::named(EventKind::Notification, AnswerSupport::NOTHING.message()),
        EventRow::named(EventKind::SessionEnd, AnswerSupport::NOTHING),
    ],
    informative: &["BeforeModel", "AfterModel", "BeforeToolSelection"],
    tools: &[
        ToolRow::shell("run_shell_command").directory(&["dir_path"]),
        ToolRow::write("write_file"),
        ToolRow::edit("replace"),
        ToolRow::read("read_file", "Read").keys(&[("absolute_path", "file_path")]),
        ToolRow::read("read_many_files", "Read").shape(CallShape::Patterns(&["include", "paths"])),
        ToolRow::read("glob", "Glob").keys(&[("dir_path", "path")]),
        ToolRow::read("grep_search", "Grep").keys(GREP),
        ToolRow::read("search_file_content", "Grep").keys(GREP),
        ToolRow::read("list_directory", "LS").keys(&[("dir_path", "path")]),
        ToolRow::network("web_fetch", "WebFetch").shape(CallShape::Urls("prompt")),
        ToolRow::network("google_web_search", "WebSearch"),
        ToolRow::agent("invoke_agent").keys(&[("agent_name", "subagent_type")]),
        ToolRow::agent("codebase_investigator"),
        ToolRow::read("list_mcp_resources", "ListMcpResourcesTool"),
        ToolRow::read("read_mcp_resource", "ReadMcpResourceTool"),
        ToolRow::internal("read_background_output", "BashOutput"),
        ToolRow::native_only("list_background_processes"),
        ToolRow::native_only("save_memory"),
        ToolRow::internal("write_todos", "TodoWrite"),
        ToolRow::internal("ask_user", "AskUserQuestion"),
        ToolRow::internal("activate_skill", "Skill").keys(&[("name", "skill")]),
        ToolRow::internal("enter_plan_mode", "EnterPlanMode"),
        ToolRow::internal("exit_plan_mode", "ExitPlanMode"),
        ToolRow::native_only("get_internal_docs"),
        ToolRow::native_only("complete_task"),
        ToolRow::native_only("update_topic"),
        ToolRow::native_only("tracker_add_dependency"),
        ToolRow::native_only("tracker_create_task"),
        ToolRow::native_only("tracker_get_task"),
        ToolRow::native_only("tracker_list_tasks"),
        ToolRow::native_only("tracker_update_task"),
        ToolRow::native_only("tracker_visualize"),
    ],
    mcp: McpNames::Gemini,
    mcp_files: McpFiles {
        user_directory: ".gemini",
        user: &["settings.json"],
        project: &[".gemini/settings.json"],
        ..McpFiles::NONE
    },
    reshape: |_| {},
    write,
    effects: &[
        (AnswerForm::ExitTwo, Effect::Held),
        (AnswerForm::DecisionBlock, Effect::Held),
        (AnswerForm::DecisionDeny, Effect::Held),
        (AnswerForm::DecisionAsk, Effect::Ends),
    ],
    notes: &[
        "An ask without a user ends the run with exit code 0 and no further word, so it is a denial by default.",
        "The first prompt begins with the context of `SessionStart` hooks, in `<hook_context>`, and hooks see it \
         there: a prompt may contain the same.",
    ],
};

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
