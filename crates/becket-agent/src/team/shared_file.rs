//! A small JSON file that several processes change at once.
//!
//! INVARIANT: who changes it holds its lock and reads it anew, so no change is lost; who reads it sees the content before a
//! change or after it, never a part. A writer that is killed at any moment leaves one of the two, and its lock goes with it.
//!
//! It refuses to write over what it can't read: that is somebody's work.

use crate::blocking::{Halted, Stop};
use crate::tasks::make_private;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// How long to wait before the lock is tried again: others hold it for milliseconds.
const AGAIN: Duration = Duration::from_millis(2);
/// The largest file that is read, in bytes.
const MOST: u64 = 16 << 20;

/// Why a file was not read or changed; for the model.
#[derive(Debug, thiserror::Error)]
pub enum SharedFileError {
    /// The system says no.
    #[error("`{}` can't be {deed}: {source}", .path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What was wanted of it.
        deed: &'static str,
        /// Why not.
        source: io::Error,
    },
    /// Its content is something else.
    #[error("`{}` is damaged, and is left as it is: {message}", .path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        message: String,
    },
    /// Nobody waits for it any longer, or others have held the file for too long.
    #[error("{0}")]
    Halted(String),
}

impl From<Halted> for SharedFileError {
    fn from(halted: Halted) -> Self {
        Self::Halted(halted.to_string())
    }
}

/// The place of such a file. It blocks its thread.
#[derive(Debug, Clone)]
pub(super) struct SharedFile {
    path: PathBuf,
}

impl SharedFile {
    pub(super) fn new(path: PathBuf) -> Self {
        Self { path }
    }

    /// What is in it; the default where there is no such file.
    pub(super) fn read<T: DeserializeOwned + Default>(&self) -> Result<T, SharedFileError> {
        let length = match fs::metadata(&self.path) {
            Ok(metadata) => metadata.len(),
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(T::default()),
            Err(source) => return Err(self.failed("read", source)),
        };
        if length > MOST {
            return Err(self.damaged(format!("it is larger than {} MiB", MOST >> 20)));
        }
        let text = fs::read(&self.path).map_err(|source| self.failed("read", source))?;
        serde_json::from_slice(&text).map_err(|error| self.damaged(error.to_string()))
    }

    /// Changes what is in it; nothing is written where `change` fails, or changes nothing.
    pub(super) fn change<T, R, E>(
        &self,
        stop: &Stop,
        change: impl FnOnce(&mut T) -> Result<R, E>,
    ) -> Result<R, E>
    where
        T: Serialize + DeserializeOwned + Default + Clone + PartialEq,
        E: From<SharedFileError>,
    {
        let directory = self.path.parent().unwrap_or_else(|| Path::new("."));
        make_private(directory).map_err(|source| self.failed("made", source))?;
        let _lock = self.lock(stop)?;
        let before: T = self.read()?;
        let mut after = before.clone();
        let result = change(&mut after)?;
        if after != before {
            self.write(&after)?;
        }
        Ok(result)
    }

    /// The lock of the file, until it is dropped or its process is gone. It stands beside the file, which is replaced.
    fn lock(&self, stop: &Stop) -> Result<File, SharedFileError> {
        let open = private_file().truncate(false).open(self.path.with_extension("lock"));
        let file = open.map_err(|source| self.failed("locked", source))?;
        loop {
            match file.try_lock() {
                Ok(()) => return Ok(file),
                Err(TryLockError::WouldBlock) => stop.check()?,
                Err(TryLockError::Error(source)) => return Err(self.failed("locked", source)),
            }
            std::thread::sleep(AGAIN);
        }
    }

    /// Puts a content in its place. Only who holds the lock comes here, so one name for what is new is enough: what a
    /// killed writer has left there is written over.
    fn write(&self, content: &impl Serialize) -> Result<(), SharedFileError> {
        let mut text = serde_json::to_vec_pretty(content).map_err(|error| self.damaged(error.to_string()))?;
        text.push(b'\n');
        let new = self.path.with_extension("new");
        let written = private_file().truncate(true).open(&new).and_then(|mut file| {
            file.write_all(&text)?;
            // On the disk before it has its name: a machine that fails leaves the old content or the new one.
            file.sync_data()
        });
        written.and_then(|()| fs::rename(&new, &self.path)).map_err(|source| self.failed("written", source))
    }

    fn failed(&self, deed: &'static str, source: io::Error) -> SharedFileError {
        SharedFileError::Io { path: self.path.clone(), deed, source }
    }

    fn damaged(&self, message: String) -> SharedFileError {
        SharedFileError::Damaged { path: self.path.clone(), message }
    }
}

/// A file for the user's eyes alone.
fn private_file() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.write(true).create(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}
