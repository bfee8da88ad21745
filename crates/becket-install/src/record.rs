//! The record of registrations: for each file, the additions and the earlier content.
//!
//! Entries are also recognised by their form, so a lost record costs only the exact layout of parts that were empty
//! before.

use crate::agent::Scope;
use crate::document::Insertion;
use becket_base::file_lock;
use becket_base::on_disk;
use becket_base::private_file;
use becket_base::text::hex;
use becket_base::text_file;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::fs::{self, File};
use std::io::{self, ErrorKind};
use std::ops::Range;
use std::path::{Path, PathBuf};

/// The registration in one file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileRecord {
    /// The file.
    pub path: PathBuf,
    /// The agent.
    pub agent: String,
    /// The scope.
    pub scope: Scope,
    /// Set if the file existed before.
    pub existed: bool,
    /// The digest of the content that was written.
    pub digest: String,
    /// The parts of the content that were inserted.
    pub inserted: Vec<Range<usize>>,
    /// The texts of these parts, by which they are found if the file is edited.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub insertions: Vec<Insertion>,
    /// The objects and lists that were created, as paths of keys.
    pub created: Vec<Vec<String>>,
    /// The directories that were created, the outermost first.
    pub directories: Vec<PathBuf>,
}

impl FileRecord {
    /// Returns true if it is the record of this file, whose name may lead through links.
    fn is_of(&self, path: &Path) -> bool {
        self.path == path || on_disk(&self.path) == on_disk(path)
    }

    /// Returns the content before the registration, if `now` is the content that was written.
    pub fn original(&self, now: &[u8]) -> Option<Vec<u8>> {
        if digest(now) != self.digest {
            return None;
        }
        let mut original = Vec::with_capacity(now.len());
        let mut from = 0;
        for range in &self.inserted {
            original.extend_from_slice(now.get(from..range.start)?);
            from = range.end;
        }
        original.extend_from_slice(now.get(from..)?);
        Some(original)
    }
}

/// Returns the digest of a content.
pub(crate) fn digest(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

/// The reason why the record can't be used.
#[derive(Debug, thiserror::Error)]
pub enum RecordError {
    /// The record can't be read or written.
    #[error("the record `{}` can't be used: {why}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// The cause.
        why: io::Error,
    },
    /// The record was not written by Becket.
    #[error("the record `{}` is broken: {why}; move it away, entries are recognised without it", path.display())]
    Broken {
        /// The file.
        path: PathBuf,
        /// The cause.
        why: String,
    },
    /// Another process is installing.
    #[error("another `becket install` is running; try again when it has ended")]
    Busy,
}

#[derive(Debug, Default, Serialize, Deserialize)]
struct RecordFile {
    version: u32,
    files: Vec<FileRecord>,
    /// The directories that were created for the record itself, the outermost first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    directories: Vec<PathBuf>,
}

const VERSION: u32 = 1;

/// The records of a user, in one private file. Without a record there is no file, and no lock.
#[derive(Debug)]
pub struct Records {
    path: PathBuf,
    files: Vec<FileRecord>,
    directories: Vec<PathBuf>,
    /// The lock, which exists as long as records may be written.
    lock: Option<RecordLock>,
}

#[derive(Debug)]
struct RecordLock {
    path: PathBuf,
    _file: File,
}

impl Records {
    /// Reads the records in a directory without a lock; nothing can be written.
    ///
    /// # Errors
    /// See [`RecordError`].
    pub fn read(directory: &Path) -> Result<Self, RecordError> {
        let path = directory.join("installed.json");
        let failed = |why| RecordError::Io { path: path.clone(), why };
        let text = text_file::read_if_there(&path).map_err(|why| failed(io::Error::other(why)))?;
        let text = text.unwrap_or_default();
        let broken = |why: String| RecordError::Broken { path: path.clone(), why };
        let kept: RecordFile = match text.is_empty() {
            true => RecordFile::default(),
            false => serde_json::from_str(&text).map_err(|error| broken(error.to_string()))?,
        };
        if kept.version > VERSION {
            return Err(broken(format!(
                "it is of version {}, and this becket knows {VERSION}",
                kept.version
            )));
        }
        Ok(Records { path, files: kept.files, directories: kept.directories, lock: None })
    }

    /// Reads the records, and excludes other processes until they are dropped.
    ///
    /// # Errors
    /// See [`RecordError`].
    pub fn open(directory: &Path) -> Result<Self, RecordError> {
        let path = directory.join("installed.lock");
        let failed = |why| RecordError::Io { path: path.clone(), why };
        let is_busy = |why: &std::io::Error| why.kind() == ErrorKind::WouldBlock;
        let missing = directory.ancestors().take_while(|directory| !directory.exists());
        let mut missing: Vec<PathBuf> = missing.map(Path::to_owned).collect();
        missing.reverse();
        let file = file_lock::lock_private(&path)
            .map_err(|why| if is_busy(&why) { RecordError::Busy } else { failed(why) })?;
        let mut records = Records::read(directory)?;
        private_file::remove_left_over(&records.path);
        records.directories.extend(missing);
        records.lock = Some(RecordLock { path, _file: file });
        Ok(records)
    }

    /// Returns all records.
    pub fn files(&self) -> &[FileRecord] {
        &self.files
    }

    /// Returns the record of a file, under whatever name it was reached.
    pub fn of(&self, path: &Path) -> Option<&FileRecord> {
        let exact = self.files.iter().find(|record| record.path == path);
        exact.or_else(|| self.files.iter().find(|record| record.is_of(path)))
    }

    /// Returns the record of a file that no longer exists and had this content, as if it were that of `path`.
    pub(crate) fn moved_to(&self, path: &Path, bytes: &[u8]) -> Option<FileRecord> {
        let digest = digest(bytes);
        let is_moved = |record: &&FileRecord| {
            record.digest == digest && record.path.file_name() == path.file_name() && !record.path.exists()
        };
        let moved = self.files.iter().find(is_moved)?;
        let places = moved.path.ancestors().zip(path.ancestors());
        let places = places.take_while(|(old, new)| old.file_name() == new.file_name());
        let directories =
            places.filter(|(old, _)| moved.directories.iter().any(|directory| directory == old));
        let mut directories: Vec<PathBuf> = directories.map(|(_, new)| new.to_owned()).collect();
        directories.reverse();
        Some(FileRecord { path: path.to_owned(), directories, ..moved.clone() })
    }

    /// Moves directories that still exist to the record of another file below them, which removes them at its end.
    pub(crate) fn hand_over(&mut self, path: &Path, directories: &[PathBuf]) {
        for directory in directories.iter().rev().filter(|directory| directory.exists()) {
            let others = self.files.iter_mut().filter(|record| record.path != path);
            let heir = others.into_iter().find(|record| record.path.starts_with(directory));
            if let Some(heir) = heir.filter(|heir| !heir.directories.contains(directory)) {
                heir.directories.insert(0, directory.clone());
            }
        }
    }

    /// Stores a record, or removes that of a file for `None`.
    ///
    /// # Errors
    /// Errors if the record can't be written.
    pub fn set(&mut self, path: &Path, record: Option<FileRecord>) -> Result<(), RecordError> {
        if self.of(path) == record.as_ref() {
            return Ok(());
        }
        self.files.retain(|known| !known.is_of(path));
        self.files.extend(record);
        if self.files.is_empty() {
            return self.remove().map_err(|why| RecordError::Io { path: self.path.clone(), why });
        }
        let kept =
            RecordFile { version: VERSION, files: self.files.clone(), directories: self.directories.clone() };
        let text = serde_json::to_string_pretty(&kept).map_err(io::Error::other);
        let written = text.and_then(|text| private_file::replace(&self.path, format!("{text}\n").as_bytes()));
        written.map_err(|why| RecordError::Io { path: self.path.clone(), why })
    }

    fn remove(&self) -> io::Result<()> {
        match fs::remove_file(&self.path) {
            Err(error) if error.kind() != ErrorKind::NotFound => Err(error),
            Ok(()) | Err(_) => Ok(()),
        }
    }
}

impl Drop for Records {
    /// Removes the lock and the directories that were created for the record, if there is nothing left to record.
    fn drop(&mut self) {
        let Some(lock) = self.lock.as_ref().filter(|_| self.files.is_empty()) else { return };
        // There is no caller to report to, and an empty file that stays is harmless.
        let _ = self.remove();
        let _ = fs::remove_file(&lock.path);
        // The directory of the record may be left of a run that was killed.
        let own = self.path.parent().filter(|own| self.directories.last().is_none_or(|last| last != own));
        for directory in own.into_iter().chain(self.directories.iter().rev().map(PathBuf::as_path)) {
            // A directory that contains anything else stays.
            let _ = fs::remove_dir(directory);
        }
    }
}
