//! Factory Droid: Claude Code's events and form, its own tools.

use super::words;
use crate::answer::AnswerParts;
use crate::dialect::HostTimeout;
use crate::{
    Answer, AnswerForm, AnswerSupport, CallShape, Dialect, Effect, EventRow, McpFiles, McpNames, Proof, Sign,
    ToolClass, ToolRow,
};
use becket_model::EventKind;

const ANYWHERE: AnswerSupport = AnswerSupport::NOTHING.stop().message();

pub(super) static DROID: Dialect = Dialect {
    name: "droid",
    title: "Factory Droid",
    version: "0.215.0",
    proof: Proof::Run,
    project_variables: &["DROID_PROJECT_DIR", "FACTORY_PROJECT_DIR"],
    timeout: HostTimeout::seconds(60),
    signs: &[
        &[Sign::Is("permission_mode", "off")],
        &[Sign::Is("permission_mode", "auto-low")],
        &[Sign::Is("permission_mode", "auto-medium")],
        &[Sign::Is("permission_mode", "auto-high")],
        &[Sign::Is("permission_mode", "normal")],
        &[Sign::Is("permission_mode", "spec")],
        &[Sign::Event(&["SessionEnd"]), Sign::Has("session_duration_ms")],
        &[Sign::Variable("DROID_PROJECT_DIR"), Sign::Has("transcript_path")],
    ],
    fields: &[],
    values: &[
        ("permission_mode", "off", "default"),
        ("permission_mode", "normal", "default"),
        ("permission_mode", "auto-low", "acceptEdits"),
        ("permission_mode", "auto-medium", "acceptEdits"),
        ("permission_mode", "auto-high", "bypassPermissions"),
        ("permission_mode", "spec", "plan"),
    ],
    events: &[
        EventRow::named(EventKind::SessionStart, ANYWHERE.context()),
        EventRow::named(EventKind::UserPromptSubmit, ANYWHERE.refusal().context()),
        EventRow::named(EventKind::PreToolUse, ANYWHERE.refusal().rewrite_beside_allow()),
        // A refusal after a call is not passed to the model, a context is.
        EventRow::named(EventKind::PostToolUse, ANYWHERE.context()),
        EventRow::named(EventKind::Notification, AnswerSupport::NOTHING),
        EventRow::named(EventKind::Stop, ANYWHERE.refusal()),
        EventRow::named(EventKind::SubagentStop, ANYWHERE.refusal()),
        EventRow::named(EventKind::PreCompact, AnswerSupport::NOTHING),
        EventRow::named(EventKind::SessionEnd, AnswerSupport::NOTHING),
    ],
    informative: &[],
    tools: &[
        ToolRow::shell("Execute"),
        ToolRow::write("Create"),
        ToolRow::edit("Edit").keys(&[("old_str", "old_string"), ("new_str", "new_string")]),
        ToolRow::edit("MultiEdit"),
        ToolRow::new("ApplyPatch", "Edit", ToolClass::Write).shape(CallShape::Patch("input")),
        ToolRow::read("Read", "Read"),
        ToolRow::read("LS", "LS").keys(&[("directory_path", "path")]),
        ToolRow::read("Grep", "Grep").keys(&[("glob_pattern", "glob")]),
        ToolRow::read("Glob", "Glob").keys(&[("patterns", "pattern"), ("folder", "path")]),
        ToolRow::network("FetchUrl", "WebFetch"),
        ToolRow::network("WebSearch", "WebSearch"),
        ToolRow::agent("Task"),
        ToolRow::internal("Skill", "Skill"),
        ToolRow::internal("TodoWrite", "TodoWrite"),
        ToolRow::internal("AskUser", "AskUserQuestion"),
        ToolRow::internal("ExitSpecMode", "ExitPlanMode"),
    ],
    mcp: McpNames::Protocol,
    mcp_files: McpFiles::NONE,
    reshape: |_| {},
    write,
    effects: &[
        (AnswerForm::ExitTwo, Effect::Held),
        (AnswerForm::SilentExitTwo, Effect::Silent),
        (AnswerForm::ProtocolDeny, Effect::Held),
        (AnswerForm::ProtocolDenyAndExitTwo, Effect::Held),
    ],
    notes: &[
        "`droid exec` fires no `UserPromptSubmit`, and no `PostToolUse` after a command that failed.",
        "A rewrite counts only beside an allow, so a rewritten call is not asked about.",
    ],
};

fn write(out: &AnswerParts<'_>) -> Answer {
    match out.kind {
        Some(_) => Answer::json(words::protocol(out)),
        None => out.refusal().map_or_else(Answer::nothing, Answer::exit_two),
    }
}
