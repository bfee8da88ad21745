//! A resolved configuration: what a session works with from its start to the next refresh point (C8).

use super::diagnostic::Diagnostic;
use super::permissions::{AdditionalDirectory, DefaultMode, RuleSource};
use super::policy::Policy;
use super::request::Trust;
use super::resolve::StopsStart;
use crate::hookset::HookSet;
use becket_model::EventKind;
use std::path::Path;
use std::sync::Arc;

/// Hooks, rules and switches of all files, merged. Immutable: a change on disk makes a new one.
#[derive(Debug)]
pub struct Config {
    /// The handlers by event, compiled, and what could not be loaded.
    pub hooks: Arc<HookSet>,
    /// The permission rules of all files, but for those that are held back.
    pub permissions: Vec<RuleSource>,
    /// The directories beside the working directory in which the session may work.
    pub additional_directories: Vec<AdditionalDirectory>,
    /// The mode in which the session starts, where a file says so.
    pub default_mode: Option<DefaultMode>,
    /// The switches and limits.
    pub policy: Policy,
    /// Variables for hooks from the settings' `env`, in the order of their names (H3).
    pub settings_env: Vec<(String, String)>,
    /// What was known about trust (G3).
    pub trust: Trust,
    /// The running number for the next handler that is registered later (see [`super::position()`]).
    pub next_sequence: u32,
    /// What is wrong or looks wrong, by file and place.
    pub diagnostics: Vec<Diagnostic>,
    /// Why no session may start with it.
    pub stops_start: Option<StopsStart>,
    /// The files that are there and could not be read.
    pub(crate) unreadable: Vec<Arc<Path>>,
}

impl Config {
    /// The names of files to watch in the cwd, from the matchers of `FileChanged` (M8); each once.
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

    /// The findings because of which something was not loaded.
    pub fn errors(&self) -> impl Iterator<Item = &Diagnostic> {
        self.diagnostics.iter().filter(|diagnostic| diagnostic.is_error())
    }
}
