//! The registrations of an agent as they are on the disk.

use crate::agent::{AgentConfig, ConfigForm, Places, RegisteredEvent, Scope};
use crate::command::{limit_among, own_words};
use crate::document::{ConfigText, OwnEntry};
use crate::entry_difference::{EntryDifference, of_entry, of_file};
use crate::off_switch::{HooksOff, hooks_off};
use crate::own_file::started_by;
use crate::record::Records;
use becket_base::config_file::ConfigFile;
use becket_base::is_inside;
use becket_model::EventKind;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The registrations of one agent.
#[derive(Debug)]
pub struct AgentStatus {
    /// The agent.
    pub agent: &'static AgentConfig,
    /// The files with entries, and those that can't be read.
    pub files: Vec<FileStatus>,
    /// The settings of the agent that keep it from running the entries.
    pub off: Vec<HooksOff>,
}

/// The entries in one scope.
#[derive(Debug)]
pub struct FileStatus {
    /// The scope.
    pub scope: Scope,
    /// The file, or the directory of scripts.
    pub path: PathBuf,
    /// The names of the events that have an entry.
    pub events: Vec<String>,
    /// The programs that the entries start.
    pub programs: Vec<String>,
    /// The times within which entries answer, if they name one.
    pub limits: Vec<EntryLimit>,
    /// The entries that this Becket would write in another way.
    pub changed: Vec<ChangedEntry>,
    /// Set if this machine has no record of the entries.
    pub is_unrecorded: bool,
    /// The reason why the file can't be read.
    pub problem: Option<String>,
}

/// The time within which the entry of an event answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EntryLimit {
    /// The name of the event.
    pub event: String,
    /// The time.
    pub limit: Duration,
}

/// An entry that this Becket would write in another way, so that it may hold nothing back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangedEntry {
    /// The event.
    pub event: RegisteredEvent,
    /// The difference.
    pub difference: EntryDifference,
}

impl FileStatus {
    /// Returns the events without an entry that should have one, if there are hooks of `kinds`.
    pub fn missing(&self, agent: &AgentConfig, kinds: &[EventKind]) -> Vec<RegisteredEvent> {
        let mut missing = agent.registered(kinds);
        missing.retain(|event| !self.events.iter().any(|known| known == event.name));
        missing
    }
}

/// Returns the registrations of an agent.
pub fn status(agent: &'static AgentConfig, places: &Places, records: &Records) -> AgentStatus {
    let scopes = [Scope::User, Scope::Project].into_iter();
    let files = scopes.filter_map(|scope| file(agent, scope, &agent.path(scope, places)?, records));
    let files: Vec<FileStatus> = files.collect();
    let with_entries = files.iter().filter(|file| !file.events.is_empty() || file.problem.is_some());
    let off = hooks_off(agent, places, &with_entries.map(|file| file.scope).collect::<Vec<_>>());
    AgentStatus { agent, files, off }
}

/// An own entry: its event, and the words with which it starts its program.
struct Registration {
    event: String,
    words: Vec<String>,
    changed: Option<ChangedEntry>,
}

impl Registration {
    fn program(&self) -> Option<String> {
        self.words.first().cloned()
    }

    fn entry_limit(&self) -> Option<EntryLimit> {
        limit_among(&self.words).map(|limit| EntryLimit { event: self.event.clone(), limit })
    }
}

fn file(agent: &'static AgentConfig, scope: Scope, path: &Path, records: &Records) -> Option<FileStatus> {
    let is_known = records.files().iter().any(|record| is_inside(&record.path, path));
    let (found, problem) = match registrations(agent, scope, path) {
        Ok(found) => (found, None),
        Err(problem) => (Vec::new(), Some(problem)),
    };
    if found.is_empty() && !is_known && problem.is_none() {
        return None;
    }
    let mut programs: Vec<String> = found.iter().filter_map(Registration::program).collect();
    programs.sort();
    programs.dedup();
    Some(FileStatus {
        scope,
        path: path.to_owned(),
        limits: found.iter().filter_map(Registration::entry_limit).collect(),
        changed: found.iter().filter_map(|entry| entry.changed.clone()).collect(),
        events: found.into_iter().map(|entry| entry.event).collect(),
        programs,
        is_unrecorded: !is_known,
        problem,
    })
}

fn registrations(
    agent: &'static AgentConfig,
    scope: Scope,
    path: &Path,
) -> Result<Vec<Registration>, String> {
    let read = |path: &Path| ConfigFile::read(path).map_err(|error| error.to_string());
    let own_file = |path: &Path, event: &RegisteredEvent| -> Result<Option<Registration>, String> {
        let file = read(path)?;
        let text = String::from_utf8_lossy(file.bytes().unwrap_or_default());
        let Some(words) = started_by(agent.form, &text) else { return Ok(None) };
        let changed = changed(*event, of_file(agent, scope, event, path, &text));
        Ok(Some(Registration { event: event.name.to_owned(), words, changed }))
    };
    match agent.form {
        ConfigForm::Scripts => {
            let scripts = agent.fired().into_iter().map(|event| own_file(&path.join(event.name), &event));
            Ok(scripts.collect::<Result<Vec<_>, _>>()?.into_iter().flatten().collect())
        }
        ConfigForm::Plugin(_) => {
            let scripts = agent.registered(&[]).into_iter().map(|event| own_file(path, &event));
            Ok(scripts.collect::<Result<Vec<_>, _>>()?.into_iter().flatten().collect())
        }
        form @ (ConfigForm::Groups { .. }
        | ConfigForm::List(_)
        | ConfigForm::Tables
        | ConfigForm::Sequences) => {
            let file = read(path)?;
            let text = file.text().map_err(|error| error.to_string())?;
            let own = ConfigText::new(form, text).own_entries().map_err(|error| error.to_string())?;
            let events = agent.fired();
            let entry = |entry: OwnEntry| {
                let words = own_words(&entry.command).unwrap_or_default();
                // An event that the agent does not have is missing under its own name.
                let event = events.iter().find(|event| event.name == entry.event);
                let changed = event.and_then(|event| changed(*event, of_entry(agent, scope, event, &entry)));
                Registration { event: entry.event, words, changed }
            };
            Ok(own.into_iter().map(entry).collect())
        }
    }
}

fn changed(event: RegisteredEvent, difference: Option<EntryDifference>) -> Option<ChangedEntry> {
    difference.map(|difference| ChangedEntry { event, difference })
}
