//! Reads one settings file, and only regular files.
//!
//! Directories, pipes, sockets and devices are errors, and so is a file above a size that no settings file has; reading
//! never waits for another process. A path that leads nowhere is not an error: there is no such layer.

use std::fs::{File, Metadata};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// The largest settings file that is read, in bytes.
pub const MAX_FILE: u64 = 16 * 1024 * 1024;

/// The reason why a file was not read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ReadError {
    /// The path leads to something that is not a file.
    #[error("it is {what}, not a file")]
    NotAFile {
        /// The type of the file.
        what: &'static str,
    },
    /// The path, or the directory above it, is a link whose target does not exist.
    #[error("it leads to a file or directory that does not exist: correct the link, or remove it")]
    BrokenLink,
    /// The file is larger than [`MAX_FILE`].
    #[error("it is larger than {} MiB, which no settings file is", MAX_FILE / (1024 * 1024))]
    TooLarge,
    /// The text is not UTF-8.
    #[error("it is not UTF-8 from byte {at} on; save it as UTF-8")]
    NotUtf8 {
        /// The first invalid byte, from 0.
        at: usize,
    },
    /// The path has symbolic links that lead in a circle.
    #[error("its symbolic links lead in a circle")]
    LinkLoop,
    /// The program that prints managed settings gave no answer (C4).
    #[error("the program printed no settings: {why}")]
    NoPolicy {
        /// The reason.
        why: String,
    },
    /// The operating system refused.
    #[error("{why}")]
    Refused {
        /// The message of the system.
        why: String,
    },
}

/// Returns the text of a file, or `None` if there is no file.
///
/// # Errors
/// [`ReadError`] if the path leads to something that can't be read as text.
pub fn text(path: &Path) -> Result<Option<String>, ReadError> {
    let Some(bytes) = bytes(path, MAX_FILE)? else {
        return Ok(None);
    };
    match String::from_utf8(bytes) {
        Ok(text) => Ok(Some(text)),
        Err(error) => Err(ReadError::NotUtf8 { at: error.utf8_error().valid_up_to() }),
    }
}

/// Returns the bytes of a file of at most `cap` bytes, or `None` if there is no file.
///
/// # Errors
/// Errors in the same cases as [`text`].
pub(crate) fn bytes(path: &Path, cap: u64) -> Result<Option<Vec<u8>>, ReadError> {
    match std::fs::metadata(path) {
        Ok(metadata) => refuse_odd(&metadata, cap)?,
        Err(error) if is_absent(&error) && !is_broken_link(path) => return Ok(None),
        Err(error) if is_absent(&error) => {
            return Err(ReadError::BrokenLink);
        }
        Err(error) => return Err(refused(&error)),
    }
    let file = match open(path) {
        Ok(file) => file,
        Err(error) if is_absent(&error) => return Ok(None),
        Err(error) => return Err(refused(&error)),
    };
    // The file that was opened may not be the one that was checked.
    refuse_odd(&file.metadata().map_err(|error| refused(&error))?, cap)?;
    let mut bytes = Vec::new();
    file.take(cap + 1).read_to_end(&mut bytes).map_err(|error| refused(&error))?;
    if bytes.len() as u64 > cap {
        return Err(ReadError::TooLarge);
    }
    Ok(Some(bytes))
}

fn is_absent(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

/// Returns the entries of a directory, sorted; none if there is no such directory.
///
/// # Errors
/// [`ReadError`] if there is something at the path whose entries can't be read, a link that leads nowhere included.
pub(crate) fn entries(directory: &Path) -> Result<Vec<PathBuf>, ReadError> {
    let found = match std::fs::read_dir(directory) {
        Ok(found) => found,
        Err(error) if error.kind() == io::ErrorKind::NotFound && !directory.is_symlink() => {
            return Ok(Vec::new());
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Err(ReadError::BrokenLink),
        Err(error) => return Err(refused(&error)),
    };
    let paths = found.map(|entry| Ok(entry.map_err(|error| refused(&error))?.path()));
    let mut paths = paths.collect::<Result<Vec<_>, ReadError>>()?;
    paths.sort();
    Ok(paths)
}

/// Returns true if a path, or the directory above it, is a link whose target does not exist.
fn is_broken_link(path: &Path) -> bool {
    [Some(path), path.parent()].into_iter().flatten().any(|path| path.is_symlink() && !path.exists())
}

fn refused(error: &io::Error) -> ReadError {
    // Links that lead in a circle have no stable `ErrorKind`.
    if is_link_loop(error) { ReadError::LinkLoop } else { ReadError::Refused { why: error.to_string() } }
}

#[cfg(unix)]
fn is_link_loop(error: &io::Error) -> bool {
    error.raw_os_error() == Some(rustix::io::Errno::LOOP.raw_os_error())
}

#[cfg(not(unix))]
fn is_link_loop(_: &io::Error) -> bool {
    false
}

fn refuse_odd(metadata: &Metadata, cap: u64) -> Result<(), ReadError> {
    if metadata.is_dir() {
        return Err(ReadError::NotAFile { what: "a directory" });
    }
    if !metadata.is_file() {
        return Err(ReadError::NotAFile { what: "a pipe, a socket or a device" });
    }
    if metadata.len() > cap {
        return Err(ReadError::TooLarge);
    }
    Ok(())
}

#[cfg(unix)]
fn open(path: &Path) -> io::Result<File> {
    use rustix::fs::{Mode, OFlags};
    // Without NONBLOCK a pipe in place of the file would make the open wait for a writer.
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::CLOEXEC;
    Ok(File::from(rustix::fs::open(path, flags, Mode::empty())?))
}

#[cfg(not(unix))]
fn open(path: &Path) -> io::Result<File> {
    File::open(path)
}
