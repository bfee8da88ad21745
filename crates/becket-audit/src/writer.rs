//! The writer of a log: one of any number, in any number of processes.
//!
//! Under the lock of the log, it checks whether the end of the file is still as it left it, and reads the end if not.
//! All lines of a record, including its checkpoint, are written at once.

use crate::chain::{GENESIS, digest};
use crate::checkpoint::{Checkpoint, CheckpointError};
use crate::key::{KeyError, SigningKey};
use crate::log_place::LogPlace;
use crate::record::{AuditRecord, RecordBody, VERSION, WrittenRecord};
use crate::recovery::{FileEnd, Tail, file_end};
use becket_base::file_lock::{self, LockState};
use becket_base::private_file;
use becket_base::text::hex;
use jiff::Timestamp;
use std::fs::{self, File, Metadata};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The limits of a log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RotationLimits {
    /// The maximum size of a file, in bytes.
    pub bytes: u64,
    /// The number of files that are kept.
    pub files: u32,
}

/// The reason why a record was not written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AuditError {
    /// A file can't be read or written.
    #[error("`{path}`: {why}")]
    File {
        /// The file.
        path: PathBuf,
        /// The reason.
        why: io::Error,
    },
    /// The file of the log can be used by other users, belongs to another one, or is not a file.
    #[error("`{path}` is not a private file of this user: {why}")]
    NotPrivate {
        /// The file.
        path: PathBuf,
        /// The reason.
        why: String,
    },
    /// Another process holds the lock for too long.
    #[error("`{path}` is locked by another process that does not release it")]
    Busy {
        /// The file.
        path: PathBuf,
    },
    /// The disk is full, or the user's quota is used up.
    #[error("`{path}` can't grow: the disk is full, or a quota is used up")]
    Full {
        /// The file.
        path: PathBuf,
    },
    /// The record was written, but no checkpoint, since the key can't be used.
    #[error(transparent)]
    Key(#[from] KeyError),
    /// The record was written, but its checkpoint could not be exported to the second place.
    #[error(transparent)]
    Checkpoint(#[from] CheckpointError),
}

/// The parameters for signing checkpoints.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CheckpointPlan<'a> {
    pub(crate) key: &'a Path,
    pub(crate) every: u64,
    pub(crate) second_place: Option<&'a Path>,
}

/// The end of the file after a write by this writer.
#[derive(Debug)]
struct KnownEnd {
    file: File,
    identity: FileIdentity,
    tail: Tail,
}

/// A writer of an audit log.
#[derive(Debug)]
pub struct AuditWriter {
    place: LogPlace,
    limits: RotationLimits,
    lock: Option<File>,
    known: Option<KnownEnd>,
    /// The records that were written and not taken yet.
    written: Vec<WrittenRecord>,
}

impl AuditWriter {
    /// Creates the writer of a log, whose files are created when they are needed.
    #[must_use]
    pub fn new(place: LogPlace, limits: RotationLimits) -> Self {
        AuditWriter { place, limits, lock: None, known: None, written: Vec::new() }
    }

    /// Appends a record.
    ///
    /// # Errors
    /// Errors if the record can't be written.
    pub fn append(&mut self, body: RecordBody) -> Result<(), AuditError> {
        self.append_with(body, None)?;
        self.written.clear();
        Ok(())
    }

    pub(crate) fn append_with(
        &mut self,
        body: RecordBody,
        checkpoints: Option<CheckpointPlan<'_>>,
    ) -> Result<(), AuditError> {
        self.locked(|writer| writer.write(body, checkpoints))
    }

    /// Takes the records that were written since the last call, including those of failed calls.
    pub(crate) fn take_written(&mut self) -> Vec<WrittenRecord> {
        std::mem::take(&mut self.written)
    }

    /// Runs some work under the lock. After a failure, the known end of the file is discarded.
    fn locked<T>(&mut self, work: impl FnOnce(&mut Self) -> Result<T, AuditError>) -> Result<T, AuditError> {
        let path = self.place.lock();
        let lock = match self.lock.take() {
            Some(lock) => lock,
            None => open(&path, private_file::options().write(true).create(true).truncate(false))?,
        };
        let state = file_lock::lock(&lock, pauses()).map_err(|why| file_error(&path, why))?;
        if state == LockState::Busy {
            self.lock = Some(lock);
            return Err(AuditError::Busy { path });
        }
        let done = work(self);
        if !matches!(done, Ok(_) | Err(AuditError::Checkpoint(_) | AuditError::Key(_))) {
            self.known = None;
        }
        // A lock that can't be released is released when the process ends.
        let _ = lock.unlock();
        self.lock = Some(lock);
        done
    }

    fn write(&mut self, body: RecordBody, checkpoints: Option<CheckpointPlan<'_>>) -> Result<(), AuditError> {
        let (file, length, end) = self.end()?;
        let mut lines = Lines::behind(end);
        if lines.tail.is_none() {
            lines.begin()?;
        }
        lines.add(body)?;
        let due = checkpoints.filter(|plan| lines.next_seq().is_multiple_of(plan.every.max(1)));
        let key = due.map(|plan| SigningKey::read(plan.key));
        let statement = match &key {
            Some(Ok(key)) => lines.sign(key)?,
            Some(Err(_)) | None => None,
        };
        self.put(file, length, lines)?;
        let second_place = due.and_then(|plan| plan.second_place);
        if let (Some(statement), Some(directory)) = (statement, second_place) {
            statement.export(&self.place.checkpoints(directory))?;
        }
        // The record is written, even if signing failed.
        key.transpose()?;
        Ok(())
    }

    /// Opens the current file, and returns it with its length and its end.
    fn end(&mut self) -> Result<(File, u64, FileEnd), AuditError> {
        let path = self.place.current();
        if let Some(known) = self.known.take()
            && fs::symlink_metadata(&path).is_ok_and(|found| FileIdentity::of(&found) == known.identity)
        {
            let length = known.identity.length;
            return Ok((known.file, length, FileEnd { tail: Some(known.tail), ..FileEnd::default() }));
        }
        let mut file = open(&path, private_file::options().read(true).append(true).create(true))?;
        let length = file.metadata().map_err(|why| file_error(&path, why))?.len();
        let mut end = file_end(&mut file, length).map_err(|why| file_error(&path, why))?;
        if end.tail.is_none() {
            end.tail = self.tail_of_full_file()?;
        }
        Ok((file, length, end))
    }

    /// Returns the last record before the current file, if the current file has none.
    fn tail_of_full_file(&self) -> Result<Option<Tail>, AuditError> {
        let files = self.place.full_files().map_err(|why| file_error(&self.place.current(), why))?;
        let Some(path) = files.last() else { return Ok(None) };
        let mut file = open(path, private_file::options().read(true))?;
        let length = file.metadata().map_err(|why| file_error(path, why))?.len();
        Ok(file_end(&mut file, length).map_err(|why| file_error(path, why))?.tail)
    }

    /// Writes the lines, to a new file if the current one is full.
    fn put(&mut self, mut file: File, length: u64, lines: Lines) -> Result<(), AuditError> {
        let path = self.place.current();
        // Records about torn lines have to stay in the same file, after them.
        if length > 0 && !lines.is_tied && length + lines.bytes.len() as u64 > self.limits.bytes {
            file = self.rotate(&path, &lines)?;
        }
        file.write_all(&lines.bytes).map_err(|why| file_error(&path, why))?;
        self.written.extend(lines.written);
        let found = file.metadata().map_err(|why| file_error(&path, why))?;
        self.known = lines.tail.map(|tail| KnownEnd { file, identity: FileIdentity::of(&found), tail });
        Ok(())
    }

    fn rotate(&self, path: &Path, lines: &Lines) -> Result<File, AuditError> {
        let full = self.place.full(lines.first_seq.saturating_sub(1));
        fs::rename(path, &full).map_err(|why| file_error(&full, why))?;
        let file = open(path, private_file::options().read(true).append(true).create(true))?;
        let files = self.place.full_files().map_err(|why| file_error(path, why))?;
        let kept = usize::try_from(self.limits.files).unwrap_or(usize::MAX).max(1) - 1;
        for old in files.iter().take(files.len().saturating_sub(kept)) {
            fs::remove_file(old).map_err(|why| file_error(old, why))?;
        }
        Ok(file)
    }
}

/// Lines that are written together.
struct Lines {
    bytes: Vec<u8>,
    tail: Option<Tail>,
    first_seq: u64,
    /// True if they have to be written to the file that they were created for.
    is_tied: bool,
    at: String,
    written: Vec<WrittenRecord>,
}

impl Lines {
    /// Creates lines to append to the end of a file. Torn lines at that end are recorded first.
    fn behind(end: FileEnd) -> Self {
        let first_seq = end.tail.as_ref().map_or(0, Tail::next_seq);
        let bytes = if end.is_open { b"\n".to_vec() } else { Vec::new() };
        let at = format!("{:.6}", Timestamp::now());
        let is_tied = end.is_open || end.torn.is_some();
        let mut lines = Lines { bytes, tail: end.tail, first_seq, is_tied, at, written: Vec::new() };
        if let Some(torn) = end.torn {
            // INVARIANT: a record consists of texts and numbers, which JSON can represent.
            let _ = lines.add(RecordBody::Torn(torn));
        }
        lines
    }

    fn next_seq(&self) -> u64 {
        self.tail.as_ref().map_or(0, Tail::next_seq)
    }

    fn begin(&mut self) -> Result<(), AuditError> {
        self.add(RecordBody::Begin { machine: machine() })
    }

    fn add(&mut self, body: RecordBody) -> Result<(), AuditError> {
        let (log, previous) = match &self.tail {
            Some(tail) => (tail.log.clone(), tail.hash.clone()),
            None => (log_id()?, GENESIS.to_owned()),
        };
        let (seq, pid) = (self.next_seq(), std::process::id());
        let record = AuditRecord { version: VERSION, log, seq, previous, at: self.at.clone(), pid, body };
        let start = self.bytes.len();
        serde_json::to_writer(&mut self.bytes, &record)
            .map_err(|why| AuditError::File { path: PathBuf::new(), why: why.into() })?;
        let hash = digest(&self.bytes[start..]);
        self.tail = Some(Tail { log: record.log.clone(), seq, hash: hash.clone() });
        self.written.push(WrittenRecord { record, hash });
        self.bytes.push(b'\n');
        Ok(())
    }

    /// Adds a statement about the last record; `None` if there is no record.
    fn sign(&mut self, key: &SigningKey) -> Result<Option<Checkpoint>, AuditError> {
        let Some(tail) = &self.tail else { return Ok(None) };
        let statement = Checkpoint::sign(key, &tail.log, tail.seq, &tail.hash, &self.at);
        self.add(RecordBody::Checkpoint(statement.clone()))?;
        Ok(Some(statement))
    }
}

/// The identity and the length of a file.
#[derive(Debug, PartialEq, Eq)]
struct FileIdentity {
    id: (u64, u64),
    length: u64,
}

impl FileIdentity {
    #[cfg(unix)]
    fn of(found: &Metadata) -> Self {
        use std::os::unix::fs::MetadataExt as _;
        FileIdentity { id: (found.dev(), found.ino()), length: found.len() }
    }

    /// Returns an identity that equals no other: a file of the same length may be another one.
    #[cfg(not(unix))]
    fn of(found: &Metadata) -> Self {
        use std::sync::atomic::{AtomicU64, Ordering};
        static NEXT: AtomicU64 = AtomicU64::new(0);
        FileIdentity { id: (NEXT.fetch_add(1, Ordering::Relaxed), 0), length: found.len() }
    }
}

/// Returns the pauses between attempts to lock: a record takes microseconds, and a stopped process may hold the lock.
fn pauses() -> impl Iterator<Item = Duration> {
    let short = std::iter::repeat_n(Duration::from_micros(20), 50);
    short.chain(std::iter::repeat_n(Duration::from_millis(2), 1_500))
}

/// Opens a private file, creating its directory if needed.
fn open(path: &Path, options: &mut fs::OpenOptions) -> Result<File, AuditError> {
    let failed = |why| file_error(path, why);
    let file = match options.open(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            private_file::create_parent(path).map_err(failed)?;
            options.open(path).map_err(failed)?
        }
        opened => opened.map_err(failed)?,
    };
    private_file::check(&file)
        .map_err(|why| AuditError::NotPrivate { path: path.to_owned(), why: why.to_string() })?;
    Ok(file)
}

fn file_error(path: &Path, why: io::Error) -> AuditError {
    use io::ErrorKind::{FileTooLarge, QuotaExceeded, StorageFull, WriteZero};
    let path = path.to_owned();
    let is_full = matches!(why.kind(), StorageFull | QuotaExceeded | FileTooLarge | WriteZero);
    if is_full { AuditError::Full { path } } else { AuditError::File { path, why } }
}

fn log_id() -> Result<String, KeyError> {
    let mut id = [0; 16];
    getrandom::fill(&mut id).map_err(|error| KeyError::NoRandomness(error.to_string()))?;
    Ok(hex(&id))
}

#[cfg(unix)]
fn machine() -> String {
    rustix::system::uname().nodename().to_string_lossy().into_owned()
}

#[cfg(not(unix))]
fn machine() -> String {
    String::new()
}

#[cfg(all(test, unix))]
mod tests;
