//! Locks that exclude other processes and other handles of this one.
//!
//! A lock is polled instead of being awaited by a thread: a wait can be cancelled, and a process that never releases
//! it blocks no thread. Lock files are never removed: removing one would let two processes hold it.

use std::fs::File;
use std::io::ErrorKind;
use std::iter;
use std::path::{Path, PathBuf};
use std::time::Duration;

use becket_base::file_lock::{LockState, lock_async};
use becket_base::private_file;
use tokio::time::Instant;

use super::FileError;
use super::file::{make_parent, open};

/// The first and the longest pause between two tries.
const PAUSES: (Duration, Duration) = (Duration::from_millis(1), Duration::from_millis(25));

/// A lock that is held until it is dropped, or until this process ends.
#[derive(Debug)]
pub(crate) struct Lock(#[expect(dead_code, reason = "open means held")] File);

/// Takes the lock with this file, waiting for at most `limit`.
///
/// # Errors
/// Errors if another holder kept it for that long, or the file can't be created.
pub(crate) async fn lock(path: &Path, limit: Duration) -> Result<Lock, FileError> {
    make_parent(path)?;
    let mut options = private_file::options();
    let file = open(path, options.read(true).write(true).create(true).truncate(false))?;
    let end = Instant::now() + limit;
    let pauses = iter::successors(Some(PAUSES.0), |pause| Some((*pause * 2).min(PAUSES.1)));
    let state = lock_async(&file, pauses.take_while(|_| Instant::now() < end)).await;
    match state.map_err(FileError::io("locked", path))? {
        LockState::Held => Ok(Lock(file)),
        LockState::Busy => Err(FileError::Locked { path: path.to_owned(), limit }),
        LockState::Unsupported => Err(FileError::io("locked", path)(ErrorKind::Unsupported.into())),
    }
}

/// Returns `path` with a suffix on its name.
pub(crate) fn beside(path: &Path, more: &str) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(more);
    path.with_file_name(name)
}
