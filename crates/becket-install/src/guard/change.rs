//! The changes that add or remove guards, shown before they are made and undone if one fails.

use crate::file::ConfigFile;
use crate::guard::error::GuardError;
use std::fs;
use std::path::{Path, PathBuf};

/// The changes of a project.
#[derive(Debug)]
pub struct GuardPlan {
    /// The changes, in their order: a hook is in the settings only as long as its script is there.
    pub changes: Vec<FileChange>,
    /// Files that stay, since they were edited.
    pub kept: Vec<PathBuf>,
    /// The directories to remove, if they are empty then; the outermost first.
    pub(super) directories: Vec<PathBuf>,
}

/// The change of one file.
#[derive(Debug)]
pub struct FileChange {
    file: ConfigFile,
    after: Option<Vec<u8>>,
    executable: bool,
}

impl FileChange {
    /// Plans the change of a file that was read.
    ///
    /// # Errors
    /// It may not be written.
    pub(super) fn of(file: ConfigFile, after: Option<Vec<u8>>, executable: bool) -> Result<Self, GuardError> {
        let change = FileChange { file, after, executable };
        if !change.is_nothing() {
            let refused = |why| GuardError::File { path: change.path().to_owned(), why };
            change.file.check_writable().map_err(refused)?;
            change.file.check_directory().map_err(refused)?;
        }
        Ok(change)
    }

    /// Returns the path.
    pub fn path(&self) -> &Path {
        self.file.path()
    }

    /// Returns the content before the change; `None` if there is no file.
    pub fn before(&self) -> Option<&[u8]> {
        self.file.bytes()
    }

    /// Returns the content after the change; `None` if the file is removed.
    pub fn after(&self) -> Option<&[u8]> {
        self.after.as_deref()
    }

    /// Returns true if the file stays as it is.
    pub fn is_nothing(&self) -> bool {
        self.before() == self.after()
    }

    /// Returns the directories that it creates, the outermost first.
    pub(super) fn new_directories(&self) -> Vec<PathBuf> {
        if self.after.is_some() { self.file.missing_directories() } else { Vec::new() }
    }

    fn apply(&self) -> Result<(), GuardError> {
        let done = self.file.replace(self.after(), self.executable);
        done.map_err(|why| GuardError::File { path: self.path().to_owned(), why })
    }

    /// Brings the content before the change back.
    fn revert(&self) {
        let Ok(now) = ConfigFile::read(self.path()) else { return };
        if now.bytes() == self.after() {
            // What can't be written back is named by the error that led here.
            let _ = now.replace(self.before(), self.executable);
        }
    }
}

impl GuardPlan {
    /// Returns true if nothing changes.
    pub fn is_nothing(&self) -> bool {
        self.changes.iter().all(FileChange::is_nothing)
    }

    /// Makes the changes. If one fails, those before it are undone.
    ///
    /// # Errors
    /// A file can't be changed; all files are then as they were.
    pub fn apply(&self) -> Result<(), GuardError> {
        let mut new: Vec<PathBuf> = Vec::new();
        let mut done: Vec<&FileChange> = Vec::new();
        for change in self.changes.iter().filter(|change| !change.is_nothing()) {
            new.extend(change.new_directories());
            if let Err(error) = change.apply() {
                done.into_iter().rev().for_each(FileChange::revert);
                remove_empty(&new);
                return Err(error);
            }
            done.push(change);
        }
        remove_empty(&self.directories);
        Ok(())
    }
}

/// Removes directories, the innermost first; one that holds anything stays.
fn remove_empty(directories: &[PathBuf]) {
    for directory in directories.iter().rev() {
        let _ = fs::remove_dir(directory);
    }
}
