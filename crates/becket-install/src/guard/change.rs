//! The changes that add or remove guards, shown before they are made and undone if one fails.

use crate::file_change::FileChange;
use crate::guard::error::GuardError;
use becket_base::config_file::ConfigFile;
use std::fs;
use std::path::PathBuf;

/// The changes of a project.
#[derive(Debug)]
pub struct GuardPlan {
    /// The changes, in order: a hook is in the settings only as long as its script exists.
    pub changes: Vec<FileChange>,
    /// Files that stay because they were edited.
    pub kept: Vec<PathBuf>,
    /// The directories to remove, if they are empty then; the outermost first.
    pub(super) directories: Vec<PathBuf>,
}

/// Plans the change of a file that was read.
///
/// # Errors
/// Errors if the file may not be written.
pub(super) fn planned(
    file: ConfigFile,
    after: Option<Vec<u8>>,
    executable: bool,
) -> Result<FileChange, GuardError> {
    let change = FileChange::new(file, after, executable);
    if !change.is_nothing() {
        let refused = |why| GuardError::File { path: change.path().to_owned(), why };
        change.file().check_writable().map_err(refused)?;
        change.file().check_directory().map_err(refused)?;
    }
    Ok(change)
}

impl GuardPlan {
    /// Returns true if nothing changes.
    pub fn is_nothing(&self) -> bool {
        self.changes.iter().all(FileChange::is_nothing)
    }

    /// Makes the changes. If one fails, those before it are undone.
    ///
    /// # Errors
    /// Errors if a file can't be changed; all files are then as they were.
    pub fn apply(&self) -> Result<(), GuardError> {
        let mut new: Vec<PathBuf> = Vec::new();
        let mut done: Vec<&FileChange> = Vec::new();
        // A process that was killed may have left copies of files that are as they should be.
        self.changes.iter().for_each(|change| change.file().remove_left_over());
        for change in self.changes.iter().filter(|change| !change.is_nothing()) {
            new.extend(change.new_directories());
            if let Err(why) = change.apply() {
                done.into_iter().rev().for_each(|change| {
                    // The error below reports the cause.
                    let _ = change.revert();
                });
                remove_empty(&new);
                return Err(GuardError::File { path: change.path().to_owned(), why });
            }
            done.push(change);
        }
        remove_empty(&self.directories);
        Ok(())
    }
}

/// Removes directories, the innermost first; one that is not empty stays.
fn remove_empty(directories: &[PathBuf]) {
    for directory in directories.iter().rev() {
        let _ = fs::remove_dir(directory);
    }
}
