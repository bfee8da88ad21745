//! Changes to an open session from outside, even during a turn: its mode, its directories, its model.

use super::open::Agent;
use crate::permission::ModeRefused;
use crate::turn::Switch;
use crate::update::Notice;
use becket_engine::CancellationToken;
use becket_llm::{Model, Thinking};
use becket_model::event::PermissionMode;
use becket_model::event::environment::DirectoryAdded;
use becket_rules::{Change, Destination, PermissionUpdate};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A PreModelSwitch hook kept the current model.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the model stays `{model}`: {because}")]
#[non_exhaustive]
pub struct SwitchBlocked {
    /// The model that is kept.
    pub model: String,
    /// The hook's reason.
    pub because: String,
}

impl Agent {
    /// Enters a mode on behalf of the user, and returns the previous mode. Calls that were already judged keep their
    /// decision.
    ///
    /// # Errors
    /// Errors if the mode does not exist, or the session may not enter it (P13).
    pub fn set_mode(&self, mode: PermissionMode) -> Result<PermissionMode, ModeRefused> {
        self.shared.permissions.set_mode(&self.facts, mode)
    }

    /// Adds a working directory for the rest of the session, and fires DirectoryAdded without waiting for its hooks.
    /// `source` is `slash_command` or `register_repo_root`. An existing directory changes nothing. Returns the
    /// directories that are new.
    pub async fn add_directory(&self, directory: &Path, source: &str) -> Vec<PathBuf> {
        let text = directory.to_string_lossy().into_owned();
        let update = PermissionUpdate {
            destination: Destination::Session,
            change: Change::AddDirectories(vec![text]),
        };
        let (permissions, facts) = (self.shared.permissions.clone(), self.facts.clone());
        let changed = tokio::task::spawn_blocking(move || permissions.apply(&facts, &[update])).await;
        let Ok(changed) = changed else { return Vec::new() };
        for text in changed.applied.warnings {
            self.shared.updates.notice(Notice::warning(text));
        }
        for directory in &changed.applied.added {
            let directory = directory.to_string_lossy().into_owned();
            let body = DirectoryAdded::new(directory, source.to_owned());
            self.shared.leave(&self.facts, body, &self.shared.updates);
        }
        changed.applied.added
    }

    /// Switches to another model from the next request on, even in the running turn. Fires PreModelSwitch before and
    /// PostModelSwitch after the switch. `requested` is the name as the caller gave it, `source` its origin.
    ///
    /// # Errors
    /// Errors if a hook blocks the switch: the model is unchanged.
    pub async fn switch_model(
        &self,
        model: Arc<dyn Model>,
        requested: &str,
        source: &str,
        cancel: &CancellationToken,
    ) -> Result<(), SwitchBlocked> {
        let switch = Switch {
            from: self.model().name().to_owned(),
            to: model.name().to_owned(),
            requested: requested.to_owned(),
            source: source.to_owned(),
        };
        let fired = self.shared.fire(&self.facts, switch.before(), &self.shared.updates, cancel).await;
        let verdict = &fired.outcome.verdict;
        // Hooks that were cancelled have given no verdict.
        if verdict.blocks() || cancel.is_cancelled() {
            let because = verdict.joined_reason().unwrap_or_else(|| "it was interrupted".to_owned());
            return Err(SwitchBlocked { model: switch.from, because });
        }
        self.shared.seat.take(model);
        self.shared.fire(&self.facts, switch.after(), &self.shared.updates, cancel).await;
        Ok(())
    }

    /// Sets the thinking before an answer, from the next request on, if the provider supports it.
    pub fn set_thinking(&self, thinking: Thinking) {
        self.shared.set_thinking(thinking);
    }

    /// Returns the model of the next request.
    pub(super) fn model(&self) -> Arc<dyn Model> {
        self.shared.seat.chosen_model().unwrap_or_else(|| Arc::clone(&self.model))
    }
}
