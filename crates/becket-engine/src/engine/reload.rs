//! Changes of the configuration while a session is open (`protocol.md` C8).

use crate::config::{self, Config, LoadedFiles};
use crate::engine::host_operations::HostOperations;
use crate::report::outcome::Outcome;
use becket_model::{Event, Source};
use std::sync::Arc;

/// Changes of the configuration (C8).
impl HostOperations<'_> {
    /// Reads the configuration again, at one of the refresh points (C8). Work in progress keeps the old configuration.
    ///
    /// # Errors
    /// Returns [`ReloadError`] if a changed file can't be read: the old configuration stays in force.
    pub fn reload(self) -> Result<Arc<Config>, ReloadError> {
        self.replace_config(|_| config::load(&self.inner().request))
    }

    /// Replaces the configuration by the files that `read` returns for the loaded ones, if that is accepted.
    fn replace_config(
        self,
        read: impl FnOnce(&LoadedFiles) -> LoadedFiles,
    ) -> Result<Arc<Config>, ReloadError> {
        // One at a time: an earlier read must not replace a later one.
        let amendments = self.inner().reloading();
        let old = self.inner().snapshot();
        let loaded = amendments.over(read(&old.loaded));
        match config::judge(&old.config, config::resolve(&loaded)) {
            config::Reload::Accepted(new) => {
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
        self.apply_config_change(event, self.engine().fire(event).await)
    }

    /// Performs the second half of [`HostOperations::config_changed`], for a host that has fired the event itself and
    /// has its outcome.
    pub fn apply_config_change(self, event: &Event, outcome: Outcome) -> ConfigChanged {
        let of_policy = event.body.subject() == Some("policy_settings");
        if outcome.verdict.blocks() && !of_policy {
            return ConfigChanged::Blocked(Box::new(outcome));
        }
        let Some(changed) = event.body.subject().and_then(changed_source) else {
            return ConfigChanged::Accepted(self.engine().config());
        };
        match self.replace_config(|old| config::load_changed(old, &changed)) {
            Ok(config) => ConfigChanged::Accepted(config),
            Err(kept) => ConfigChanged::Rejected(kept),
        }
    }
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
}
