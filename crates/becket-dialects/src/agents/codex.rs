//! Codex: Claude Code's form, read strictly. An unknown key makes a denial void.

use super::words;
use crate::answer::AnswerParts;
use crate::dialect::HostTimeout;
use crate::{
    Answer, AnswerForm, AnswerSupport, CallShape, Dialect, Effect, EventRow, McpFiles, McpNames, OutputForm,
    Proof, Sign, ToolClass, ToolRow,
};
use becket_model::EventKind;

const ELSEWHERE: AnswerSupport = AnswerSupport::NOTHING.refusal().context().stop().message();

const DIRECTORY: &[&str] = &["workdir"];

pub(super) static CODEX: Dialect = Dialect {
    name: "codex",
    title: "Codex",
    version: "0.169.0",
    proof: Proof::Run,
    project_variables: &[],
    timeout: HostTimeout::seconds(600),
    signs: &[
        &[Sign::Has("turn_id"), Sign::Has("model"), Sign::Has("transcript_path")],
        &[
            Sign::Event(&["SessionStart", "SessionEnd"]),
            Sign::Has("transcript_path"),
            Sign::Has("permission_mode"),
            Sign::Lacks("timestamp"),
            Sign::Lacks("CLAUDE_ENV_FILE"),
            Sign::Lacks("session_duration_ms"),
        ],
    ],
    fields: &[],
    values: &[],
    events: &[
        EventRow::named(EventKind::SessionStart, AnswerSupport::NOTHING.context().stop().message()),
        EventRow::named(EventKind::UserPromptSubmit, ELSEWHERE),
        EventRow::named(
            EventKind::PreToolUse,
            AnswerSupport::NOTHING.refusal().rewrite_beside_allow().context(),
        ),
        EventRow::named(EventKind::PermissionRequest, AnswerSupport::NOTHING.refusal()),
        EventRow::named(EventKind::PostToolUse, ELSEWHERE.output(OutputForm::Block)),
        EventRow::named(EventKind::Stop, AnswerSupport::NOTHING.refusal().stop().message()),
        EventRow::named(EventKind::SubagentStart, AnswerSupport::NOTHING.context()),
        EventRow::named(EventKind::SubagentStop, AnswerSupport::NOTHING.refusal()),
        EventRow::named(EventKind::PreCompact, AnswerSupport::NOTHING),
        EventRow::named(EventKind::PostCompact, AnswerSupport::NOTHING),
        EventRow::named(EventKind::SessionEnd, AnswerSupport::NOTHING),
    ],
    informative: &[],
    tools: &[
        ToolRow::shell("Bash").directory(DIRECTORY),
        ToolRow::shell("exec_command").keys(&[("cmd", "command")]).directory(DIRECTORY),
        ToolRow::shell("shell_command").directory(DIRECTORY),
        ToolRow::input("write_stdin").keys(&[("chars", "command")]),
        ToolRow::new("apply_patch", "Edit", ToolClass::Write).shape(CallShape::Patch("command")),
        ToolRow::read("view_image", "Read").keys(&[("path", "file_path")]),
        ToolRow::read("read_file", "Read"),
        ToolRow::read("list_dir", "LS").keys(&[("dir_path", "path")]),
        ToolRow::read("grep_files", "Grep").keys(&[("include", "glob")]),
        ToolRow::network("web_search", "WebSearch"),
        ToolRow::agent("spawn_agent"),
        ToolRow::internal("send_input", "SendMessage"),
        ToolRow::internal("wait", "TaskOutput"),
        ToolRow::internal("close_agent", "TaskStop"),
        ToolRow::internal("resume_agent", "SendMessage"),
        ToolRow::internal("update_plan", "TodoWrite"),
        ToolRow::internal("request_user_input", "AskUserQuestion"),
        ToolRow::internal("tool_search", "ToolSearch"),
        ToolRow::internal("list_mcp_resources", "ListMcpResourcesTool"),
        ToolRow::internal("list_mcp_resource_templates", "ListMcpResourcesTool"),
        ToolRow::internal("read_mcp_resource", "ReadMcpResourceTool"),
    ],
    mcp: McpNames::Protocol,
    mcp_files: McpFiles::NONE,
    reshape: |_| {},
    write,
    effects: &[
        (AnswerForm::ExitTwo, Effect::Held),
        (AnswerForm::ProtocolDeny, Effect::Held),
        (AnswerForm::ProtocolDenyAndExitTwo, Effect::Held),
        (AnswerForm::ProtocolRequestDeny, Effect::Held),
        (AnswerForm::DecisionBlock, Effect::Held),
    ],
    notes: &[
        "A hook that the user has not trusted is skipped without a word in `codex exec`.",
        "A rewrite counts only beside an allow, so a rewritten call is not asked about.",
        "`PermissionRequest`, `SubagentStart`, `SubagentStop` and the compaction events follow the documentation; \
         they were not recorded.",
    ],
};

fn write(out: &AnswerParts<'_>) -> Answer {
    match out.kind {
        Some(EventKind::PermissionRequest) => Answer::json(words::protocol_request(out)),
        Some(_) => Answer::json(words::protocol(out)),
        None => out.refusal().map_or_else(Answer::nothing, Answer::exit_two),
    }
}
