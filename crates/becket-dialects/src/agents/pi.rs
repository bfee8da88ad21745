//! pi: an extension reports its events.

use super::plugin;
use crate::dialect::HostTimeout;
use crate::{Dialect, McpFiles, McpNames, Proof, Sign, ToolRow};

const KEYS: &[(&str, &str)] = &[("path", "file_path"), ("oldText", "old_string"), ("newText", "new_string")];

pub(super) static PI: Dialect = Dialect {
    name: "pi",
    title: "pi",
    version: "0.73.1",
    proof: Proof::Run,
    project_variables: &[],
    timeout: HostTimeout::seconds(60),
    signs: &[&[Sign::Is("dialect", "pi")]],
    fields: &[],
    values: &[],
    events: plugin::EVENTS,
    informative: &[],
    tools: &[
        ToolRow::shell("bash"),
        ToolRow::write("write").keys(KEYS),
        ToolRow::edit("edit").keys(KEYS),
        ToolRow::read("read", "Read").keys(KEYS),
        ToolRow::read("find", "Glob"),
        ToolRow::read("grep", "Grep"),
        ToolRow::read("ls", "LS"),
    ],
    mcp: McpNames::None,
    mcp_files: McpFiles::NONE,
    reshape: |fields| drop(fields.shift_remove("dialect")),
    write: plugin::write,
    effects: plugin::EFFECTS,
    notes: &["`pi -p` ends before a block of `Stop` can continue it."],
};
