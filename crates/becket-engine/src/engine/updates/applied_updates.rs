//! The result of updates.

use becket_model::event::PermissionMode;
use becket_rules::PermissionUpdate;
use std::path::PathBuf;

/// The result of applying updates. Anything not listed is unchanged.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct AppliedUpdates {
    /// The mode of the session from now on.
    pub mode: Option<PermissionMode>,
    /// The changes of rules, directories and files, in order, except those without effect.
    pub changes: Vec<AppliedChange>,
    /// Working directories that are new, absolute.
    pub added: Vec<PathBuf>,
    /// Working directories that were removed.
    pub removed: Vec<PathBuf>,
    /// Warnings for the user: updates that were not applied as requested, and the reason.
    pub warnings: Vec<String>,
}

/// One change that was made.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct AppliedChange {
    /// The update.
    pub update: PermissionUpdate,
    /// The file that it was written to; its host need not react to a change of that file.
    pub written: Option<PathBuf>,
}
