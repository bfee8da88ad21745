//! The configuration of one agent: its files, the form of an entry, and its limits.

use crate::trust_record::TrustRecord;
use becket_dialects::{Dialect, EventRow, TimeUnit, dialect};
use becket_model::EventKind;
use becket_model::table::OnFailureEffect;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The configuration of one agent.
#[derive(Debug)]
pub struct AgentConfig {
    /// The name of its dialect.
    pub name: &'static str,
    /// The names of its programs.
    pub programs: &'static [&'static str],
    /// The file of the user, if it reads hooks of the user.
    pub user: Option<Location>,
    /// The file below a project, if it reads hooks of a project.
    pub project: Option<&'static str>,
    /// The form of an entry.
    pub form: ConfigForm,
    /// The events by the names of the configuration, if these are not the names in payloads: name, event.
    pub events: &'static [(&'static str, EventKind)],
    /// Set if each native event needs an entry; otherwise the first one of each event of the protocol is enough.
    pub every_native: bool,
    /// Events with a separate limit: name, limit.
    pub short: &'static [(&'static str, Duration)],
    /// The step that the user has to take afterwards.
    pub step: Option<&'static str>,
    /// Set if the agent runs the hooks of `.claude/settings.json` itself.
    pub reads_hooks: Option<&'static str>,
    /// The agent's own record of the folders that its user trusts.
    pub trust: Option<TrustRecord>,
    /// The settings with which it switches off hooks.
    pub off: &'static [OffSwitch],
}

/// A setting with which an agent switches off hooks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OffSwitch {
    /// The scope of the file.
    pub scope: Scope,
    /// The file, below the agent's directory of the user, or below the project.
    pub file: &'static str,
    /// The setting in the file.
    pub kind: SwitchKind,
}

/// The setting in a file that switches off hooks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SwitchKind {
    /// A truth value, by its keys from the top. Hooks run if it is `on` or missing.
    Value {
        /// The keys.
        keys: &'static [&'static str],
        /// The value with which hooks run.
        on: bool,
    },
    /// A list with names and commands of hooks that do not run, by its keys from the top.
    Names(&'static [&'static str]),
    /// The file itself: if it exists, the agent reads its hooks instead of those in the file with the entries.
    Instead,
}

/// A file below the home directory, or below the directory that a variable names.
#[derive(Debug, Clone, Copy)]
pub struct Location {
    /// The variable, and the part of `directory` that follows its value.
    pub variable: Option<(&'static str, &'static str)>,
    /// The directory below the home directory.
    pub directory: &'static str,
    /// The file below the directory.
    pub file: &'static str,
}

/// The form of an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConfigForm {
    /// JSON: `hooks.EVENT[].hooks[]`, as in Claude Code.
    Groups {
        /// Set if a group names a matcher.
        matcher: bool,
        /// Set if an entry has a name.
        named: bool,
        /// Set if the agent reads comments in the file.
        comments: bool,
    },
    /// JSON: `hooks.EVENT[]`.
    List(ListEntry),
    /// TOML: tables `[[hooks]]`.
    Tables,
    /// YAML: `hooks.EVENT[]`.
    Sequences,
    /// A directory with an executable for each event.
    Scripts,
    /// A file of code.
    Plugin(PluginKind),
}

/// The entries of a list, by the agent that reads them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ListEntry {
    /// `{"type": "command", "bash", "timeoutSec"}`, version 1.
    Copilot,
    /// `{"command", "timeout", "failClosed"}`, version 1.
    Cursor,
    /// `{"command", "show_output"}`
    Windsurf,
}

/// The interface that a file of code uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PluginKind {
    /// The interface of opencode and its forks.
    Opencode,
    /// The interface of pi.
    Pi,
}

/// The scope of a registration.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Scope {
    /// The user's own configuration: every project.
    User,
    /// The configuration of one project.
    Project,
}

impl Scope {
    /// Returns the name as messages use it.
    pub const fn name(self) -> &'static str {
        match self {
            Scope::User => "user",
            Scope::Project => "project",
        }
    }
}

/// The directories that contain configurations.
#[derive(Debug, Clone, Default)]
pub struct Places {
    /// The home directory.
    pub home: Option<PathBuf>,
    /// The project.
    pub project: Option<PathBuf>,
    /// The variables that name directories of agents.
    pub variables: Vec<(String, PathBuf)>,
}

/// One event under the name of a configuration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RegisteredEvent {
    /// The name in the configuration.
    pub name: &'static str,
    /// The name in payloads.
    pub native: &'static str,
    /// The event of the protocol.
    pub kind: EventKind,
}

impl RegisteredEvent {
    /// Returns true if a refusal can block the event.
    pub fn is_deciding(&self) -> bool {
        self.kind.spec().on_failure == OnFailureEffect::Block
    }
}

impl Location {
    /// Returns the path of the file.
    pub fn path(&self, places: &Places) -> Option<PathBuf> {
        let named = self.variable.and_then(|(name, rest)| {
            let (_, value) = places.variables.iter().find(|(known, _)| known == name)?;
            Some(if rest.is_empty() { value.clone() } else { value.join(rest) })
        });
        let named = named.filter(|directory| directory.is_absolute());
        let directory = named.or_else(|| Some(places.home.as_ref()?.join(self.directory)))?;
        Some(if self.file.is_empty() { directory } else { directory.join(self.file) })
    }

    /// Returns the file as documentation names it.
    pub fn shown(&self) -> String {
        format!("~/{}/{}", self.directory, self.file).trim_end_matches('/').to_owned()
    }
}

impl AgentConfig {
    /// Returns the table of the agent's dialect.
    ///
    /// # Panics
    /// Never: a test looks up every name.
    pub fn dialect(&self) -> &'static Dialect {
        dialect(self.name).unwrap_or(becket_dialects::ALL[0])
    }

    /// Returns the file, or the directory of scripts, in a scope; `None` if there is none.
    pub fn path(&self, scope: Scope, places: &Places) -> Option<PathBuf> {
        match scope {
            Scope::User => self.user?.path(places),
            Scope::Project => Some(places.project.as_ref()?.join(self.project?)),
        }
    }

    /// Returns the file as a message names it while its directory is unknown.
    pub fn shown(&self, scope: Scope) -> String {
        match scope {
            Scope::User => self.user.map_or_else(String::new, |location| location.shown()),
            Scope::Project => self.project.unwrap_or_default().to_owned(),
        }
    }

    /// Returns true if the agent's own record says that its user trusts a folder. `root` is the repository around it, or the
    /// folder itself.
    pub fn trusts(&self, folder: &Path, root: &Path, places: &Places) -> bool {
        let file = self.trust_file(places);
        self.trust.zip(file).is_some_and(|(record, file)| record.trusts(&file, folder, root))
    }

    /// Returns the file in which the agent itself records the folders that its user trusts.
    pub fn trust_file(&self, places: &Places) -> Option<PathBuf> {
        let (TrustRecord::Folders(file) | TrustRecord::Projects(file)) = self.trust?;
        Some(self.user?.path(places)?.parent()?.join(file))
    }

    /// Returns true if a directory of the agent exists.
    pub fn has_directory(&self, places: &Places) -> bool {
        let file = self.user.and_then(|location| Some((location.path(places)?, location.file)));
        let directory = file.map(|(path, file)| {
            let levels = Path::new(file).components().count();
            path.ancestors().nth(levels).map(Path::to_owned).unwrap_or(path)
        });
        directory.is_some_and(|directory| directory.is_dir())
    }

    /// Returns the events to register: those that decide, those whose answers the agent accepts, those that keep
    /// context, and `more`.
    pub fn registered(&self, more: &[EventKind]) -> Vec<RegisteredEvent> {
        let mut found: Vec<RegisteredEvent> = Vec::new();
        for event in self.fired() {
            let is_known = found.iter().any(|known| known.kind == event.kind);
            let is_needed = event.is_deciding()
                || self.takes_answer(event.native)
                || KEPT.contains(&event.kind)
                || more.contains(&event.kind);
            if is_needed && (self.every_native || !is_known) {
                found.push(event);
            }
        }
        found
    }

    /// Returns all events that can be registered.
    pub fn fired(&self) -> Vec<RegisteredEvent> {
        let rows = self.dialect().events;
        let of_row =
            |row: &'static EventRow| RegisteredEvent { name: row.native, native: row.native, kind: row.kind };
        if self.events.is_empty() {
            return rows.iter().map(of_row).collect();
        }
        let named = self.events.iter().filter_map(|(name, kind)| {
            let row = self.dialect().row_of(*kind)?;
            Some(RegisteredEvent { name, ..of_row(row) })
        });
        named.collect()
    }

    /// Returns true if the agent runs the input with which a hook replaces that of a call.
    pub fn takes_rewrites(&self) -> bool {
        self.dialect().row_of(EventKind::PreToolUse).is_some_and(|row| row.supports.rewrite)
    }

    fn takes_answer(&self, native: &str) -> bool {
        let Some(supports) = self.dialect().event(native).map(|row| row.supports) else { return false };
        supports.refusal || supports.context
    }

    /// Returns the time limit of an entry for handlers that may take `longest`: 5 s more, up to the agent's own limits.
    pub fn limit(&self, event: &str, longest: Option<Duration>) -> Duration {
        let wanted = longest.map_or(self.dialect().timeout.default, |longest| longest + MARGIN);
        let short = self.short.iter().find(|(name, _)| *name == event).map(|(_, limit)| *limit);
        let fixed = (!self.takes_limit()).then_some(self.dialect().timeout.default);
        let longest = [self.dialect().timeout.max, short, fixed].into_iter().flatten().min();
        longest.map_or(wanted, |longest| wanted.min(longest))
    }

    /// Returns the time within which Becket has to answer on an event.
    pub fn within(&self, event: &str, longest: Option<Duration>) -> Duration {
        let limit = self.limit(event, longest);
        limit.saturating_sub(MARGIN).max(limit / 2).max(Duration::from_secs(1))
    }

    /// Returns true if an entry names a time limit.
    pub const fn takes_limit(&self) -> bool {
        !matches!(self.form, ConfigForm::Scripts | ConfigForm::List(ListEntry::Windsurf))
    }

    /// Returns a limit in the unit of the configuration.
    pub fn in_unit(&self, limit: Duration) -> u64 {
        match self.dialect().timeout.unit {
            TimeUnit::Seconds => limit.as_secs(),
            TimeUnit::Milliseconds => u64::try_from(limit.as_millis()).unwrap_or(u64::MAX),
        }
    }
}

/// The time between Becket's answer and the agent's limit.
const MARGIN: Duration = Duration::from_secs(5);

/// Events that Becket itself needs: trust and context of a session, context that is carried to a result.
const KEPT: [EventKind; 4] =
    [EventKind::SessionStart, EventKind::SessionEnd, EventKind::PostToolUse, EventKind::PostToolUseFailure];
