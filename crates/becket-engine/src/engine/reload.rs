//! Changes of the configuration while a session is open (`protocol.md` C8).

use crate::config::{self, Amendments, ChangedFiles, Config, Diagnostic, LoadedFiles};
use crate::engine::host_operations::HostOperations;
use crate::handlers::context::EngineState;
use crate::plan::Plan;
use crate::plan::snapshot::Snapshot;
use crate::report::outcome::Outcome;
use becket_model::{Event, EventBody, Source};
use std::path::Path;
use std::sync::Arc;

/// The number of times that hooks judge a change whose files are written again meanwhile.
const MOST_JUDGEMENTS: usize = 3;

/// Changes of the configuration (C8).
impl<'a> HostOperations<'a> {
    /// Reads the configuration again, at one of the refresh points (C8). Work in progress keeps the old configuration.
    ///
    /// # Errors
    /// Returns [`ReloadError`] if a changed file can't be read: the old configuration stays in force.
    pub fn reload(self) -> Result<Arc<Config>, ReloadError> {
        self.replace_config(|_| config::load(&self.inner().request))
    }

    /// Reads all plugins again, as at the start of the session; every other file stays as it was read, so a change that
    /// a hook has blocked stays out (C8).
    ///
    /// # Errors
    /// Returns [`ReloadError`] if a file of a plugin can't be read any more, has an error that it did not have, or a plugin
    /// that is on is gone: the old configuration stays in force.
    pub fn reload_plugins(self) -> Result<Arc<Config>, ReloadError> {
        self.replace_config_if(config::load_plugins, |old, new| {
            let is_new = |finding: &&Diagnostic| finding.is_error() && !old.diagnostics.contains(finding);
            match new.diagnostics.iter().find(is_new) {
                Some(finding) => Err(finding.to_string()),
                None => Ok(()),
            }
        })
    }

    /// Replaces the settings that a host has set while the session is open; `None` removes them. They count like those
    /// of the command line, in addition to them: no deny of a managed file or of the command line is lost (C5). They
    /// outlive every reload (C8). Plugins that they enable are not read. Returns the findings about them.
    ///
    /// # Errors
    /// Returns [`ReloadError`] if an entry of them can't be loaded: the old ones stay in force.
    pub fn set_host_settings(self, settings: Option<&str>) -> Result<Vec<Diagnostic>, ReloadError> {
        let mut amendments = self.inner().reloading();
        let old = self.inner().snapshot();
        let HostSettingsChange { amendments: new_amendments, loaded, config } =
            HostSettingsChange::of(&amendments, &old, settings)?;
        let findings = config.diagnostics.iter().filter(|finding| is_of_host(finding)).cloned().collect();
        *amendments = new_amendments;
        self.inner().replace(old.with_config(Arc::new(loaded), config, &self.inner().environment));
        Ok(findings)
    }

    /// Checks whether [`HostOperations::set_host_settings`] would accept settings, and changes nothing.
    ///
    /// # Errors
    /// Returns [`ReloadError`] if an entry of them can't be loaded.
    pub fn check_host_settings(self, settings: Option<&str>) -> Result<(), ReloadError> {
        let amendments = self.inner().reloading();
        HostSettingsChange::of(&amendments, &self.inner().snapshot(), settings).map(drop)
    }

    /// Replaces the configuration by the files that `read` returns for the loaded ones, if that is accepted.
    fn replace_config(
        self,
        read: impl FnOnce(&LoadedFiles) -> LoadedFiles,
    ) -> Result<Arc<Config>, ReloadError> {
        self.replace_config_if(read, |_, _| Ok(()))
    }

    /// Replaces the configuration as [`Self::replace_config`] does, if `check` of the old and the new one agrees.
    fn replace_config_if(
        self,
        read: impl FnOnce(&LoadedFiles) -> LoadedFiles,
        check: impl FnOnce(&Config, &Config) -> Result<(), String>,
    ) -> Result<Arc<Config>, ReloadError> {
        // One at a time: an earlier read must not replace a later one.
        let amendments = self.inner().reloading();
        let old = self.inner().snapshot();
        let loaded = amendments.over(read(&old.loaded));
        match config::judge(&old.config, config::resolve(&loaded)) {
            config::Reload::Accepted(new) => {
                check(&old.config, &new).map_err(|why| ReloadError { why })?;
                self.inner().replace(old.with_config(
                    Arc::new(loaded),
                    new.clone(),
                    &self.inner().environment,
                ));
                Ok(new)
            }
            config::Reload::Rejected { why } => Err(ReloadError { why }),
        }
    }

    /// Handles a change of a settings file: fires ConfigChange under the old configuration, and reads that source again
    /// unless a hook blocks the change. Other sources are not read, so a change that was blocked earlier stays out
    /// (C8). Changes of policy can't be blocked. A source without settings (`skills`) leaves the configuration as it
    /// is.
    pub async fn config_changed(self, event: &Event) -> ConfigChanged {
        let mut change = self.pending_change(event);
        loop {
            if let Some(changed) = change.settle(self.engine().fire(event).await) {
                return changed;
            }
        }
    }

    /// Returns the change of an event, for a host that fires the event itself.
    pub fn pending_change(self, event: &'a Event) -> PendingConfigChange<'a> {
        PendingConfigChange { host: self, event, judgements: 0 }
    }

    fn judged_as(self, event: &Event, outcome: Outcome) -> ConfigChanged {
        let of_policy = event.body.subject() == Some("policy_settings");
        if outcome.verdict.blocks() && !of_policy {
            return ConfigChanged::Blocked(Box::new(outcome));
        }
        let Some(changed) = event.body.subject().and_then(changed_source) else {
            return ConfigChanged::Accepted(self.engine().config());
        };
        let files = ChangedFiles::read(&self.inner().request, &changed);
        if !of_policy && outcome.change.is_some_and(|judged| *judged != files) {
            return ConfigChanged::Superseded;
        }
        match self.replace_config(|old| files.in_place(old)) {
            Ok(config) => ConfigChanged::Accepted(config),
            Err(kept) => ConfigChanged::Rejected(kept),
        }
    }
}

/// A change of the host's settings that can be made.
struct HostSettingsChange {
    amendments: Amendments,
    loaded: LoadedFiles,
    config: Arc<Config>,
}

impl HostSettingsChange {
    fn of(amendments: &Amendments, old: &Snapshot, settings: Option<&str>) -> Result<Self, ReloadError> {
        let mut amendments = amendments.clone();
        amendments.set_host(settings);
        let loaded = amendments.over(LoadedFiles::clone(&old.loaded));
        let config = config::resolve(&loaded);
        if let Some(error) = config.errors().find(|error| is_of_host(error)) {
            return Err(ReloadError { why: error.to_string() });
        }
        match config::judge(&old.config, config) {
            config::Reload::Accepted(config) => Ok(Self { amendments, loaded, config }),
            config::Reload::Rejected { why } => Err(ReloadError { why }),
        }
    }
}

/// Returns whether a finding is about the host's settings.
fn is_of_host(finding: &Diagnostic) -> bool {
    *finding.file == *Path::new(config::HOST)
}

/// A change of a settings file that hooks judge.
///
/// A file that is written again while they run is not what they have judged: it stays out, and the event has to be fired
/// again.
#[derive(Debug)]
pub struct PendingConfigChange<'a> {
    host: HostOperations<'a>,
    event: &'a Event,
    judgements: usize,
}

impl PendingConfigChange<'_> {
    /// Applies the outcome of the event. Returns `None` if the event has to be fired again, which happens a few times at
    /// most; then the result is [`ConfigChanged::Superseded`].
    pub fn settle(&mut self, outcome: Outcome) -> Option<ConfigChanged> {
        self.judgements += 1;
        let changed = self.host.judged_as(self.event, outcome);
        let is_settled = !matches!(changed, ConfigChanged::Superseded) || self.judgements >= MOST_JUDGEMENTS;
        is_settled.then_some(changed)
    }
}

/// Reads the files whose change the hooks of an event are about to judge; `None` if none of them does (C8).
pub(super) fn judged_change(engine: &EngineState, event: &Event, plan: &Plan) -> Option<Arc<ChangedFiles>> {
    let EventBody::ConfigChange(_) = &event.body else { return None };
    let source = event.body.subject().and_then(changed_source).filter(|_| !plan.runs().is_empty())?;
    Some(Arc::new(ChangedFiles::read(&engine.request, &source)))
}

/// Returns the source that ConfigChange names.
fn changed_source(name: &str) -> Option<Source> {
    match name {
        "policy_settings" => Some(Source::Policy),
        "user_settings" => Some(Source::User),
        "project_settings" => Some(Source::Project),
        "local_settings" => Some(Source::Local),
        _ => None,
    }
}

/// The error of a reload that left the old configuration in force.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the configuration stays as it was: {why}")]
#[non_exhaustive]
pub struct ReloadError {
    /// The file, and the error in it.
    pub why: String,
}

/// The result of a change on disk.
#[derive(Debug)]
pub enum ConfigChanged {
    /// The new configuration is in force.
    Accepted(Arc<Config>),
    /// A hook blocked the change.
    Blocked(Box<Outcome>),
    /// A file can't be read any more.
    Rejected(ReloadError),
    /// The files were written again each time that hooks judged them: the configuration stays as it was.
    Superseded,
}
