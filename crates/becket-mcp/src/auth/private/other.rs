//! Systems without file owners and modes of this kind: a profile directory is private to its user there.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::Path;

use super::FileError;

/// Accepts every file: there is no owner or mode to check.
pub(super) fn check(path: &Path, file: &File) -> Result<(), FileError> {
    let opened = file.metadata().map_err(FileError::io("looked at", path))?;
    if opened.is_file() { Ok(()) } else { Err(FileError::NoFile { path: path.to_owned() }) }
}

/// Opens a file for reading.
pub(super) fn open(path: &Path) -> Result<File, FileError> {
    File::open(path).map_err(FileError::io("opened", path))
}

/// Creates a new file.
pub(super) fn create_new(path: &Path) -> io::Result<File> {
    OpenOptions::new().write(true).create_new(true).open(path)
}

/// Opens the file of a lock, created if it is missing.
pub(super) fn open_lock(path: &Path) -> Result<File, FileError> {
    let opened = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path);
    opened.map_err(FileError::io("opened", path))
}

/// Creates the directory of a file if it is missing.
pub(super) fn make_parent(path: &Path) -> Result<(), FileError> {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => {
            fs::create_dir_all(parent).map_err(FileError::io("made", parent))
        }
        Some(_) | None => Ok(()),
    }
}

/// Directories can't be synchronised here.
pub(super) fn sync_parent(_path: &Path) {}
