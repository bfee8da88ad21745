//! The file of a transcript: private, append-only, and held by one writer.

use becket_base::file_lock::{LockState, lock};
use becket_base::private_file;
use std::fs::{self, File};
use std::io;
use std::path::Path;
use std::time::Duration;

/// The mode in which a file is opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum OpenMode {
    /// The file must not exist yet.
    New,
    /// The file must exist.
    Existing,
}

/// Opens a file for appending and reading; a new one is readable only by its owner.
pub(super) fn open(path: &Path, mode: OpenMode) -> io::Result<File> {
    let mut options = private_file::options();
    options.read(true).append(true).create_new(mode == OpenMode::New);
    let file = options.open(path)?;
    if file.metadata()?.is_file() { Ok(file) } else { Err(io::Error::other("not a regular file")) }
}

/// The number of attempts to lock a file, with a delay in between. A child of a writer that has just ended keeps the
/// lock until it executes its own program.
const ATTEMPTS: usize = 8;
const PAUSE: Duration = Duration::from_millis(15);

/// Locks the file for this writer. The lock is released when the process ends, however it ends.
pub(super) fn hold(file: &File) -> io::Result<LockState> {
    lock(file, [PAUSE; ATTEMPTS - 1])
}

/// Returns whether the file has been deleted while it is open.
#[cfg(unix)]
pub(super) fn is_deleted(file: &File) -> io::Result<bool> {
    use std::os::unix::fs::MetadataExt;
    Ok(file.metadata()?.nlink() == 0)
}

/// Returns false: on this platform an open file can't be deleted.
#[cfg(not(unix))]
pub(super) fn is_deleted(_: &File) -> io::Result<bool> {
    Ok(false)
}

/// Unlocks the file, and deletes it if nothing was ever written. Closing it is not enough: a child that has not yet
/// executed its own program would keep the lock.
pub(super) fn give_back(file: &File, path: &Path) -> io::Result<()> {
    if file.metadata()?.len() == 0 && !is_deleted(file)? {
        fs::remove_file(path)?;
    }
    file.unlock()
}
