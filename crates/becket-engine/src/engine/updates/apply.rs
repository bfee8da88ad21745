//! Applies updates (`protocol.md` P13): to the session, and to the settings files that they name.
//!
//! A change that is written takes effect at once as well, and one that can't be written applies to the session. An
//! update can't bypass anything: the one resolver merges its rules with all others, and the mode has to be one that the
//! session may be in. Warnings name every difference from the request.

use super::applied_updates::{AppliedChange, AppliedUpdates};
use crate::config::{
    self, Amendments, Config, EditOutcome, LoadedFiles, edit_layer, is_loose, write_settings,
};
use crate::engine::host_operations::HostOperations;
use crate::permission::start_mode::mode_of;
use crate::plan::snapshot;
use crate::plan::snapshot::Snapshot;
use becket_rules::{Change, Destination, Mode, PermissionUpdate, Rule, RuleList};
use std::path::{Path, PathBuf};
use std::sync::Arc;

impl HostOperations<'_> {
    /// Applies updates of a person or a hook, in their order (P13). Work in progress keeps its rules; the next event
    /// uses the new ones. They outlive every reload (C8).
    ///
    /// Writes settings files, one step each, and waits for the disk. Blocks the thread while another process changes a file
    /// in the same directory. The mode is not kept here: the result contains it.
    pub fn apply(self, updates: &[PermissionUpdate]) -> AppliedUpdates {
        if updates.is_empty() {
            return AppliedUpdates::default();
        }
        let mut amendments = self.inner().reloading();
        let old = self.inner().snapshot();
        let mut work = Work {
            host: self,
            amendments: amendments.clone(),
            loaded: LoadedFiles::clone(&old.loaded),
            applied: AppliedUpdates::default(),
            old: &old,
        };
        for update in updates {
            work.one(update);
        }
        let Work { amendments: amended, loaded, mut applied, .. } = work;
        *amendments = amended;
        if !applied.changes.is_empty() {
            let loaded = amendments.over(loaded);
            let new = config::resolve(&loaded);
            if let Some(stop) = &new.stops_start {
                // No file that the session may use contains the change; the session's rules stay as they were.
                applied.warnings.push(format!("the rules of this session stay as they were: {stop}"));
                return applied;
            }
            compare(&old.config, &new, &mut applied);
            self.inner().replace(old.with_permissions(Arc::new(loaded), new));
        }
        applied
    }
}

/// The updates that are being applied.
struct Work<'a> {
    host: HostOperations<'a>,
    old: &'a Snapshot,
    amendments: Amendments,
    loaded: LoadedFiles,
    applied: AppliedUpdates,
}

impl Work<'_> {
    fn one(&mut self, update: &PermissionUpdate) {
        self.warn_about_missing(update);
        match (&update.change, update.destination) {
            (Change::SetMode(mode), _) => self.mode(*mode, update),
            (_, Destination::Session) => self.in_session(&update.change, update, None),
            (_, Destination::LocalSettings | Destination::ProjectSettings | Destination::UserSettings) => {
                self.in_file(update);
            }
        }
    }

    fn mode(&mut self, mode: Mode, update: &PermissionUpdate) {
        let in_file = update.destination != Destination::Session;
        if mode == Mode::BypassPermissions {
            match self.host.may_bypass() {
                Ok(()) => self.applied.mode = Some(mode_of(mode)),
                Err(why) => return self.warn(format!("the mode stays as it was: {why}")),
            }
            if in_file {
                self.warn(
                    "the mode `bypassPermissions` applies to this session and is written to no file".into(),
                );
            }
            return;
        }
        if in_file {
            self.in_file(update);
        }
        let file = self.loaded.request.settings_file(update.destination);
        let withheld = file.is_some_and(|file| self.old.config.withholds(&file));
        if withheld && is_loose(&mode_of(mode)) {
            let name = mode.name();
            return self
                .warn(format!("the mode stays as it was: the settings file for `{name}` grants nothing"));
        }
        self.applied.mode = Some(mode_of(mode));
    }

    fn in_session(&mut self, change: &Change, update: &PermissionUpdate, written: Option<PathBuf>) {
        match self.amendments.in_session(change) {
            EditOutcome::Changed => self.changed(update, written),
            EditOutcome::AsBefore => {}
            EditOutcome::NotRead => self.warn("an update can't be applied to this session".to_owned()),
        }
    }

    fn in_file(&mut self, update: &PermissionUpdate) {
        let PermissionUpdate { destination, change } = update;
        let written = self.write(*destination, change);
        match edit_layer(&mut self.loaded, *destination, change) {
            EditOutcome::Changed => self.changed(update, written),
            EditOutcome::AsBefore => {}
            // The session does not read that file: its own rules receive the grants and denials of the change.
            EditOutcome::NotRead => match of_session(change) {
                Some(change) => self.in_session(&change, update, written),
                None if written.is_some() => self.changed(update, written),
                None => {}
            },
        }
    }

    /// Writes a change, after those that could not be written before.
    fn write(&mut self, destination: Destination, change: &Change) -> Option<PathBuf> {
        let Some(file) = self.loaded.request.settings_file(destination) else {
            self.warn(format!(
                "`{}` has no file here: the change applies to this session",
                destination.name()
            ));
            self.amendments.keep(destination, change);
            return None;
        };
        let mut changes: Vec<Change> = self.amendments.waiting(destination).cloned().collect();
        changes.push(change.clone());
        match write_settings(&file, &changes) {
            Ok(()) => {
                self.amendments.written(destination);
                Some(file)
            }
            Err(why) => {
                self.warn(format!("{why}: the change applies to this session only"));
                self.amendments.keep(destination, change);
                None
            }
        }
    }

    /// Warns about a removal whose rule is not at its destination, and names another place that has it: nothing is
    /// removed from there.
    fn warn_about_missing(&mut self, update: &PermissionUpdate) {
        let missing: Vec<String> = match &update.change {
            Change::RemoveRules(list, rules) => {
                let is_missing = |rule: &&Rule| {
                    !self.is_effective(update, Change::RemoveRules(*list, vec![(*rule).clone()]))
                };
                rules.iter().filter(is_missing).map(|rule| self.elsewhere(*list, rule)).collect()
            }
            Change::RemoveDirectories(paths) => {
                let is_missing = |path: &&String| {
                    !self.is_effective(update, Change::RemoveDirectories(vec![(*path).clone()]))
                };
                paths.iter().filter(is_missing).map(|path| format!("the directory `{path}`")).collect()
            }
            Change::AddRules(..)
            | Change::ReplaceRules(..)
            | Change::SetMode(_)
            | Change::AddDirectories(_) => Vec::new(),
        };
        for what in missing {
            let destination = update.destination.name();
            self.warn(format!("nothing to remove from `{destination}`: {what} is not there"));
        }
    }

    fn is_effective(&self, update: &PermissionUpdate, change: Change) -> bool {
        self.amendments.is_effective(&self.loaded, update.destination, &change)
    }

    fn elsewhere(&self, list: RuleList, rule: &Rule) -> String {
        let rules = self.old.config.permissions.iter();
        let same = |text: &str| Rule::parse(text).is_ok_and(|parsed| parsed == *rule);
        let found = rules.filter(|at| at.list == list).find(|at| same(&at.text));
        match found {
            Some(at) => format!("the rule `{rule}` (it is in {})", snapshot::label(at)),
            None => format!("the rule `{rule}`"),
        }
    }

    fn changed(&mut self, update: &PermissionUpdate, written: Option<PathBuf>) {
        self.applied.changes.push(AppliedChange { update: update.clone(), written });
    }

    fn warn(&mut self, text: String) {
        self.applied.warnings.push(text);
    }
}

/// Converts a change to a file that the session does not read into the change for the session.
fn of_session(change: &Change) -> Option<Change> {
    match change {
        Change::AddRules(..) | Change::AddDirectories(_) => Some(change.clone()),
        Change::ReplaceRules(list, rules) => Some(Change::AddRules(*list, rules.clone())),
        Change::RemoveRules(..) | Change::RemoveDirectories(_) | Change::SetMode(_) => None,
    }
}

/// Records the changes of a configuration: directories, and findings about what was added.
fn compare(old: &Config, new: &Config, applied: &mut AppliedUpdates) {
    let paths = |config: &Config| -> Vec<PathBuf> {
        config.additional_directories.iter().map(|directory| directory.path.clone()).collect()
    };
    let (before, now) = (paths(old), paths(new));
    applied.added = without(&now, &before);
    applied.removed = without(&before, &now);
    for finding in &new.diagnostics {
        let known = |other: &&config::Diagnostic| {
            (&other.file, other.code, &other.message) == (&finding.file, finding.code, &finding.message)
        };
        if !old.diagnostics.iter().any(|other| known(&other)) {
            applied.warnings.push(finding.message.clone());
        }
    }
}

/// Returns the first paths that are not among the second, each once.
fn without(paths: &[PathBuf], others: &[PathBuf]) -> Vec<PathBuf> {
    let mut left: Vec<PathBuf> = Vec::new();
    for path in paths.iter().filter(|path| !others.contains(path)) {
        if !left.contains(path) {
            left.push(path.clone());
        }
    }
    left
}

impl Config {
    /// Returns whether the grants of a file are held back (C7b, G3).
    fn withholds(&self, file: &Path) -> bool {
        self.withheld.iter().any(|withheld| becket_base::is_same_path(withheld, file))
    }
}
