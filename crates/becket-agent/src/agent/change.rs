//! Changes of an open session from outside, also during a turn: its mode, its directories, its model.

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

/// A hook of PreModelSwitch has kept the model that was there.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the model stays `{model}`: {because}")]
#[non_exhaustive]
pub struct SwitchBlocked {
    /// The model that stays.
    pub model: String,
    /// The reason of the hook.
    pub because: String,
}

impl Agent {
    /// Enters a mode on behalf of the user, and returns the mode before. Calls that are already judged keep their
    /// decision.
    ///
    /// # Errors
    /// The mode does not exist, or the session may not enter it (P13).
    pub fn set_mode(&self, mode: PermissionMode) -> Result<PermissionMode, ModeRefused> {
        self.shared.permissions.set_mode(&self.facts, mode)
    }

    /// Adds a working directory for the rest of the session, and fires DirectoryAdded, whose hooks are not waited for.
    /// `source` is `slash_command` or `register_repo_root`. One that is there already changes nothing. The directories that
    /// are new.
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

    /// Switches to another model from the next request on, also in the running turn. PreModelSwitch is fired before,
    /// PostModelSwitch after. `requested` is the name as the caller gave it, `source` its origin.
    ///
    /// # Errors
    /// A hook has blocked the switch: the model stays as it was.
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
        // What was cut short has judged nothing.
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

    /// The model that is asked next.
    pub(super) fn model(&self) -> Arc<dyn Model> {
        self.shared.seat.taken().unwrap_or_else(|| Arc::clone(&self.model))
    }
}
