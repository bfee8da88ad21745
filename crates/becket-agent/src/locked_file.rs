//! A small private file with bytes that several processes change concurrently.
//!
//! INVARIANT: a writer holds the lock and reads the file again before a change, so no change is lost; a reader sees the
//! content from before or after a change, never a part. A writer that is killed at any moment leaves one of the two,
//! and its lock is released. Nothing larger than the limit is read or written, and nothing is written once the caller
//! has gone.
//!
//! It does not follow a link or block on a pipe that has replaced one of its files.

use becket_base::file_lock::{self, LockState};
use becket_base::private_file::{self, Replacement};
use becket_tools::blocking::{BlockingError, Stop};
use becket_tools::opened_file::{self, OpenedFile};
use std::fs::File;
use std::io::{self, ErrorKind, Read};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The delay before the lock is tried again: others hold it for milliseconds.
const AGAIN: Duration = Duration::from_millis(2);

/// The reason why a file was not read or changed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum LockedError {
    #[error("it can't be {deed}: {source}")]
    Io { deed: &'static str, source: io::Error },
    #[error("it would be larger than {0} KiB: take something out of it first")]
    TooLarge(u64),
    #[error(transparent)]
    Halted(#[from] BlockingError),
}

/// The path of such a file, and its maximum size in bytes. The methods block the thread.
#[derive(Debug, Clone)]
pub(crate) struct LockedFile {
    path: PathBuf,
    most: u64,
}

impl LockedFile {
    pub(crate) fn new(path: PathBuf, most: u64) -> Self {
        Self { path, most }
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the content; `None` if the file does not exist.
    pub(crate) fn read(&self) -> Result<Option<Vec<u8>>, LockedError> {
        let file = match opened_file::open(&self.path) {
            Ok(OpenedFile::Regular(file)) => file,
            Ok(OpenedFile::Directory | OpenedFile::Special) => return Err(failed("read")(no_file())),
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            Err(source) => return Err(failed("read")(source)),
        };
        let mut bytes = Vec::new();
        file.take(self.most + 1).read_to_end(&mut bytes).map_err(failed("read"))?;
        self.fits(&bytes)?;
        Ok(Some(bytes))
    }

    /// Changes the content: `change` receives it and returns the new one, or `None` to keep it. Nothing is written if
    /// `change` fails.
    pub(crate) fn change<R, E: From<LockedError>>(
        &self,
        stop: &Stop,
        change: impl FnOnce(Option<Vec<u8>>) -> Result<(Option<Vec<u8>>, R), E>,
    ) -> Result<R, E> {
        private_file::create_parent(&self.path).map_err(failed("made"))?;
        let _lock = self.lock(stop)?;
        let (content, result) = change(self.read()?)?;
        if let Some(content) = content {
            self.write(&content, stop)?;
        }
        Ok(result)
    }

    /// Locks the file until the value is dropped; `None` if another process has locked it.
    pub(crate) fn try_hold(&self) -> Result<Option<HeldFile>, LockedError> {
        private_file::create_parent(&self.path).map_err(failed("made"))?;
        let lock = self.open_lock()?;
        match file_lock::try_lock(&lock).map_err(failed("locked"))? {
            LockState::Held => Ok(Some(HeldFile { file: self.clone(), lock })),
            LockState::Busy => Ok(None),
            LockState::Unsupported => Err(failed("locked")(ErrorKind::Unsupported.into())),
        }
    }

    /// Locks the file until the value is dropped or the process ends. The lock is a separate file, because the file
    /// itself is replaced.
    fn lock(&self, stop: &Stop) -> Result<File, LockedError> {
        let file = self.open_lock()?;
        let mut halted = Ok(());
        let pauses = std::iter::from_fn(|| {
            halted = stop.check();
            halted.is_ok().then_some(AGAIN)
        });
        let state = file_lock::lock(&file, pauses).map_err(failed("locked"))?;
        match state {
            LockState::Held => Ok(file),
            LockState::Busy => Err(halted
                .err()
                .map_or_else(|| failed("locked")(ErrorKind::WouldBlock.into()), LockedError::from)),
            LockState::Unsupported => Err(failed("locked")(ErrorKind::Unsupported.into())),
        }
    }

    fn open_lock(&self) -> Result<File, LockedError> {
        let mut options = private_file::options();
        let file = options.write(true).create(true).truncate(false).open(self.path.with_extension("lock"));
        let file = file.map_err(failed("locked"))?;
        match file.metadata().map_err(failed("locked"))?.is_file() {
            true => Ok(file),
            false => Err(failed("locked")(no_file())),
        }
    }

    /// Replaces the content. Only the holder of the lock calls this, so one name for the new file is enough: an
    /// existing file with that name, left by a killed writer or by another program, is removed and not written into.
    fn write(&self, content: &[u8], stop: &Stop) -> Result<(), LockedError> {
        self.fits(content)?;
        let new = Replacement::create(self.path.with_extension("new"), &private_file::options());
        let mut new = new.map_err(failed("written"))?;
        new.write(content).map_err(failed("written"))?;
        // The last possible moment: a caller that has given up sees that nothing was changed.
        stop.check()?;
        new.commit(&self.path).map_err(failed("written"))?;
        private_file::sync_parent(&self.path);
        Ok(())
    }

    fn fits(&self, content: &[u8]) -> Result<(), LockedError> {
        match content.len() as u64 > self.most {
            true => Err(LockedError::TooLarge(self.most >> 10)),
            false => Ok(()),
        }
    }
}

/// A file that this process has locked.
#[derive(Debug)]
pub(crate) struct HeldFile {
    file: LockedFile,
    lock: File,
}

impl HeldFile {
    /// Replaces the content.
    pub(crate) fn write(&self, content: &[u8], stop: &Stop) -> Result<(), LockedError> {
        self.file.write(content, stop)
    }
}

impl Drop for HeldFile {
    fn drop(&mut self) {
        // Closing the file is not enough: a child that has not yet executed its own program would keep the lock.
        drop(self.lock.unlock());
    }
}

fn failed(deed: &'static str) -> impl Fn(io::Error) -> LockedError {
    move |source| LockedError::Io { deed, source }
}

fn no_file() -> io::Error {
    io::Error::other("something other than a file is in its place")
}

#[cfg(all(test, unix))]
mod tests;
