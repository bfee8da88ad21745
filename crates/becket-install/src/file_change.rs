//! The change of one file, which can be undone.

use crate::file::{ConfigFile, FileError};
use std::path::{Path, PathBuf};

/// The change of one file.
#[derive(Debug)]
pub struct FileChange {
    file: ConfigFile,
    after: Option<Vec<u8>>,
    executable: bool,
}

impl FileChange {
    pub(crate) fn new(file: ConfigFile, after: Option<Vec<u8>>, executable: bool) -> Self {
        FileChange { file, after, executable }
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

    /// Returns the file as it was read.
    pub(crate) fn file(&self) -> &ConfigFile {
        &self.file
    }

    /// Returns the directories that it creates, the outermost first.
    pub(crate) fn new_directories(&self) -> Vec<PathBuf> {
        if self.after.is_some() { self.file.missing_directories() } else { Vec::new() }
    }

    pub(crate) fn apply(&self) -> Result<(), FileError> {
        self.file.replace(self.after(), self.executable)
    }

    /// Restores the content before the change, unless the file was changed since. Returns true if it is restored.
    pub(crate) fn revert(&self) -> bool {
        let now = ConfigFile::read(self.path()).ok().filter(|now| now.bytes() == self.after());
        // The error that led here is reported instead of one here.
        now.is_some_and(|now| now.replace(self.before(), self.executable).is_ok())
    }
}
