//! The mode of a session, and the changes that updates make to its permissions (`protocol.md` P13, P14).

use crate::facts::Facts;
use becket_engine::{AppliedUpdates, Engine};
use becket_model::event::PermissionMode;
use becket_rules::PermissionUpdate;
use std::fmt;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

/// The permissions of a session. Cheap to clone; all clones belong to the same session.
#[derive(Clone)]
pub struct SessionPermissions {
    engine: Engine,
    /// The mode before `plan` was entered.
    before_plan: Arc<Mutex<Option<PermissionMode>>>,
}

/// Applied changes.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct PermissionChange {
    /// The previous and the new mode, if it has changed.
    pub mode: Option<(PermissionMode, PermissionMode)>,
    /// Changes to rules, directories and files, and notices for the user.
    pub applied: AppliedUpdates,
}

/// The reason why a session does not enter a mode. It keeps the current one.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ModeRefused {
    /// The mode does not exist.
    #[error("there is no permission mode `{name}`: it is one of {}", PermissionMode::NAMES.join(", "))]
    Unknown {
        /// The name of the mode.
        name: String,
    },
    /// The session may not enter the mode.
    #[error("the mode `bypassPermissions` is not available: {why}")]
    NoBypass {
        /// The reason.
        why: String,
    },
}

impl SessionPermissions {
    /// Creates the permissions of a session under this engine.
    #[must_use]
    pub fn new(engine: Engine) -> Self {
        Self { engine, before_plan: Arc::default() }
    }

    /// Sets the initial mode of a session: that of the command line, else of the settings, else `default` (C5). Returns
    /// a warning for the user if it differs from the requested one.
    pub fn begin(&self, facts: &Facts) -> Option<String> {
        let start = self.engine.host().start_mode();
        self.enter(facts, start.mode.clone());
        start.warning.clone()
    }

    /// Returns whether the session may currently be in `bypassPermissions`.
    #[must_use]
    pub fn may_bypass(&self) -> bool {
        self.engine.host().may_bypass().is_ok()
    }

    /// Returns the working directories without duplicates: that of the agent loop, then those that were added.
    #[must_use]
    pub fn directories(&self, facts: &Facts) -> Vec<PathBuf> {
        let cwd = facts.cwd();
        let mut added = self.engine.host().directories();
        added.retain(|directory| *directory != cwd);
        std::iter::once(cwd).chain(added).collect()
    }

    /// Enters a mode that the user requests, and returns the previous one.
    ///
    /// # Errors
    /// Errors if the session may not be in it.
    pub fn set_mode(&self, facts: &Facts, mode: PermissionMode) -> Result<PermissionMode, ModeRefused> {
        self.check_mode(&mode)?;
        Ok(self.enter(facts, mode))
    }

    /// Checks whether the session may enter a mode.
    ///
    /// # Errors
    /// Errors if the session may not be in it.
    pub fn check_mode(&self, mode: &PermissionMode) -> Result<(), ModeRefused> {
        match mode {
            PermissionMode::Other(name) => Err(ModeRefused::Unknown { name: name.to_string() }),
            PermissionMode::BypassPermissions => {
                self.engine.host().may_bypass().map_err(|why| ModeRefused::NoBypass { why })
            }
            PermissionMode::Default
            | PermissionMode::Plan
            | PermissionMode::AcceptEdits
            | PermissionMode::Auto
            | PermissionMode::DontAsk => Ok(()),
        }
    }

    /// Leaves the mode `plan` for the previous one, or `default`; returns `None` if the session is not in `plan`.
    pub fn leave_plan(&self, facts: &Facts) -> Option<PermissionMode> {
        if facts.mode() != PermissionMode::Plan {
            return None;
        }
        let before = self.before_plan.lock().unwrap_or_else(PoisonError::into_inner).take();
        let wanted = before.unwrap_or(PermissionMode::Default);
        if self.set_mode(facts, wanted).is_err() {
            // A settings file now forbids the previous mode.
            self.enter(facts, PermissionMode::Default);
        }
        Some(facts.mode())
    }

    /// Applies the updates of an approval, in their order (P13): those of [`crate::tool_call::Report::updates`].
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
