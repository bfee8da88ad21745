//! Kilo: a fork of opencode.

use super::{opencode, plugin};
use crate::dialect::HostTimeout;
use crate::{Dialect, McpFiles, McpNames, Proof, Sign};

pub(super) static KILO: Dialect = Dialect {
    name: "kilo",
    title: "Kilo",
    version: "7.7.7",
    proof: Proof::Run,
    project_variables: &[],
    timeout: HostTimeout::seconds(60),
    signs: &[&[Sign::Is("dialect", "kilo")]],
    fields: &[],
    values: &[],
    events: plugin::EVENTS,
    informative: &[],
    tools: opencode::TOOLS,
    mcp: McpNames::Underscore,
    mcp_files: McpFiles {
        variable: Some(("XDG_CONFIG_HOME", "kilo")),
        user_directory: ".config/kilo",
        user: &["kilo.json", "kilo.jsonc", "opencode.json", "opencode.jsonc", "config.json"],
        project: &[
            "kilo.json",
            "kilo.jsonc",
            ".kilo/kilo.json",
            ".kilo/kilo.jsonc",
            "opencode.json",
            "opencode.jsonc",
        ],
        key: "mcp",
        ..McpFiles::NONE
    },
    reshape: |fields| drop(fields.shift_remove("dialect")),
    write: plugin::write,
    effects: plugin::EFFECTS,
    notes: &["`kilo run` ends before a block of `Stop` can continue it."],
};
