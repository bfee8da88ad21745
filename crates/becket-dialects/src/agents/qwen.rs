//! Qwen Code: Claude Code's events and form, Gemini CLI's tools.

use super::words;
use crate::answer::AnswerParts;
use crate::dialect::HostTimeout;
use crate::{
    Answer, AnswerForm, AnswerSupport, AskForm, CallShape, Dialect, Effect, EventRow, McpFiles, McpNames,
    OutputForm, Proof, Sign, ToolRow,
};
use becket_model::EventKind;

const ANYWHERE: AnswerSupport = AnswerSupport::NOTHING.stop().message();
/// Before and after a call, `continue: false` concerns the call alone.
const CALL: AnswerSupport = AnswerSupport::NOTHING.message();

pub(super) static QWEN: Dialect = Dialect {
    name: "qwen",
    title: "Qwen Code",
    version: "0.24.4",
    proof: Proof::Run,
    project_variables: &["QWEN_PROJECT_DIR"],
    timeout: HostTimeout::seconds(60),
    signs: &[&[Sign::Has("timestamp"), Sign::Has("permission_mode"), Sign::Has("transcript_path")]],
    fields: &[],
    values: &[
        ("permission_mode", "yolo", "bypassPermissions"),
        ("permission_mode", "auto_edit", "acceptEdits"),
        ("permission_mode", "auto-edit", "acceptEdits"),
    ],
    events: &[
        EventRow::named(EventKind::SessionStart, ANYWHERE.context()),
        EventRow::named(EventKind::UserPromptSubmit, ANYWHERE.refusal().context()).repeated_without_prompt(),
        EventRow::named(EventKind::PreToolUse, CALL.refusal().ask(AskForm::Kept)),
        EventRow::named(EventKind::PermissionRequest, AnswerSupport::NOTHING.refusal()),
        EventRow::named(EventKind::PostToolUse, CALL.context().output(OutputForm::Stop)),
        EventRow::named(EventKind::PostToolUseFailure, AnswerSupport::NOTHING.context()),
        EventRow::named(EventKind::Notification, AnswerSupport::NOTHING),
        EventRow::named(EventKind::Stop, ANYWHERE.refusal()),
        EventRow::named(EventKind::SubagentStart, AnswerSupport::NOTHING),
        EventRow::named(EventKind::SubagentStop, AnswerSupport::NOTHING.refusal()),
        EventRow::named(EventKind::PreCompact, AnswerSupport::NOTHING),
        EventRow::named(EventKind::SessionEnd, AnswerSupport::NOTHING),
    ],
    informative: &[],
    tools: &[
        ToolRow::shell("run_shell_command").directory(&["directory"]),
        ToolRow::shell("monitor"),
        ToolRow::write("write_file"),
        ToolRow::edit("edit"),
        ToolRow::edit("replace"),
        ToolRow::new("notebook_edit", "NotebookEdit", crate::ToolClass::Write),
        ToolRow::read("read_file", "Read").keys(&[("absolute_path", "file_path")]),
        ToolRow::read("read_many_files", "Read").shape(CallShape::Patterns(&["paths", "include"])),
        ToolRow::read("glob", "Glob"),
        ToolRow::read("grep_search", "Grep").keys(&[("include", "glob")]),
        ToolRow::read("list_directory", "LS"),
        ToolRow::read("lsp", "LSP").keys(&[("filePath", "file_path")]),
        ToolRow::read("read_mcp_resource", "ReadMcpResourceTool"),
        ToolRow::read("zoom_image", "Read").keys(&[("path", "file_path")]),
        ToolRow::read("display_image", "Read").keys(&[("path", "file_path")]),
        ToolRow::network("web_fetch", "WebFetch"),
        ToolRow::network("web_search", "WebSearch"),
        ToolRow::agent("agent"),
        ToolRow::agent("task"),
        ToolRow::internal("skill", "Skill"),
        ToolRow::native_only("save_memory"),
        ToolRow::internal("todo_write", "TodoWrite"),
        ToolRow::internal("ask_user_question", "AskUserQuestion"),
        ToolRow::internal("enter_plan_mode", "EnterPlanMode"),
        ToolRow::internal("exit_plan_mode", "ExitPlanMode"),
        ToolRow::internal("tool_search", "ToolSearch"),
        ToolRow::internal("structured_output", "StructuredOutput"),
        ToolRow::internal("task_stop", "TaskStop"),
        ToolRow::native_only("task_create"),
        ToolRow::native_only("task_update"),
        ToolRow::native_only("task_list"),
        ToolRow::native_only("team_create"),
        ToolRow::native_only("team_delete"),
        ToolRow::native_only("team_plan_approval"),
        ToolRow::native_only("request_shutdown"),
        ToolRow::native_only("send_message"),
        ToolRow::native_only("list_agents"),
        ToolRow::native_only("get_goal"),
        ToolRow::native_only("update_goal"),
        ToolRow::native_only("propose_goal"),
        ToolRow::native_only("report_findings"),
        ToolRow::native_only("record_artifact"),
        ToolRow::native_only("record_source"),
        ToolRow::native_only("loop_wakeup"),
        ToolRow::native_only("cron_list"),
        ToolRow::native_only("cron_delete"),
    ],
    mcp: McpNames::Protocol,
    mcp_files: McpFiles::NONE,
    reshape: |_| {},
    write,
    effects: &[
        (AnswerForm::ExitTwo, Effect::Held),
        (AnswerForm::ProtocolDeny, Effect::Held),
        (AnswerForm::ProtocolDenyAndExitTwo, Effect::Held),
        (AnswerForm::ProtocolAsk, Effect::Asks),
        (AnswerForm::ProtocolRequestDeny, Effect::Held),
        (AnswerForm::DecisionBlock, Effect::Held),
    ],
    notes: &[
        "`updatedInput` is dropped, with or without an allow, whatever its documentation says.",
        "`UserPromptSubmit` fires again after every tool result with an empty prompt; hooks do not see that.",
    ],
};

fn write(out: &AnswerParts<'_>) -> Answer {
    match out.kind {
        Some(EventKind::PermissionRequest) => Answer::json(words::protocol_request(out)),
        Some(_) => Answer::json(words::protocol(out)),
        None => out.refusal().map_or_else(Answer::nothing, Answer::exit_two),
    }
}
