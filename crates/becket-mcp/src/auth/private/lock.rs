//! Locks that exclude other processes and other handles of this one.
//!
//! A lock is polled instead of being waited for by a thread: a wait can be cancelled, and a process that never releases
//! it blocks no thread. Lock files are never removed: removing one would let two processes hold it.

use std::fs::{File, TryLockError};
use std::path::{Path, PathBuf};
use std::time::Duration;

use tokio::time::{Instant, sleep};

use super::{FileError, sys};

/// The first and the longest pause between two tries.
const PAUSES: (Duration, Duration) = (Duration::from_millis(1), Duration::from_millis(25));

/// A lock that is held until it is dropped, or until this process ends.
#[derive(Debug)]
pub(crate) struct Lock(#[expect(dead_code, reason = "open means held")] File);

/// Takes the lock with this file, waiting for at most `limit`.
///
/// # Errors
/// Another holder kept it for that long, or the file can't be created.
pub(crate) async fn lock(path: &Path, limit: Duration) -> Result<Lock, FileError> {
    sys::make_parent(path)?;
    let file = sys::open_lock(path)?;
    let (mut pause, end) = (PAUSES.0, Instant::now() + limit);
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(Lock(file)),
            Err(TryLockError::WouldBlock) if Instant::now() >= end => {
                return Err(FileError::Locked { path: path.to_owned(), limit });
            }
            Err(TryLockError::WouldBlock) => sleep(pause).await,
            Err(TryLockError::Error(error)) => return Err(FileError::io("locked", path)(error)),
        }
        pause = (pause * 2).min(PAUSES.1);
    }
}

/// Returns `path` with a suffix on its name.
pub(crate) fn beside(path: &Path, more: &str) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(more);
    path.with_file_name(name)
}
