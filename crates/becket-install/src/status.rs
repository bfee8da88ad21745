//! The registrations of an agent as they are on the disk.

use crate::agent::{AgentConfig, ConfigForm, Places, RegisteredEvent, Scope};
use crate::command::{is_own, limit_among, limit_of, program_of};
use crate::document::ConfigText;
use crate::file::ConfigFile;
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
    /// The times after which entries answer, where they name one.
    pub limits: Vec<EntryLimit>,
    /// Set if no record of the entries is kept on this machine.
    pub is_unrecorded: bool,
    /// The reason for which the file can't be read.
    pub problem: Option<String>,
}

/// The time after which the entry of an event answers.
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
    AgentStatus { agent, files: files.collect() }
}

/// An own entry: its event, its program and the time after which it answers.
struct Registration {
    event: String,
    program: Option<String>,
    limit: Option<Duration>,
}

impl Registration {
    fn new(event: String, command: Option<&str>) -> Self {
        Registration { event, program: command.and_then(program_of), limit: command.and_then(limit_of) }
    }

    fn entry_limit(&self) -> Option<EntryLimit> {
        self.limit.map(|limit| EntryLimit { event: self.event.clone(), limit })
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
    let mut programs: Vec<String> = found.iter().filter_map(|entry| entry.program.clone()).collect();
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
    match agent.form {
        ConfigForm::Scripts => {
            let mut found = Vec::new();
            for event in agent.fired() {
                let file = read(&path.join(event.name))?;
                let text = String::from_utf8_lossy(file.bytes().unwrap_or_default()).into_owned();
                if is_own(&text) {
                    let command = text.lines().find_map(|line| line.strip_prefix("exec "));
                    found.push(Registration::new(event.name.to_owned(), command));
                }
            }
            Ok(found)
        }
        ConfigForm::Plugin(_) => {
            let file = read(path)?;
            let text = String::from_utf8_lossy(file.bytes().unwrap_or_default()).into_owned();
            if !is_own(&text) {
                return Ok(Vec::new());
            }
            let words = text.lines().find_map(|line| line.strip_prefix("const COMMAND = "));
            let words: Option<Vec<String>> = words.and_then(|words| serde_json::from_str(words).ok());
            let words = words.unwrap_or_default();
            let events = agent.registered(&[]).into_iter();
            Ok(events
                .map(|event| Registration {
                    event: event.name.to_owned(),
                    program: words.first().cloned(),
                    limit: limit_among(&words),
                })
                .collect())
        }
        form @ (ConfigForm::Groups { .. }
        | ConfigForm::List(_)
        | ConfigForm::Tables
        | ConfigForm::Sequences) => {
            let file = read(path)?;
            let text = file.text().map_err(|error| error.to_string())?;
            let own = ConfigText::new(form, text).own().map_err(|error| error.to_string())?;
            Ok(own.into_iter().map(|entry| Registration::new(entry.event, Some(&entry.command))).collect())
        }
    }
}
