//! Events that the registration of an agent lacks, and entries that were edited: decisions of hooks there may not reach
//! it.

use super::{places, record_directory};
use crate::env::Surroundings;
use crate::session::Session;
use becket_install::{AgentConfig, FileStatus, HooksOff, Records, status};
use becket_model::EventKind;

/// A finding about the entries of an agent.
pub(crate) struct EntryFinding {
    /// The rule of `check`.
    pub(crate) code: &'static str,
    /// The finding, with the command that repairs it.
    pub(crate) text: String,
}

/// Returns the findings about events without an entry and about entries that were edited: those on which hooks decide,
/// or the others.
pub(crate) fn entry_findings(
    agent: &AgentConfig,
    file: &FileStatus,
    kinds: &[EventKind],
    deciding: bool,
) -> Vec<EntryFinding> {
    let repair = format!("`becket install {} --{} --repair`", agent.name, file.scope.name());
    let missing = file.missing(agent, kinds);
    let names: Vec<&str> =
        missing.iter().filter(|event| event.is_deciding() == deciding).map(|event| event.name).collect();
    let effect = if deciding { ", so hooks can't block calls there" } else { "" };
    let text = format!("no entry for {}{effect}; {repair} adds it", names.join(", "));
    let missing = (!names.is_empty()).then_some(EntryFinding { code: "event-not-registered", text });
    let changed = file.changed.iter().filter(|entry| entry.event.is_deciding() == deciding);
    let names: Vec<String> =
        changed.map(|entry| format!("{} ({})", entry.event.name, entry.difference.name())).collect();
    let effect = if deciding { ", so calls may not be blocked" } else { "" };
    let text = format!(
        "the entry differs from the one that becket writes: {}{effect}; {repair} restores it",
        names.join(", ")
    );
    let changed = (!names.is_empty()).then_some(EntryFinding { code: "entry-changed", text });
    missing.into_iter().chain(changed).collect()
}

/// Returns a text about a setting that keeps an agent from running the entries.
pub(crate) fn switched_off(off: &HooksOff, around: &Surroundings) -> String {
    let path = around.short(&off.path);
    format!("`{path}`: {}", off.why)
}

/// Returns a line for each registration that lacks events or was edited, for a session with hooks of `kinds`. A
/// registration that can't be read has no line: `doctor` reports those.
pub(crate) fn missing_in_session(
    agent: &'static AgentConfig,
    session: &Session,
    kinds: &[EventKind],
    around: &Surroundings,
) -> Vec<String> {
    let directory = record_directory(&session.request());
    let Some(records) = directory.and_then(|directory| Records::read(&directory).ok()) else {
        return Vec::new();
    };
    let found = status(agent, &places(session, around), &records);
    let lines = found.files.iter().filter(|file| file.problem.is_none()).flat_map(|file| {
        let findings = [true, false].map(|deciding| entry_findings(agent, file, kinds, deciding));
        findings.into_iter().flatten().map(|finding| {
            format!("{}, `{}`: {}", agent.dialect().title, around.short(&file.path), finding.text)
        })
    });
    let off = found.off.iter().map(|off| format!("{}: {}", agent.dialect().title, switched_off(off, around)));
    lines.chain(off).collect()
}
