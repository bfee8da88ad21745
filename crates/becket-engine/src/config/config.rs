//! A resolved configuration: what a session works with from its start to the next refresh point (C8).

use super::diagnostic::Diagnostic;
use super::permissions::{AdditionalDirectory, DefaultMode, RuleSource};
use super::plugins::MissingPlugin;
use super::policy::Policy;
use super::raw::MODULE_NOT_RUN;
use super::request::{Plugin, Trust};
use super::resolve::StopsStart;
use super::sandbox::Sandbox;
use super::settings_env::SettingsEnv;
use crate::config::hookset::HookSet;
use becket_model::EventKind;
use std::fmt;
use std::path::Path;
use std::sync::Arc;

/// Hooks, rules and switches of all files, merged. Immutable: a change on disk makes a new one.
///
/// `Debug` names the variables of `settings_env` without their values (S3).
#[derive(Clone)]
#[non_exhaustive]
pub struct Config {
    /// The handlers by event, compiled, and those that could not be loaded.
    pub hooks: Arc<HookSet>,
    /// The permission rules of all files, except those that are held back.
    pub permissions: Vec<RuleSource>,
    /// The directories in addition to the working directory in which the session may work.
    pub additional_directories: Vec<AdditionalDirectory>,
    /// The mode in which the session starts, if a file sets one.
    pub default_mode: Option<DefaultMode>,
    /// The switches and limits.
    pub policy: Policy,
    /// The rights of command lines and of plugins' hooks (E5).
    pub sandbox: Sandbox,
    /// Variables for hooks from the settings' `env` (H3).
    pub settings_env: SettingsEnv,
    /// The plugins in use: those that the host names and those that settings enable (C9).
    pub plugins: Vec<Plugin>,
    /// The facts about trust (G3).
    pub trust: Trust,
    /// The running number for the next handler that is registered later (see [`super::position()`]).
    pub next_sequence: u32,
    /// The number of files and texts that it was read from.
    pub files: usize,
    /// The findings, by file and place.
    pub diagnostics: Vec<Diagnostic>,
    /// The reason why no session may start with it.
    pub stops_start: Option<StopsStart>,
    /// The files that exist and could not be read.
    pub(crate) unreadable: Vec<Arc<Path>>,
    /// The plugins that are on and not found.
    pub(crate) missing_plugins: Vec<MissingPlugin>,
    /// The files whose grants do not count (C7b, G3).
    pub(crate) withheld: Vec<Arc<Path>>,
}

impl fmt::Debug for Config {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Config")
            .field("hooks", &self.hooks)
            .field("permissions", &self.permissions)
            .field("additional_directories", &self.additional_directories)
            .field("default_mode", &self.default_mode)
            .field("policy", &self.policy)
            .field("sandbox", &self.sandbox)
            .field("settings_env", &self.settings_env)
            .field("plugins", &self.plugins)
            .field("trust", &self.trust)
            .field("next_sequence", &self.next_sequence)
            .field("files", &self.files)
            .field("diagnostics", &self.diagnostics)
            .field("stops_start", &self.stops_start)
            .field("unreadable", &self.unreadable)
            .field("missing_plugins", &self.missing_plugins)
            .field("withheld", &self.withheld)
            .finish()
    }
}

impl Config {
    /// Returns the names of files to watch in the cwd, from the matchers of `FileChanged` (M8); each once.
    pub fn watch_names(&self) -> Vec<&str> {
        let mut names = Vec::new();
        for handler in self.hooks.of(EventKind::FileChanged) {
            for name in becket_rules::watch_names(Some(handler.matcher.text())) {
                if !names.contains(&name) {
                    names.push(name);
                }
            }
        }
        names
    }

    /// Returns the findings that every session shows: entries that were not loaded, hooks that are not run here (C7,
    /// C12), and permission rules that match nothing, or something else than they seem to.
    pub fn notices(&self) -> impl Iterator<Item = &Diagnostic> {
        let is_idle_rule = |code: &str| crate::config::rules::IDLE.contains(&code);
        self.diagnostics.iter().filter(move |diagnostic| {
            diagnostic.is_error() || diagnostic.code == MODULE_NOT_RUN || is_idle_rule(diagnostic.code)
        })
    }

    /// Returns the findings because of which something was not loaded.
    pub fn errors(&self) -> impl Iterator<Item = &Diagnostic> {
        self.diagnostics.iter().filter(|diagnostic| diagnostic.is_error())
    }
}
