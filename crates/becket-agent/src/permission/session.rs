//! The mode of a session and what updates make of its permissions (`protocol.md` P13, P14).

use crate::facts::Facts;
use becket_engine::{AppliedUpdates, Engine};
use becket_model::event::PermissionMode;
use becket_rules::PermissionUpdate;
use std::fmt;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

/// The permissions of one session. Cheap to clone; all clones are the same session's.
#[derive(Clone)]
pub struct SessionPermissions {
    engine: Engine,
    /// The mode that `plan` was entered from.
    before_plan: Arc<Mutex<Option<PermissionMode>>>,
}

/// Applied changes.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct PermissionChange {
    /// The mode before and now, if another one.
    pub mode: Option<(PermissionMode, PermissionMode)>,
    /// Rules, directories and files, and what the user should know.
    pub applied: AppliedUpdates,
}

/// The reason why a session does not enter a mode. It stays in its old one.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ModeRefused {
    /// The mode does not exist.
    #[error("there is no permission mode `{name}`: it is one of {}", PermissionMode::NAMES.join(", "))]
    Unknown {
        /// The name.
        name: String,
    },
    /// The session may not be in it.
    #[error("the mode `bypassPermissions` is not to be had: {why}")]
    NoBypass {
        /// Reason.
        why: String,
    },
}

impl SessionPermissions {
    /// The permissions of a session under this engine.
    #[must_use]
    pub fn new(engine: Engine) -> Self {
        Self { engine, before_plan: Arc::default() }
    }

    /// Puts a session that begins into the mode that it starts in: the command line's, else that of the settings, else
    /// `default` (C5). A warning for the user, where it is another one than was asked for.
    pub fn begin(&self, facts: &Facts) -> Option<String> {
        let start = self.engine.host().start_mode();
        self.enter(facts, start.mode.clone());
        start.warning.clone()
    }

    /// Returns whether the session may be in `bypassPermissions` now.
    #[must_use]
    pub fn may_bypass(&self) -> bool {
        self.engine.host().may_bypass().is_ok()
    }

    /// The working directories: where the agent loop is, then those that were added; each once.
    #[must_use]
    pub fn directories(&self, facts: &Facts) -> Vec<PathBuf> {
        let cwd = facts.cwd();
        let mut added = self.engine.host().directories();
        added.retain(|directory| *directory != cwd);
        std::iter::once(cwd).chain(added).collect()
    }

    /// Enters a mode, as its user wishes; the mode before.
    ///
    /// # Errors
    /// The session may not be in it.
    pub fn set_mode(&self, facts: &Facts, mode: PermissionMode) -> Result<PermissionMode, ModeRefused> {
        match &mode {
            PermissionMode::Other(name) => return Err(ModeRefused::Unknown { name: name.to_string() }),
            PermissionMode::BypassPermissions => {
                self.engine.host().may_bypass().map_err(|why| ModeRefused::NoBypass { why })?;
            }
            PermissionMode::Default
            | PermissionMode::Plan
            | PermissionMode::AcceptEdits
            | PermissionMode::Auto
            | PermissionMode::DontAsk => {}
        }
        Ok(self.enter(facts, mode))
    }

    /// Leaves the mode `plan` for the one that it was entered from, or `default`. Nothing if the session is in another.
    pub fn leave_plan(&self, facts: &Facts) -> Option<PermissionMode> {
        if facts.mode() != PermissionMode::Plan {
            return None;
        }
        let before = self.before_plan.lock().unwrap_or_else(PoisonError::into_inner).take();
        let wanted = before.unwrap_or(PermissionMode::Default);
        if self.set_mode(facts, wanted).is_err() {
            // A file forbids it by now.
            self.enter(facts, PermissionMode::Default);
        }
        Some(facts.mode())
    }

    /// Applies updates that came with a yes, in their order (P13): those of [`crate::tool_call::Report::updates`].
    pub fn apply(&self, facts: &Facts, updates: &[PermissionUpdate]) -> PermissionChange {
        let applied = self.engine.host().apply(updates);
        let mode = applied.mode.clone().and_then(|mode| {
            let before = self.enter(facts, mode.clone());
            (before != mode).then_some((before, mode))
        });
        PermissionChange { mode, applied }
    }

    fn enter(&self, facts: &Facts, mode: PermissionMode) -> PermissionMode {
        let before = facts.mode();
        let mut before_plan = self.before_plan.lock().unwrap_or_else(PoisonError::into_inner);
        match (&before, &mode) {
            (PermissionMode::Plan, PermissionMode::Plan) => {}
            (_, PermissionMode::Plan) => *before_plan = Some(before.clone()),
            (_, _) => *before_plan = None,
        }
        facts.set_mode(mode);
        before
    }
}

impl fmt::Debug for SessionPermissions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SessionPermissions").finish_non_exhaustive()
    }
}
