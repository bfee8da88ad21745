//! Errors of private files.

use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// A file that must be private, or its lock, can't be used. Nothing was changed.
#[derive(Debug, Clone, thiserror::Error)]
pub enum FileError {
    /// The file is a symbolic link, which may have been planted.
    #[error("`{}` is a symbolic link: put the file itself there", path.display())]
    Symlink {
        /// The file.
        path: PathBuf,
    },
    /// The path is a directory, a pipe or another special file.
    #[error("`{}` is not a file: move it away", path.display())]
    NoFile {
        /// The path.
        path: PathBuf,
    },
    /// Another user owns the file.
    #[error("`{}` belongs to the user {owner}: take it over with `chown`, or move it away", path.display())]
    Owner {
        /// The file.
        path: PathBuf,
        /// The id of its owner.
        owner: u32,
    },
    /// Other users may read or write the file.
    #[error("others may read or write `{}` (mode {mode:03o}): run `chmod 600` on it", path.display())]
    Mode {
        /// The file.
        path: PathBuf,
        /// Its permissions.
        mode: u32,
    },
    /// The file is larger than the limit.
    #[error("`{}` has more than {cap} bytes: it is not a file of this program", path.display())]
    TooLarge {
        /// The file.
        path: PathBuf,
        /// The limit in bytes.
        cap: u64,
    },
    /// Another process has held the lock for too long.
    #[error("another process has held the lock `{}` for {} s: end it, or try again", path.display(), limit.as_secs_f64())]
    Locked {
        /// The lock.
        path: PathBuf,
        /// The time limit.
        limit: Duration,
    },
    /// A system call failed.
    #[error("`{}` can't be {deed}: {source}", path.display())]
    Io {
        /// The operation that failed.
        deed: &'static str,
        /// The file.
        path: PathBuf,
        /// The error reported by the system.
        source: Arc<io::Error>,
    },
}

impl FileError {
    pub(crate) fn io(deed: &'static str, path: &std::path::Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self::Io { deed, path, source: Arc::new(source) }
    }
}
