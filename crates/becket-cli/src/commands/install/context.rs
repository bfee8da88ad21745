//! The facts on which registrations are based: places, records, and configured hooks.

use crate::args::{Global, ScopeArgs};
use crate::env::Surroundings;
use crate::error::CliError;
use crate::out::Out;
use crate::session::{self, Session};
use becket_engine::config::{self, Request, trust};
use becket_engine::handler::{Action, Command, Handler};
use becket_install::{AGENTS, AgentConfig, Places, Records, Scope, agent, is_own};
use becket_model::{EventKind, Source};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The facts about this machine and project.
pub(crate) struct InstallContext {
    pub(crate) places: Places,
    /// The directory of the records.
    state: Option<PathBuf>,
    hooks: Vec<HookFacts>,
    is_trusted: bool,
}

/// The facts about one configured hook.
struct HookFacts {
    kind: EventKind,
    limit: Duration,
    is_of_project: bool,
}

impl InstallContext {
    /// Reads the configuration of the project around the working directory.
    ///
    /// # Errors
    /// Errors if the working directory is missing.
    pub(crate) fn of(global: &Global, around: &Surroundings, out: &Out) -> Result<Self, CliError> {
        let session = session::in_project(global, around, out)?;
        let request = session.request();
        let config = config::resolve(&config::load(&request));
        let hooks = config.hooks.all().filter(|hook| !is_entry(hook)).map(|hook| HookFacts {
            kind: hook.event,
            limit: hook.timeout.limit,
            is_of_project: matches!(hook.place.source, Source::Project | Source::Local),
        });
        Ok(InstallContext {
            places: places(&session, around),
            state: record_directory(&request).filter(|state| is_usable(state, around)),
            hooks: hooks.collect(),
            is_trusted: trust::covering(&request).is_some(),
        })
    }

    /// Returns the scope that the arguments name, or the project's if it has hooks.
    pub(crate) fn scope(&self, args: ScopeArgs) -> Scope {
        match (args.user, args.project) {
            (true, _) => Scope::User,
            (_, true) => Scope::Project,
            (false, false) if self.has_project_hooks() => Scope::Project,
            (false, false) => Scope::User,
        }
    }

    /// Returns true if the project has hooks.
    pub(crate) fn has_project_hooks(&self) -> bool {
        self.hooks.iter().any(|hook| hook.is_of_project)
    }

    /// Returns true if the project has hooks and the user does not trust its folder.
    pub(crate) fn has_untrusted_hooks(&self) -> bool {
        self.has_project_hooks() && !self.is_trusted
    }

    /// Returns the longest time limit of a hook.
    pub(crate) fn longest(&self) -> Option<Duration> {
        self.hooks.iter().map(|hook| hook.limit).max()
    }

    /// Returns the events that have hooks.
    pub(crate) fn kinds(&self) -> Vec<EventKind> {
        let mut kinds: Vec<EventKind> = Vec::new();
        for hook in &self.hooks {
            if !kinds.contains(&hook.kind) {
                kinds.push(hook.kind);
            }
        }
        kinds
    }

    /// Checks that there is a home directory for the records.
    ///
    /// # Errors
    /// Errors if there is none.
    pub(crate) fn check_home(&self) -> Result<(), CliError> {
        self.state.as_ref().map(|_| ()).ok_or(CliError::NoRecord)
    }

    /// Reads the records for changes.
    ///
    /// # Errors
    /// Errors if there is no home directory, or the records can't be used.
    pub(crate) fn open_records(&self) -> Result<Records, CliError> {
        let state = self.state.as_ref().ok_or(CliError::NoRecord)?;
        Records::open(state).map_err(|why| CliError::Record { why })
    }

    /// Reads the records.
    ///
    /// # Errors
    /// Errors if there is no home directory, or the records can't be used.
    pub(crate) fn read_records(&self) -> Result<Records, CliError> {
        let state = self.state.as_ref().ok_or(CliError::NoRecord)?;
        Records::read(state).map_err(|why| CliError::Record { why })
    }
}

/// Returns true if a hook is an entry of `becket install`, in a file that Becket reads as well: it is not a hook of
/// the project.
pub(crate) fn is_entry(hook: &Handler) -> bool {
    matches!(&hook.action, Action::Command(Command::Shell { script, .. }) if is_own(script))
}

/// Returns the directory of the records.
pub(crate) fn record_directory(request: &Request) -> Option<PathBuf> {
    request.user_directory().map(|directory| directory.join("becket"))
}

/// Returns true if files may be created below a directory: not below a home directory that is relative or missing.
fn is_usable(directory: &Path, around: &Surroundings) -> bool {
    directory.is_absolute()
        && around.process.home.as_ref().is_none_or(|home| is_home(home) || !directory.starts_with(home))
}

fn is_home(home: &Path) -> bool {
    home.is_absolute() && home.is_dir()
}

/// Returns the directories that are searched for configurations of agents.
pub(crate) fn places(session: &Session, around: &Surroundings) -> Places {
    let variables = AGENTS.iter().filter_map(|agent| agent.user?.variable).filter_map(|(name, _)| {
        let value = around.var(name)?;
        Some((name.to_owned(), PathBuf::from(value)))
    });
    Places {
        home: around.process.home.clone().filter(|home| is_home(home)),
        project: Some(session.project.clone().unwrap_or_else(|| session.start.clone())),
        variables: variables.collect(),
    }
}

/// Returns the agent with that name.
///
/// # Errors
/// Errors if there is no such agent.
pub(crate) fn agent_by_name(name: &str) -> Result<&'static AgentConfig, CliError> {
    agent(name).ok_or_else(|| {
        let names: Vec<&str> = AGENTS.iter().map(|agent| agent.name).collect();
        let near = becket_base::suggest(name, &names).map(|near| format!(" (did you mean `{near}`?)"));
        CliError::usage(format!(
            "there is no agent `{name}`{}; the agents are {}",
            near.unwrap_or_default(),
            names.join(", ")
        ))
    })
}

/// Returns the program with that name on the search path.
pub(crate) fn on_path(name: &str, around: &Surroundings) -> Option<PathBuf> {
    becket_base::find_program(name, around.var("PATH")?)
}
