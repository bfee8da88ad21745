//! Temporary directories that don't outlive their owner by long: [`remove_left_over`] removes those of a process that
//! was killed.
//!
//! INVARIANT: a directory is removed only if its lock is free, or if it has none and is old: its owner is gone then.

use becket_base::file_lock::{LockState, try_lock};
use std::fs::{self, DirEntry, File, OpenOptions};
use std::io;
use std::path::Path;
use std::time::{Duration, SystemTime};
use tempfile::TempDir;

/// The file that the owner of a directory locks.
const LOCK: &str = ".becket-owner.lock";
/// The age before which a directory is not removed: its owner may not hold the lock yet.
const YOUNG: Duration = Duration::from_secs(60);
/// The age after which a directory without a lock has no owner.
const OLD: Duration = Duration::from_secs(24 * 60 * 60);

/// A temporary directory, removed when it is dropped.
#[derive(Debug)]
pub(crate) struct OwnedDirectory {
    directory: TempDir,
    /// Held as long as the directory is in use.
    _lock: File,
}

impl OwnedDirectory {
    /// Creates a directory whose name starts with `prefix`, and locks it.
    ///
    /// # Errors
    /// Errors if it can't be created.
    pub(crate) fn create(prefix: &str, place: &Path) -> io::Result<Self> {
        let directory = tempfile::Builder::new().prefix(prefix).tempdir_in(place)?;
        let lock = File::create_new(directory.path().join(LOCK))?;
        // On a file system without locks nothing younger than a day is removed.
        try_lock(&lock)?;
        Ok(OwnedDirectory { directory, _lock: lock })
    }

    /// Returns its path.
    pub(crate) fn path(&self) -> &Path {
        self.directory.path()
    }
}

/// Removes the directories that nobody owns any more. One that can't be removed stays.
pub(crate) fn remove_left_over(prefix: &str, place: &Path) {
    let entries = fs::read_dir(place).into_iter().flatten().flatten();
    for entry in entries.filter(|entry| entry.file_name().to_string_lossy().starts_with(prefix)) {
        if is_left_over(&entry).unwrap_or(false) {
            drop(fs::remove_dir_all(entry.path()));
        }
    }
}

fn is_left_over(entry: &DirEntry) -> io::Result<bool> {
    let found = entry.metadata()?;
    let age = SystemTime::now().duration_since(found.modified()?).unwrap_or_default();
    if !found.is_dir() || age < YOUNG {
        return Ok(false);
    }
    let path = entry.path().join(LOCK);
    if !path.symlink_metadata().is_ok_and(|lock| lock.is_file()) {
        return Ok(age > OLD);
    }
    let lock = OpenOptions::new().write(true).open(path)?;
    Ok(match try_lock(&lock)? {
        LockState::Held => true,
        LockState::Busy => false,
        LockState::Unsupported => age > OLD,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn aged(path: &Path, age: Duration) {
        let time = SystemTime::now() - age;
        File::open(path).unwrap().set_modified(time).unwrap();
    }

    #[cfg(unix)]
    #[test]
    fn what_a_killed_process_has_left_is_removed_by_the_next_one() {
        let place = tempfile::tempdir().unwrap();
        let left = |name: &str, is_locked: bool, age: Duration| {
            let path = place.path().join(name);
            fs::create_dir_all(path.join("project")).unwrap();
            let lock = is_locked.then(|| File::create(path.join(LOCK)).unwrap());
            aged(&path, age);
            (path, lock)
        };
        let (minutes, days) = (YOUNG * 2, OLD * 2);
        let (gone, lock) = left("becket-case-gone", true, minutes);
        drop(lock);
        let (used, used_lock) = left("becket-case-used", true, days);
        assert_eq!(try_lock(used_lock.as_ref().unwrap()).unwrap(), LockState::Held);
        let (young, _) = left("becket-case-young", true, Duration::ZERO);
        let (bare, _) = left("becket-case-bare", false, minutes);
        let (old, _) = left("becket-case-old", false, days);
        let (other, _) = left("other", true, days);
        remove_left_over("becket-case-", place.path());
        let own = OwnedDirectory::create("becket-case-", place.path()).unwrap();
        assert!(own.path().join(LOCK).exists());
        let there = |path: &Path| path.exists();
        assert_eq!((there(&gone), there(&old)), (false, false));
        assert!(there(&used) && there(&young) && there(&bare) && there(&other));
        let path = own.path().to_owned();
        drop(own);
        assert!(!path.exists());
    }
}
