//! Tools on files: Read, Edit, Write, Glob and Grep, each a row of one table.
//!
//! Invariants: a file is opened for reading only if it is a regular one, and replaced as a whole; work stops soon
//! after its call.

mod call;
mod edit;
mod edit_text;
mod file_tool;
mod glob;
mod grep;
mod grep_sink;
mod ledger;
mod name_filter;
mod patch;
mod read;
mod read_lines;
mod replace;
mod seen;
mod walk;
mod write;

use crate::surroundings::Surroundings;
use becket_engine::Tool;
use file_tool::{FileTool, FileToolSpec};
use ledger::Ledger;
use std::sync::Arc;

/// The tools of sessions, in the order in which the model sees them.
const OF_SESSIONS: [&FileToolSpec; 5] = [&read::READ, &edit::EDIT, &write::WRITE, &glob::GLOB, &grep::GREP];

/// The tools of the agents of hooks.
const OF_HOOKS: [&FileToolSpec; 3] = [&read::READ, &grep::GREP, &glob::GLOB];

/// Returns Read, Edit, Write, Glob and Grep for sessions. They share a record of the files that each session, and each
/// of its subagents, has read: Edit and Write only change files that have been read.
pub fn file_tools(host: Surroundings) -> impl Iterator<Item = Arc<dyn Tool>> {
    let (host, ledger) = (Arc::new(host), Arc::new(Ledger::default()));
    tools(&OF_SESSIONS, host, Some(ledger))
}

/// Returns Read, Grep and Glob for the agents of hooks.
pub(crate) fn reading_tools(host: Arc<Surroundings>) -> impl Iterator<Item = Arc<dyn Tool>> {
    tools(&OF_HOOKS, host, None)
}

fn tools(
    table: &'static [&'static FileToolSpec],
    host: Arc<Surroundings>,
    ledger: Option<Arc<Ledger>>,
) -> impl Iterator<Item = Arc<dyn Tool>> {
    table.iter().map(move |of| {
        Arc::new(FileTool { of, host: Arc::clone(&host), ledger: ledger.clone() }) as Arc<dyn Tool>
    })
}
