//! The file of a transcript: private, appended to, and held by one writer.

use std::fs::{self, DirBuilder, File, OpenOptions, TryLockError};
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

/// Lock on a file against other writers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LockState {
    /// No other writer, as long as the file is open.
    Alone,
    /// Another process holds it.
    Elsewhere,
    /// The file system knows no locks.
    Unknown,
}

/// Opens a file to append and to read; a new one for its owner's eyes alone.
pub(super) fn open(path: &Path, how: How) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).append(true).create_new(how == How::New);
    private(&mut options);
    let file = options.open(path)?;
    if file.metadata()?.is_file() { Ok(file) } else { Err(io::Error::other("not a regular file")) }
}

/// Number of attempts at a lock, and the delay in between. A child of a writer that has just ended holds it, too, until
/// it
/// starts its own program.
const ATTEMPTS: u32 = 8;
const PAUSE: Duration = Duration::from_millis(15);

/// Takes the file for this writer. The lock goes with the process, however it ends.
pub(super) fn hold(file: &File) -> io::Result<LockState> {
    for _ in 1..ATTEMPTS {
        match try_hold(file)? {
            LockState::Elsewhere => std::thread::sleep(PAUSE),
            held @ (LockState::Alone | LockState::Unknown) => return Ok(held),
        }
    }
    try_hold(file)
}

fn try_hold(file: &File) -> io::Result<LockState> {
    match file.try_lock() {
        Ok(()) => Ok(LockState::Alone),
        Err(TryLockError::WouldBlock) => Ok(LockState::Elsewhere),
        Err(TryLockError::Error(error)) if error.kind() == io::ErrorKind::Unsupported => {
            Ok(LockState::Unknown)
        }
        Err(TryLockError::Error(error)) => Err(error),
    }
}

/// Makes the directory of a file, and those above, for their owner's eyes alone; those that are there stay as they are.
pub(super) fn make_directory(path: &Path) -> io::Result<()> {
    let Some(parent) = path.parent() else { return Ok(()) };
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    private_directory(&mut builder);
    builder.create(parent)
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

#[cfg(unix)]
fn private(options: &mut OpenOptions) {
    use std::os::unix::fs::OpenOptionsExt;
    let flags = rustix::fs::OFlags::NONBLOCK | rustix::fs::OFlags::CLOEXEC;
    options.mode(0o600).custom_flags(flags.bits().cast_signed());
}

#[cfg(unix)]
fn private_directory(builder: &mut DirBuilder) {
    use std::os::unix::fs::DirBuilderExt;
    builder.mode(0o700);
}

#[cfg(not(unix))]
fn private(_: &mut OpenOptions) {}

#[cfg(not(unix))]
fn private_directory(_: &mut DirBuilder) {}
