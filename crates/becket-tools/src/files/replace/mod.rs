//! A file's content, read as a whole and replaced as a whole.
//!
//! - New content is written beside the file and then renamed over it: no reader ever sees half of it. The file keeps
//!   its owner and its mode. If that is not possible (another owner's file, extended attributes, a directory that is
//!   not writable), its bytes are overwritten in place instead, unless it has other names, too.
//! - A link is followed: its target is replaced, and the link stays. A dangling link is rejected, and so are
//!   directories, devices, pipes, and a file that may not be written to.
//! - A file with several names gets its new content only under this one.
//!
//! It does not decide whether a file may be written: that was decided before.

#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

#[cfg(unix)]
use unix as platform;
#[cfg(windows)]
use windows as platform;

use crate::blocking::{BlockingError, Stop, StoppableReader};
use crate::opened_file::{self, OpenedFile};
use crate::places;
use becket_base::private_file::{self, Replacement};
use std::fs::{self, Metadata, OpenOptions};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

/// The maximum size of a file that is read, in bytes.
const MOST: u64 = 16 << 20;

/// The current state of a file, or the path of one that does not exist yet.
#[derive(Debug)]
pub(crate) struct Current {
    /// The real path.
    pub(crate) path: PathBuf,
    /// The file; `None` if it does not exist yet.
    pub(crate) file: Option<ExistingFile>,
}

/// The content of a file.
#[derive(Debug)]
pub(crate) struct ExistingFile {
    pub(crate) content: Vec<u8>,
    metadata: Metadata,
}

/// The reason why a file was not replaced, for the model.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ReplaceError {
    #[error("`{0}` leads nowhere: it is a link to nothing or in a circle, or a part of it can't be accessed")]
    Nowhere(String),
    #[error("`{0}` is a directory: name a file")]
    Directory(String),
    #[error("`{0}` is a device, a pipe or a socket, which is never written to")]
    Special(String),
    #[error("`{0}` is larger than {most} MiB, which is more than is edited at once: use Bash", most = MOST >> 20)]
    Large(String),
    #[error("`{0}` may not be written to: its mode forbids it")]
    ReadOnly(String),
    #[error("`{0}` changed while it was edited: read it again")]
    Changed(String),
    #[error(
        "`{0}` has other names (hard links) and can't be replaced without losing its owner or its attributes: use Bash"
    )]
    Linked(String),
    #[error("`{path}` can't be {deed}: {source}")]
    Io { path: String, deed: &'static str, source: io::Error },
    #[error("{0}")]
    Halted(#[from] BlockingError),
}

impl Current {
    /// Reads the file at an absolute path.
    pub(crate) fn of(path: &Path, stop: &Stop) -> Result<Self, ReplaceError> {
        let name = || path.display().to_string();
        let real = places::real(path).ok_or_else(|| ReplaceError::Nowhere(name()))?;
        let failed = |source| ReplaceError::Io { path: name(), deed: "read", source };
        let file = match opened_file::open(&real) {
            Ok(OpenedFile::Regular(file)) => file,
            Ok(OpenedFile::Directory) => return Err(ReplaceError::Directory(name())),
            Ok(OpenedFile::Special) => return Err(ReplaceError::Special(name())),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Ok(Self { path: real, file: None });
            }
            Err(source) => return Err(failed(source)),
        };
        let metadata = file.metadata().map_err(failed)?;
        let mut content = Vec::new();
        let read = StoppableReader::new(file, stop).take(MOST + 1).read_to_end(&mut content);
        stop.check()?;
        if read.map_err(failed)? as u64 > MOST {
            return Err(ReplaceError::Large(name()));
        }
        if !platform::may_write(&real) {
            return Err(ReplaceError::ReadOnly(name()));
        }
        Ok(Self { path: real, file: Some(ExistingFile { content, metadata }) })
    }

    /// Replaces the content. Missing directories are created.
    pub(crate) fn replace(&self, content: &[u8], stop: &Stop) -> Result<(), ReplaceError> {
        stop.check()?;
        let failed =
            |source| ReplaceError::Io { path: self.path.display().to_string(), deed: "written", source };
        let directory = self.path.parent().unwrap_or(&self.path);
        fs::create_dir_all(directory).map_err(failed)?;
        // Only its owner may read the new file until it gets the mode of the old one.
        let options = if self.file.is_some() { private_file::options() } else { OpenOptions::new() };
        match (Replacement::beside(&self.path, &options), &self.file) {
            (Ok(mut new), None) => {
                new.write(content).map_err(failed)?;
                self.swap(new, stop)
            }
            (Ok(mut new), Some(existing)) => {
                if !platform::alike(&self.path, &existing.metadata, new.file()).map_err(failed)? {
                    drop(new);
                    return self.overwrite(existing, content, stop);
                }
                new.write(content).map_err(failed)?;
                platform::same_mode(&existing.metadata, new.file()).map_err(failed)?;
                self.swap(new, stop)
            }
            (Err(error), Some(existing)) if error.kind() == io::ErrorKind::PermissionDenied => {
                self.overwrite(existing, content, stop)
            }
            (Err(source), _) => Err(failed(source)),
        }
    }

    /// Checks the file a last time and replaces it.
    fn swap(&self, new: Replacement, stop: &Stop) -> Result<(), ReplaceError> {
        let changed = || ReplaceError::Changed(self.path.display().to_string());
        let now = self.path.symlink_metadata();
        match (&self.file, now) {
            (None, Err(error)) if error.kind() == io::ErrorKind::NotFound => {}
            (Some(existing), Ok(now)) if platform::is_same(&existing.metadata, &now) => {}
            (None | Some(_), Ok(_) | Err(_)) => return Err(changed()),
        }
        stop.check()?;
        new.commit(&self.path).map_err(|source| ReplaceError::Io {
            path: self.path.display().to_string(),
            deed: "written",
            source,
        })
    }

    fn overwrite(&self, existing: &ExistingFile, content: &[u8], stop: &Stop) -> Result<(), ReplaceError> {
        let name = || self.path.display().to_string();
        let failed = |source| ReplaceError::Io { path: name(), deed: "written", source };
        if platform::names(&existing.metadata) > 1 {
            return Err(ReplaceError::Linked(name()));
        }
        let mut file = platform::open_to_overwrite(&self.path).map_err(failed)?;
        if !platform::is_same(&existing.metadata, &file.metadata().map_err(failed)?) {
            return Err(ReplaceError::Changed(name()));
        }
        stop.check()?;
        file.write_all(content).map_err(failed)?;
        file.set_len(content.len() as u64).map_err(failed)?;
        file.sync_all().map_err(failed)
    }
}
