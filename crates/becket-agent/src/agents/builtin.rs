//! The built-in agents of every session.

use super::definition::Definition;
use crate::definitions::{DefinitionOwner, ModelChoice};
use std::path::Path;

/// The tools of agents that only read.
const LOOKING: [&str; 5] = ["Read", "Grep", "Glob", "Bash", "WebFetch"];

/// The name, the description of when to use it, the system prompt, and the tools.
type Row = (&'static str, &'static str, &'static str, Option<&'static [&'static str]>);

const TABLE: [Row; 3] = [
    (
        "general-purpose",
        "Works on a task of several steps by itself, with every tool of the session. Use it for work that takes many \
         searches or edits and whose details need not stand in this conversation.",
        "You are an agent that was given one task. Do it completely, with the tools that you have, and do nothing \
         beside it. You can't ask anybody back: where something is open, decide, and say so. End with a report of what \
         you did and found, with file names and line numbers where they matter; whoever gave you the task sees that \
         report alone.",
        None,
    ),
    (
        "Explore",
        "Searches and reads a codebase quickly, and changes nothing. Use it to find files, to learn how something \
         works, or to answer a question about the code.",
        "You are an agent that searches a codebase and answers a question about it. You only look: change no file, \
         make none, and run no command that does. Search widely first, then read what matters. Answer with the facts \
         and where they stand (file and line); whoever asked sees that answer alone.",
        Some(&LOOKING),
    ),
    (
        "Plan",
        "Studies a codebase and writes a plan for a change, and changes nothing. Use it before work that touches \
         several parts.",
        "You are an agent that plans a change to a codebase. You only look: change no file, make none, and run no \
         command that does. Read what the change touches, weigh the ways to do it, and choose one. Answer with the \
         plan: the steps in order, the files that each touches, what can go wrong, and how to see that it works.",
        Some(&LOOKING),
    ),
];

/// Returns all built-in agents.
pub(super) fn all() -> impl Iterator<Item = Definition> {
    TABLE.iter().map(|(name, description, prompt, tools)| Definition {
        name: (*name).into(),
        description: (*description).to_owned(),
        prompt: (*prompt).to_owned(),
        tools: tools.map(|tools| tools.iter().map(|tool| (*tool).to_owned()).collect()),
        disallowed_tools: Vec::new(),
        model: ModelChoice::Inherit,
        permission_mode: None,
        max_turns: None,
        background: false,
        isolated: false,
        skills: Vec::new(),
        mcp_servers: Vec::new(),
        own_servers: None,
        memory: None,
        initial_prompt: None,
        owner: DefinitionOwner::BuiltIn,
        file: Path::new("<built-in>").into(),
        hooks: None,
    })
}
