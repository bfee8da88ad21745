//! Locks on files, which exclude other processes and other handles of this one.
//!
//! A lock is polled instead of being waited for by the system: a wait can end early, and a process that never releases
//! its lock blocks no thread. Every caller brings its own pauses: their number and length are the limit of the wait.

use crate::private_file;
use std::fs::{File, TryLockError};
use std::io;
use std::path::Path;
use std::time::Duration;

/// State of a lock after an attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LockState {
    /// This handle holds it until it is unlocked or its process ends.
    Held,
    /// Another handle or process holds it.
    Busy,
    /// The file system has no locks.
    Unsupported,
}

/// Tries to lock a file once.
///
/// # Errors
/// Errors if the system can't lock the file, for a reason other than [`LockState::Unsupported`].
pub fn try_lock(file: &File) -> io::Result<LockState> {
    match file.try_lock() {
        Ok(()) => Ok(LockState::Held),
        Err(TryLockError::WouldBlock) => Ok(LockState::Busy),
        Err(TryLockError::Error(error)) if error.kind() == io::ErrorKind::Unsupported => {
            Ok(LockState::Unsupported)
        }
        Err(TryLockError::Error(error)) => Err(error),
    }
}

/// Tries to lock a file until it is no longer busy, with these pauses between attempts. Blocks the thread.
///
/// # Errors
/// See [`try_lock`].
pub fn lock(file: &File, pauses: impl IntoIterator<Item = Duration>) -> io::Result<LockState> {
    for pause in pauses {
        match try_lock(file)? {
            LockState::Busy => std::thread::sleep(pause),
            done @ (LockState::Held | LockState::Unsupported) => return Ok(done),
        }
    }
    try_lock(file)
}

/// Creates a private file and its directory if they are missing, and locks the file, waiting for two seconds at most.
/// The lock ends when the file is dropped. Whoever holds it may remove the file. A file system without locks is not an
/// error. Blocks the thread.
///
/// # Errors
/// Errors if the file can't be created or locked; the kind is `WouldBlock` if it stays busy.
pub fn lock_private(path: &Path) -> io::Result<File> {
    lock_private_within(path, std::iter::repeat_n(Duration::from_millis(10), 200))
}

/// Locks the file as [`lock_private`] does, with these pauses.
fn lock_private_within(path: &Path, mut pauses: impl Iterator<Item = Duration>) -> io::Result<File> {
    // Other processes remove the file again and again, or a directory in its path is a broken link.
    const MISSING: u32 = 20;
    let mut missing = 0;
    loop {
        let opened = private_file::create_parent(path)
            .and_then(|()| private_file::options().write(true).create(true).truncate(false).open(path));
        // Another process may remove the file, and its directory, before it is locked here.
        let lost = match opened {
            Ok(file) => match lock(&file, pauses.by_ref())? {
                LockState::Held | LockState::Unsupported if is_at(&file, path) => return Ok(file),
                LockState::Held | LockState::Unsupported | LockState::Busy => {
                    io::Error::from(io::ErrorKind::WouldBlock)
                }
            },
            Err(error) if error.kind() == io::ErrorKind::NotFound && missing < MISSING => {
                missing += 1;
                error
            }
            Err(error) => return Err(error),
        };
        match pauses.next() {
            Some(pause) => std::thread::sleep(pause),
            None => return Err(lost),
        }
    }
}

/// A lock on the directory of a file, for one writer at a time. Dropping it releases the lock.
#[derive(Debug)]
pub struct DirectoryLock {
    _file: Option<File>,
    /// The file that is locked instead of the directory, which can't be locked on this platform.
    #[cfg(not(unix))]
    path: Option<std::path::PathBuf>,
}

impl DirectoryLock {
    /// Locks the directory of `target`, waiting for five seconds at most. A directory that can't be opened or locked is
    /// not an error. Nothing is written on Unix. Blocks the thread.
    ///
    /// # Errors
    /// Errors if the lock stays busy.
    #[cfg(unix)]
    pub fn of(target: &Path) -> io::Result<Self> {
        let directory = target.parent().filter(|parent| !parent.as_os_str().is_empty());
        let Ok(file) = File::open(directory.unwrap_or(Path::new("."))) else {
            return Ok(DirectoryLock { _file: None });
        };
        match lock(&file, std::iter::repeat_n(Duration::from_millis(10), 500)) {
            Ok(LockState::Busy) => Err(io::ErrorKind::WouldBlock.into()),
            // Network file systems lock only files that are open for writing.
            Ok(LockState::Held | LockState::Unsupported) | Err(_) => Ok(DirectoryLock { _file: Some(file) }),
        }
    }

    /// Locks the directory of `target`, waiting for two seconds at most. A directory that can't be written or locked is
    /// not an error. Blocks the thread.
    ///
    /// # Errors
    /// Errors if the lock stays busy.
    #[cfg(not(unix))]
    pub fn of(target: &Path) -> io::Result<Self> {
        let path = target.with_file_name(".becket-lock");
        let is_there = path.parent().is_some_and(Path::is_dir);
        match is_there.then(|| lock_private(&path)).transpose() {
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => Err(error),
            Err(_) => Ok(DirectoryLock { _file: None, path: None }),
            Ok(file) => Ok(DirectoryLock { path: file.is_some().then_some(path), _file: file }),
        }
    }
}

#[cfg(not(unix))]
impl Drop for DirectoryLock {
    fn drop(&mut self) {
        if let Some(path) = &self.path {
            // A file that stays is locked and removed by the next process.
            let _ = std::fs::remove_file(path);
        }
    }
}

/// Returns true if `path` is the name of this file.
#[cfg(unix)]
fn is_at(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    let id = |metadata: std::fs::Metadata| (metadata.dev(), metadata.ino());
    let (file, named) = (file.metadata().map(id), path.symlink_metadata().map(id));
    matches!((file, named), (Ok(file), Ok(named)) if file == named)
}

/// Returns true if there is a file at `path`. Files have no stable identity on this platform, so it may be another one.
#[cfg(not(unix))]
fn is_at(_file: &File, path: &Path) -> bool {
    path.symlink_metadata().is_ok()
}

/// Locks a file as [`lock`] does, without blocking the thread. Cancel-safe.
///
/// # Errors
/// See [`try_lock`].
#[cfg(feature = "async-lock")]
pub async fn lock_async(file: &File, pauses: impl IntoIterator<Item = Duration>) -> io::Result<LockState> {
    for pause in pauses {
        match try_lock(file)? {
            LockState::Busy => tokio::time::sleep(pause).await,
            done @ (LockState::Held | LockState::Unsupported) => return Ok(done),
        }
    }
    try_lock(file)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lock_is_held_by_one_handle_at_a_time() {
        let directory = tempfile::tempdir().unwrap();
        let open = || File::options().append(true).create(true).open(directory.path().join("lock")).unwrap();
        let (one, other) = (open(), open());
        assert_eq!(try_lock(&one).unwrap(), LockState::Held);
        assert_eq!(lock(&other, [Duration::ZERO; 2]).unwrap(), LockState::Busy);
        let mut one = Some(one);
        // The other handle is gone by the second attempt.
        let pauses = std::iter::from_fn(|| {
            drop(one.take());
            Some(Duration::ZERO)
        });
        assert_eq!(lock(&other, pauses.take(2)).unwrap(), LockState::Held);
    }

    #[test]
    fn a_private_file_is_locked_with_its_directory() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("below/lock");
        let held = lock_private(&path).unwrap();
        let other = File::options().write(true).open(&path).unwrap();
        assert_eq!(try_lock(&other).unwrap(), LockState::Busy);
        drop(held);
        assert_eq!(try_lock(&other).unwrap(), LockState::Held);
    }

    #[test]
    fn all_attempts_to_lock_a_private_file_share_their_pauses() {
        let directory = tempfile::tempdir().unwrap();
        let count = |path: &Path| {
            let mut left = 5_u32;
            let pauses = std::iter::from_fn(|| {
                left = left.checked_sub(1)?;
                Some(Duration::ZERO)
            });
            let error = lock_private_within(path, pauses).unwrap_err();
            (error.kind(), left)
        };
        let busy = directory.path().join("busy");
        let _held = lock_private(&busy).unwrap();
        assert_eq!(count(&busy), (io::ErrorKind::WouldBlock, 0));
        // No file has this name.
        assert_eq!(count(Path::new("")), (io::ErrorKind::NotFound, 0));
    }

    #[test]
    fn a_directory_is_locked_without_a_trace() {
        let directory = tempfile::tempdir().unwrap();
        let target = directory.path().join("file");
        let held = DirectoryLock::of(&target).unwrap();
        let (sender, receiver) = std::sync::mpsc::channel();
        let waiting = std::thread::spawn(move || {
            let lock = DirectoryLock::of(&target).unwrap();
            sender.send(()).unwrap();
            drop(lock);
        });
        receiver.recv_timeout(Duration::from_millis(100)).unwrap_err();
        drop(held);
        receiver.recv().unwrap();
        waiting.join().unwrap();
        assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 0);
        // A missing directory excludes nobody.
        DirectoryLock::of(&directory.path().join("none/file")).unwrap();
    }

    #[cfg(unix)]
    #[test]
    fn a_lock_on_a_file_that_its_holder_removed_is_not_held() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("below/lock");
        let held = lock_private(&path).unwrap();
        let waiting = std::thread::spawn({
            let path = path.clone();
            move || lock_private(&path).unwrap()
        });
        // The other thread may have the file open, or not yet.
        std::thread::sleep(Duration::from_millis(50));
        std::fs::remove_dir_all(directory.path().join("below")).unwrap();
        drop(held);
        let other = waiting.join().unwrap();
        assert!(is_at(&other, &path));
        assert_eq!(try_lock(&File::options().write(true).open(&path).unwrap()).unwrap(), LockState::Busy);
    }

    #[cfg(feature = "async-lock")]
    #[tokio::test(start_paused = true)]
    async fn a_wait_for_a_lock_lasts_as_long_as_its_pauses() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let other = file.reopen().unwrap();
        assert_eq!(try_lock(file.as_file()).unwrap(), LockState::Held);
        let start = tokio::time::Instant::now();
        assert_eq!(lock_async(&other, [Duration::from_secs(7); 3]).await.unwrap(), LockState::Busy);
        assert_eq!(start.elapsed(), Duration::from_secs(21));
    }
}
