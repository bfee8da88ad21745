//! Files for the parts of an answer over the limits.
//!
//! INVARIANT: a file is new, only the user may read it, and it is complete or does not exist.

use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use becket_base::private_file;

/// A part that could neither be shown to a model nor stored in a file.
#[derive(Debug, thiserror::Error)]
pub enum SpillError {
    /// The file could not be written; no part of it remains.
    #[error("can't write `{path}`: {source}; check that its directory is writable and not full")]
    Write {
        /// The file.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
    /// The data is not base64.
    #[error("{what} is not base64, as the protocol wants it")]
    NotBase64 {
        /// The part.
        what: String,
    },
    /// The answer exceeds the limit on files.
    #[error("{what} has {bytes} bytes, more than the {left} that may still be written for this answer")]
    TooMuch {
        /// The part.
        what: String,
        /// The size of the part.
        bytes: usize,
        /// The number of remaining bytes.
        left: usize,
    },
    /// The answer exceeds the limit on parts.
    #[error("{left_out} more parts that are not text; an answer may have {most}")]
    TooMany {
        /// The number of parts that were not processed.
        left_out: usize,
        /// The number of parts that were processed.
        most: usize,
    },
}

/// The limit on attempts to find a free file name.
const TRIES: u64 = 1_000;
/// The counter for the files of this process.
static MADE: AtomicU64 = AtomicU64::new(0);

/// A writer for the files of one answer, up to their limit.
#[derive(Debug)]
pub(super) struct Spill<'a> {
    dir: &'a Path,
    left: usize,
    pub(super) files: Vec<PathBuf>,
}

impl<'a> Spill<'a> {
    pub(super) fn new(dir: &'a Path, left: usize) -> Self {
        Self { dir, left, files: Vec::new() }
    }

    /// Writes the bytes to a new file with this extension.
    pub(super) fn keep(&mut self, what: &str, ending: &str, bytes: &[u8]) -> Result<&Path, SpillError> {
        let (left, what) = (self.left, what.to_owned());
        if bytes.len() > left {
            return Err(SpillError::TooMuch { what, bytes: bytes.len(), left });
        }
        private_file::create_dir(self.dir)
            .map_err(|source| SpillError::Write { path: self.dir.into(), source })?;
        let path = kept(self.dir, ending, |file| file.write_all(bytes))?;
        self.left -= bytes.len();
        self.files.push(path);
        // INVARIANT: it was inserted just now.
        Ok(self.files.last().map_or(self.dir, PathBuf::as_path))
    }
}

/// Creates and fills a new file; if that fails, it is removed.
pub(super) fn kept(
    dir: &Path,
    ending: &str,
    fill: impl FnOnce(&mut File) -> io::Result<()>,
) -> Result<PathBuf, SpillError> {
    let (path, mut file) = new_file(dir, ending)?;
    let filled = fill(&mut file).and_then(|()| file.flush());
    drop(file);
    filled.map_err(|source| {
        // A file that can't be written may still be removed; if not, the error names it.
        let _ = std::fs::remove_file(&path);
        SpillError::Write { path: path.clone(), source }
    })?;
    Ok(path)
}

fn new_file(dir: &Path, ending: &str) -> Result<(PathBuf, File), SpillError> {
    let process = std::process::id();
    let mut tries = 0;
    loop {
        let number = MADE.fetch_add(1, Ordering::Relaxed);
        let path = dir.join(format!("mcp-{process}-{number}.{ending}"));
        match private_file::create_new(&path) {
            Ok(file) => return Ok((path, file)),
            // A file of an earlier process with this id.
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists && tries < TRIES => tries += 1,
            Err(source) => return Err(SpillError::Write { path, source }),
        }
    }
}
