//! The registrations of an agent as they are on the disk.

use crate::agent::{AgentConfig, ConfigForm, Places, RegisteredEvent, Scope};
use crate::command::{limit_among, own_words};
use crate::document::{ConfigText, OwnEntry};
use crate::file::ConfigFile;
use crate::off_switch::{HooksOff, hooks_off};
use crate::own_file::started_by;
use crate::record::Records;
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
    let is_known = records.files().iter().any(|record| record.path.starts_with(path));
    let (found, problem) = match registrations(agent, path) {
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
        events: found.into_iter().map(|entry| entry.event).collect(),
        programs,
        is_unrecorded: !is_known,
        problem,
    })
}

fn registrations(agent: &'static AgentConfig, path: &Path) -> Result<Vec<Registration>, String> {
    let read = |path: &Path| ConfigFile::read(path).map_err(|error| error.to_string());
    let started = |path: &Path| -> Result<Option<Vec<String>>, String> {
        let file = read(path)?;
        Ok(started_by(agent.form, &String::from_utf8_lossy(file.bytes().unwrap_or_default())))
    };
    match agent.form {
        ConfigForm::Scripts => {
            let mut found = Vec::new();
            for event in agent.fired() {
                let words = started(&path.join(event.name))?;
                found.extend(words.map(|words| Registration { event: event.name.to_owned(), words }));
            }
            Ok(found)
        }
        ConfigForm::Plugin(_) => {
            let Some(words) = started(path)? else { return Ok(Vec::new()) };
            let events = agent.registered(&[]).into_iter();
            let entry = |name: &str| Registration { event: name.to_owned(), words: words.clone() };
            Ok(events.map(|event| entry(event.name)).collect())
        }
        form @ (ConfigForm::Groups { .. }
        | ConfigForm::List(_)
        | ConfigForm::Tables
        | ConfigForm::Sequences) => {
            let file = read(path)?;
            let text = file.text().map_err(|error| error.to_string())?;
            let own = ConfigText::new(form, text).own_entries().map_err(|error| error.to_string())?;
            let entry = |entry: OwnEntry| {
                let words = own_words(&entry.command).unwrap_or_default();
                Registration { event: entry.event, words }
            };
            Ok(own.into_iter().map(entry).collect())
        }
    }
}
