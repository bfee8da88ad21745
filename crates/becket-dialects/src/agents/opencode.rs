//! opencode: a plugin reports its events.

use super::plugin;
use crate::dialect::HostTimeout;
use crate::{CallShape, Dialect, McpFiles, McpNames, Proof, Sign, ToolClass, ToolRow};

const KEYS: &[(&str, &str)] = &[
    ("filePath", "file_path"),
    ("oldString", "old_string"),
    ("newString", "new_string"),
    ("replaceAll", "replace_all"),
];

/// The tools of opencode and its forks.
pub(super) const TOOLS: &[ToolRow] = &[
    ToolRow::shell("bash").directory(&["workdir"]),
    ToolRow::write("write").keys(KEYS),
    ToolRow::edit("edit").keys(KEYS),
    ToolRow::edit("multiedit").keys(KEYS),
    ToolRow::new("patch", "Edit", ToolClass::Write).shape(CallShape::Patch("patchText")),
    ToolRow::new("apply_patch", "Edit", ToolClass::Write).shape(CallShape::Patch("patchText")),
    ToolRow::read("read", "Read").keys(KEYS),
    ToolRow::read("glob", "Glob"),
    ToolRow::read("grep", "Grep").keys(&[("include", "glob")]),
    ToolRow::read("list", "LS"),
    ToolRow::read("lsp", "LSP").keys(KEYS),
    ToolRow::network("webfetch", "WebFetch"),
    ToolRow::network("websearch", "WebSearch"),
    ToolRow::network("codesearch", "WebSearch"),
    ToolRow::agent("task"),
    ToolRow::internal("skill", "Skill"),
    ToolRow::internal("todowrite", "TodoWrite"),
    ToolRow::internal("todoread", "TodoRead"),
    ToolRow::internal("question", "AskUserQuestion"),
    ToolRow::internal("plan_enter", "EnterPlanMode"),
    ToolRow::internal("plan_exit", "ExitPlanMode"),
    ToolRow::internal("invalid", "invalid"),
];

pub(super) static OPENCODE: Dialect = Dialect {
    name: "opencode",
    title: "opencode",
    version: "1.18.33",
    proof: Proof::Run,
    project_variables: &[],
    timeout: HostTimeout::seconds(60),
    signs: &[&[Sign::Is("dialect", "opencode")]],
    fields: &[],
    values: &[],
    events: plugin::EVENTS,
    informative: &[],
    tools: TOOLS,
    mcp: McpNames::Underscore,
    mcp_files: McpFiles {
        variable: Some(("XDG_CONFIG_HOME", "opencode")),
        user_directory: ".config/opencode",
        user: &["opencode.json", "opencode.jsonc", "config.json"],
        project: &["opencode.json", "opencode.jsonc", ".opencode/opencode.json", ".opencode/opencode.jsonc"],
        key: "mcp",
        ..McpFiles::NONE
    },
    reshape: |fields| drop(fields.shift_remove("dialect")),
    write: plugin::write,
    effects: plugin::EFFECTS,
    notes: &["`opencode run` ends before a block of `Stop` can continue it."],
};
