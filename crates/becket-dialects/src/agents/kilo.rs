//! Kilo: a fork of opencode.

use super::{opencode, plugin};
use crate::dialect::HostTimeout;
use crate::{Dialect, McpNames, Proof, Sign};

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
    reshape: |fields| drop(fields.shift_remove("dialect")),
    write: plugin::write,
    effects: plugin::EFFECTS,
    notes: &["`kilo run` ends before a block of `Stop` can continue it."],
};
