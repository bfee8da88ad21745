//! The rules and hooks of added guards that the settings of a project lack, as after a merge that lost them.

use crate::guard::error::GuardError;
use crate::guard::record::GuardRecords;
use crate::guard::settings::ProjectSettings;
use std::path::{Path, PathBuf};

/// A guard of a project without some of its rules and hooks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IncompleteGuard {
    /// Its name.
    pub name: String,
    /// The number of its rules and hooks that are missing.
    pub missing: usize,
    /// The number of its rules and hooks.
    pub all: usize,
    /// The settings.
    pub settings: PathBuf,
}

/// Returns the guards in the record of the project in `root` whose rules and hooks are not all in the settings. A hook
/// that was edited counts as one that is there.
///
/// # Errors
/// Errors if the record or the settings can't be read.
pub fn incomplete_guards(root: &Path) -> Result<Vec<IncompleteGuard>, GuardError> {
    let records = GuardRecords::read(root)?;
    if records.guards.is_empty() {
        return Ok(Vec::new());
    }
    let settings = ProjectSettings::read(root)?;
    let mut found = Vec::new();
    for (name, record) in &records.guards {
        let missing = settings.missing(name, record)?.len();
        if missing > 0 {
            let settings = settings.path().to_owned();
            found.push(IncompleteGuard { name: name.clone(), missing, all: record.items.len(), settings });
        }
    }
    Ok(found)
}
