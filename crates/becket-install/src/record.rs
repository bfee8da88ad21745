//! The record of registrations: for each file, what was added to it and what it was before.
//!
//! Entries are recognised by their marker as well, so a lost record costs only the exact form of what was empty before.

use crate::agent::Scope;
use crate::document::Insertion;
use becket_base::file_lock;
use becket_base::private_file;
use becket_base::text::hex;
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
    /// Set if the file was there before.
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
    /// Returns the content before the registration, if `now` is what was written.
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

/// The reason for which the record can't be used.
#[derive(Debug, thiserror::Error)]
pub enum RecordError {
    /// It can't be read or written.
    #[error("the record `{}` can't be used: {why}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// The cause.
        why: io::Error,
    },
    /// It is not what Becket writes.
    #[error("the record `{}` is broken: {why}; move it away, entries are recognised without it", path.display())]
    Broken {
        /// The file.
        path: PathBuf,
        /// The cause.
        why: String,
    },
    /// Another process installs.
    #[error("another `becket install` is running; try again when it has ended")]
    Busy,
}

#[derive(Debug, Default, Serialize, Deserialize)]
struct RecordFile {
    version: u32,
    files: Vec<FileRecord>,
}

const VERSION: u32 = 1;

/// The records of a user, in one private file.
#[derive(Debug)]
pub struct Records {
    path: PathBuf,
    files: Vec<FileRecord>,
    /// Held as long as records may be written.
    _lock: Option<File>,
}

impl Records {
    /// Reads the records in a directory without a lock; nothing can be written.
    ///
    /// # Errors
    /// See [`RecordError`].
    pub fn read(directory: &Path) -> Result<Self, RecordError> {
        let path = directory.join("installed.json");
        let failed = |why| RecordError::Io { path: path.clone(), why };
        let text = match fs::read_to_string(&path) {
            Err(error) if error.kind() == ErrorKind::NotFound => String::new(),
            other => other.map_err(failed)?,
        };
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
        Ok(Records { path, files: kept.files, _lock: None })
    }

    /// Reads the records, and excludes other processes until they are dropped.
    ///
    /// # Errors
    /// See [`RecordError`].
    pub fn open(directory: &Path) -> Result<Self, RecordError> {
        let path = directory.join("installed.lock");
        let failed = |why| RecordError::Io { path: path.clone(), why };
        let is_busy = |why: &std::io::Error| why.kind() == ErrorKind::WouldBlock;
        let file = file_lock::lock_private(&path)
            .map_err(|why| if is_busy(&why) { RecordError::Busy } else { failed(why) })?;
        let records = Records::read(directory)?;
        private_file::remove_left_over(&records.path);
        Ok(Records { _lock: Some(file), ..records })
    }

    /// Returns all records.
    pub fn files(&self) -> &[FileRecord] {
        &self.files
    }

    /// Returns the record of a file.
    pub fn of(&self, path: &Path) -> Option<&FileRecord> {
        self.files.iter().find(|record| record.path == path)
    }

    /// Gives directories that still exist to the record of another file below them, which removes them at its end.
    pub(crate) fn hand_over(&mut self, path: &Path, directories: &[PathBuf]) {
        for directory in directories.iter().rev().filter(|directory| directory.exists()) {
            let others = self.files.iter_mut().filter(|record| record.path != path);
            let heir = others.into_iter().find(|record| record.path.starts_with(directory));
            if let Some(heir) = heir.filter(|heir| !heir.directories.contains(directory)) {
                heir.directories.insert(0, directory.clone());
            }
        }
    }

    /// Keeps a record, or forgets that of a file for `None`.
    ///
    /// # Errors
    /// It can't be written.
    pub fn set(&mut self, path: &Path, record: Option<FileRecord>) -> Result<(), RecordError> {
        if self.of(path) == record.as_ref() {
            return Ok(());
        }
        self.files.retain(|known| known.path != path);
        self.files.extend(record);
        let kept = RecordFile { version: VERSION, files: self.files.clone() };
        let text = serde_json::to_string_pretty(&kept).map_err(io::Error::other);
        let written = text.and_then(|text| private_file::replace(&self.path, format!("{text}\n").as_bytes()));
        written.map_err(|why| RecordError::Io { path: self.path.clone(), why })
    }
}
