//! The change of one file, which can be undone.

use becket_base::config_file::{Access, ConfigFile, FileError};
use becket_base::is_executable;
use std::fs::{self, Permissions};
use std::path::{Path, PathBuf};

/// The change of one file.
#[derive(Debug)]
pub struct FileChange {
    file: ConfigFile,
    after: Option<Vec<u8>>,
    executable: bool,
    /// The permissions of a file that is there and can't be executed, but should be.
    permissions: Option<Permissions>,
}

impl FileChange {
    pub(crate) fn new(file: ConfigFile, after: Option<Vec<u8>>, executable: bool) -> Self {
        let is_there = executable && after.is_some() && file.bytes().is_some();
        let lacks_right = is_there && !is_executable(file.path());
        let permissions = lacks_right.then(|| file.path().metadata().ok()).flatten();
        FileChange { file, after, executable, permissions: permissions.map(|found| found.permissions()) }
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
        self.before() == self.after() && !self.is_made_executable()
    }

    /// Returns true if a file that is there becomes executable.
    pub fn is_made_executable(&self) -> bool {
        self.permissions.is_some()
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
        if self.before() != self.after() {
            self.file.replace(self.after(), self.access())?;
        }
        let Some(permissions) = &self.permissions else { return Ok(()) };
        fs::set_permissions(self.path(), executable(permissions)).map_err(|why| {
            // The error of the mode is reported instead of one here.
            let _ = self.revert();
            FileError::Write(why)
        })
    }

    fn access(&self) -> Access {
        if self.executable { Access::Executable } else { Access::AsUsual }
    }

    /// Restores the file before the change, unless it was changed since. Returns true if it is restored.
    pub(crate) fn revert(&self) -> bool {
        // The error that led here is reported instead of one here.
        let Some(now) = ConfigFile::read(self.path()).ok().filter(|now| now.bytes() == self.after()) else {
            return false;
        };
        let is_content_back =
            self.before() == self.after() || now.replace(self.before(), self.access()).is_ok();
        let is_mode_back = match &self.permissions {
            Some(permissions) => fs::set_permissions(self.path(), permissions.clone()).is_ok(),
            None => true,
        };
        is_content_back && is_mode_back
    }
}

/// Returns permissions by which everybody who may read a file may execute it.
#[cfg(unix)]
fn executable(permissions: &Permissions) -> Permissions {
    use std::os::unix::fs::PermissionsExt;
    let mode = permissions.mode();
    Permissions::from_mode(mode | (mode & 0o444) >> 2)
}

#[cfg(not(unix))]
fn executable(permissions: &Permissions) -> Permissions {
    permissions.clone()
}
