//! The agent under which hooks should run, and the time limit that it sets.

use crate::commands::install::{places, record_directory};
use crate::env::Surroundings;
use crate::session::Session;
use becket_dialects::Dialect;
use becket_install::{AgentConfig, EntryLimit, FileStatus, Records, status};
use becket_model::EventKind;
use std::time::Duration;

/// An agent under which hooks should run.
#[derive(Debug)]
pub(crate) struct CheckedAgent {
    config: &'static AgentConfig,
    runner: HookRunner,
}

/// The program that runs the hooks.
#[derive(Debug)]
enum HookRunner {
    /// Becket, started by these entries; if there are none, by those that `becket install` would write.
    Becket(Vec<FileStatus>),
    /// The agent itself.
    Agent,
}

/// The time limit for the hooks of an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct HookLimit {
    pub(super) limit: Duration,
    /// True if an entry of the agent's configuration sets the limit.
    pub(super) is_of_entry: bool,
}

impl CheckedAgent {
    /// Creates an agent that runs Becket as its hook.
    pub(super) fn with_becket(
        config: &'static AgentConfig,
        session: &Session,
        around: &Surroundings,
    ) -> Self {
        let records =
            record_directory(&session.request()).and_then(|directory| Records::read(&directory).ok());
        let entries = records.map(|records| status(config, &places(session, around), &records).files);
        CheckedAgent { config, runner: HookRunner::Becket(entries.unwrap_or_default()) }
    }

    /// Creates an agent that runs the hooks itself.
    pub(crate) fn without_becket(config: &'static AgentConfig) -> Self {
        CheckedAgent { config, runner: HookRunner::Agent }
    }

    pub(super) fn config(&self) -> &'static AgentConfig {
        self.config
    }

    pub(super) fn dialect(&self) -> &'static Dialect {
        self.config.dialect()
    }

    /// Returns true if Becket runs the hooks.
    pub(super) const fn runs_becket(&self) -> bool {
        matches!(self.runner, HookRunner::Becket(_))
    }

    /// Returns the time limit for the hooks of an event, the longest of which takes `longest`; `None` if the agent has
    /// no such event.
    pub(super) fn limit(&self, kind: EventKind, longest: Option<Duration>) -> Option<HookLimit> {
        let names: Vec<&str> = self
            .config
            .fired()
            .into_iter()
            .filter(|event| event.kind == kind)
            .map(|event| event.name)
            .collect();
        let names_event = |entry: &&EntryLimit| names.contains(&entry.event.as_str());
        let entries = match &self.runner {
            HookRunner::Becket(files) => files.as_slice(),
            HookRunner::Agent => &[],
        };
        // Each entry ends the hooks at its own limit.
        let of_entry =
            entries.iter().flat_map(|file| &file.limits).filter(names_event).map(|entry| entry.limit).min();
        if let Some(limit) = of_entry {
            return Some(HookLimit { limit, is_of_entry: true });
        }
        let of_name = |name: &str| match self.runner {
            HookRunner::Becket(_) => self.config.within(name, longest),
            HookRunner::Agent => self.config.limit(name, longest),
        };
        names.into_iter().map(of_name).min().map(|limit| HookLimit { limit, is_of_entry: false })
    }
}
