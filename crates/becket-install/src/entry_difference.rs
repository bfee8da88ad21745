//! Entries compared with those that this Becket writes: one that was edited may let every call pass.

use crate::agent::{AgentConfig, ConfigForm, RegisteredEvent, Scope};
use crate::command::{limit_among, own_command, own_words};
use crate::document::OwnEntry;
use crate::own_file::{current_text, limit_in_text, started_by};
use std::path::Path;
use std::time::Duration;

/// The part of an entry in which it differs from the one that this Becket writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EntryDifference {
    /// The command: its script, its refusal, or an argument of the program.
    Command,
    /// The matcher or another key.
    Keys,
    /// The time limit: the agent ends the program before it has to answer.
    Limit,
    /// The text of a script or a plugin.
    Text,
    /// The mode of a script, which can't be executed.
    Mode,
}

impl EntryDifference {
    /// Returns the name as messages use it.
    pub const fn name(self) -> &'static str {
        match self {
            EntryDifference::Command => "different command",
            EntryDifference::Keys => "different matcher or keys",
            EntryDifference::Limit => "time limit too short",
            EntryDifference::Text => "edited text",
            EntryDifference::Mode => "not executable",
        }
    }
}

/// Returns the first difference of an entry in a list of them.
pub(crate) fn of_entry(
    agent: &AgentConfig,
    scope: Scope,
    event: &RegisteredEvent,
    entry: &OwnEntry,
) -> Option<EntryDifference> {
    let words = own_words(&entry.command)?;
    if !entry.is_plain {
        return Some(EntryDifference::Keys);
    }
    if !is_current(agent, scope, event, &entry.command, &words) {
        return Some(EntryDifference::Command);
    }
    ends_too_soon(agent, event, entry.limit, &words).then_some(EntryDifference::Limit)
}

/// Returns the first difference of a script or a plugin.
pub(crate) fn of_file(
    agent: &AgentConfig,
    scope: Scope,
    event: &RegisteredEvent,
    path: &Path,
    text: &str,
) -> Option<EntryDifference> {
    let words = started_by(agent.form, text)?;
    if current_text(agent, scope, event, text).as_deref() != Some(text) {
        return Some(EntryDifference::Text);
    }
    if ends_too_soon(agent, event, limit_in_text(agent.form, text), &words) {
        return Some(EntryDifference::Limit);
    }
    let is_program = matches!(agent.form, ConfigForm::Scripts);
    (is_program && !becket_base::is_executable(path)).then_some(EntryDifference::Mode)
}

/// Returns true if a command is the one of this Becket, whatever its program and its time are, and whether it rewrites
/// lines.
fn is_current(
    agent: &AgentConfig,
    scope: Scope,
    event: &RegisteredEvent,
    command: &str,
    words: &[String],
) -> bool {
    let written = own_command(agent, scope, words).zip(limit_among(words));
    written.is_some_and(|(written, within)| {
        shlex::split(command) == shlex::split(&written.text_within(event, within))
    })
}

/// Returns true if the agent ends the program before the time within which it answers.
fn ends_too_soon(agent: &AgentConfig, event: &RegisteredEvent, limit: Option<u64>, words: &[String]) -> bool {
    // The agent may have a limit of its own that is shorter than that of the entry.
    let longest = agent.in_unit(agent.limit(event.name, Some(Duration::from_secs(u64::from(u32::MAX)))));
    let limit = limit.map_or(longest, |limit| limit.min(longest));
    limit_among(words).is_none_or(|within| agent.in_unit(within) >= limit)
}
