//! Events that the registration of an agent lacks: decisions of hooks there do not reach it.

use super::{places, record_directory};
use crate::env::Surroundings;
use crate::session::Session;
use becket_install::{AgentConfig, FileStatus, HooksOff, Records, status};
use becket_model::EventKind;

/// Returns a text about the events without an entry: those on which hooks decide, or the others.
pub(crate) fn missing_entries(
    agent: &AgentConfig,
    file: &FileStatus,
    kinds: &[EventKind],
    deciding: bool,
) -> Option<String> {
    let missing = file.missing(agent, kinds);
    let names: Vec<&str> =
        missing.iter().filter(|event| event.is_deciding() == deciding).map(|event| event.name).collect();
    let effect = if deciding { ", so hooks hold nothing back there" } else { "" };
    (!names.is_empty()).then(|| format!("no entry for {}{effect}", names.join(", ")))
}

/// Returns a text about a setting that keeps an agent from running the entries.
pub(crate) fn switched_off(off: &HooksOff, around: &Surroundings) -> String {
    let path = around.short(&off.path);
    format!("`{path}`: {}", off.why)
}

/// Returns a line for each registration that lacks events, for a session with hooks of `kinds`. A registration that
/// can't be read has no line: `doctor` reports those.
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
        let texts = [true, false].map(|deciding| missing_entries(agent, file, kinds, deciding));
        texts.into_iter().flatten().map(|text| {
            let (title, path, scope) = (agent.dialect().title, around.short(&file.path), file.scope.name());
            format!("{title}, `{path}`: {text}; `becket install {} --{scope} --repair` adds it", agent.name)
        })
    });
    let off = found.off.iter().map(|off| format!("{}: {}", agent.dialect().title, switched_off(off, around)));
    lines.chain(off).collect()
}
