//! The file of a transcript: private, appended to, and held by one writer.

use becket_base::file_lock::{LockState, lock};
use becket_base::private_file;
use std::fs::{self, File};
use std::io;
use std::path::Path;
use std::time::Duration;

/// Mode of opening a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum How {
    /// It must not be there yet.
    New,
    /// It must be there.
    Existing,
}

/// Opens a file to append and to read; a new one for its owner's eyes alone.
pub(super) fn open(path: &Path, how: How) -> io::Result<File> {
    let mut options = private_file::options();
    options.read(true).append(true).create_new(how == How::New);
    let file = options.open(path)?;
    if file.metadata()?.is_file() { Ok(file) } else { Err(io::Error::other("not a regular file")) }
}

/// Number of attempts at a lock, and the delay in between. A child of a writer that has just ended holds it, too, until
/// it
/// starts its own program.
const ATTEMPTS: usize = 8;
const PAUSE: Duration = Duration::from_millis(15);

/// Takes the file for this writer. The lock goes with the process, however it ends.
pub(super) fn hold(file: &File) -> io::Result<LockState> {
    lock(file, [PAUSE; ATTEMPTS - 1])
}

/// Returns whether the file has been deleted while it is open.
#[cfg(unix)]
pub(super) fn is_deleted(file: &File) -> io::Result<bool> {
    use std::os::unix::fs::MetadataExt;
    Ok(file.metadata()?.nlink() == 0)
}

/// Elsewhere an open file can't be deleted.
#[cfg(not(unix))]
pub(super) fn is_deleted(_: &File) -> io::Result<bool> {
    Ok(false)
}

/// Gives the file back; deletes one in which nothing was ever written. Closing it alone would leave the lock to a child
/// that has not begun its own program.
pub(super) fn give_back(file: &File, path: &Path) -> io::Result<()> {
    if file.metadata()?.len() == 0 && !is_deleted(file)? {
        fs::remove_file(path)?;
    }
    file.unlock()
}
