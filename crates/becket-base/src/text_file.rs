//! Files with a size limit; pipes and devices are rejected.

use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, ErrorKind, Read};
use std::path::{Path, PathBuf};

/// The maximum size of a text, in bytes; a hook input that contains a large file fits.
pub const LIMIT: u64 = 64 * 1024 * 1024;

/// The reason why a file can't be read as text.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Unread {
    /// The operating system denies access.
    #[error("`{}` can't be read: {why}", path.display())]
    Refused {
        /// The file.
        path: PathBuf,
        /// The system's error.
        why: String,
    },
    /// The path is not a file.
    #[error("`{}` is {what}, not a file", path.display())]
    NotAFile {
        /// The path.
        path: PathBuf,
        /// The kind of file.
        what: &'static str,
    },
    /// The file is larger than the limit.
    #[error("`{}` is larger than {} MiB", path.display(), limit / (1024 * 1024))]
    TooLarge {
        /// The file.
        path: PathBuf,
        /// The limit, in bytes.
        limit: u64,
    },
    /// The file is not text.
    #[error("`{}` is not UTF-8 from byte {at} on", path.display())]
    NotUtf8 {
        /// The file.
        path: PathBuf,
        /// The first invalid byte, from 0.
        at: usize,
    },
}

/// Opens a file for reading. Neither a pipe nor a device is opened, so that nothing is waited for.
///
/// # Errors
/// Errors if the path is not a regular file, or can't be opened.
pub fn open(path: &Path) -> io::Result<File> {
    open_regular(path)?
        .map_err(|what| io::Error::new(ErrorKind::InvalidInput, format!("it is {what}, not a file")))
}

/// Opens a file; returns the kind of a path that is not a regular file.
fn open_regular(path: &Path) -> io::Result<Result<File, &'static str>> {
    if let Some(what) = special_kind(&fs::metadata(path)?) {
        return Ok(Err(what));
    }
    // The file may have been replaced since.
    let file = options().open(path)?;
    Ok(special_kind(&file.metadata()?).map_or(Ok(file), Err))
}

/// Returns the kind of a path that is not a regular file.
fn special_kind(metadata: &Metadata) -> Option<&'static str> {
    match (metadata.is_file(), metadata.is_dir()) {
        (true, _) => None,
        (false, true) => Some("a directory"),
        (false, false) => Some("a pipe, a socket or a device"),
    }
}

/// Returns options with which opening a pipe does not wait for its other end.
fn options() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.read(true);
    #[cfg(all(unix, feature = "files"))]
    {
        use rustix::fs::OFlags;
        use std::os::unix::fs::OpenOptionsExt as _;
        options.custom_flags((OFlags::NONBLOCK | OFlags::NOCTTY).bits().cast_signed());
    }
    options
}

/// Returns the text of a file of at most [`LIMIT`] bytes.
///
/// # Errors
/// Errors if the path is not a file, or if the file is too large, not UTF-8 or unreadable.
pub fn read(path: &Path) -> Result<String, Unread> {
    read_within(path, LIMIT)
}

/// Returns the text of a file of at most `limit` bytes.
///
/// # Errors
/// See [`read`].
pub fn read_within(path: &Path, limit: u64) -> Result<String, Unread> {
    let refused = |error: io::Error| Unread::Refused { path: path.to_owned(), why: error.to_string() };
    let file = open_regular(path)
        .map_err(refused)?
        .map_err(|what| Unread::NotAFile { path: path.to_owned(), what })?;
    let mut bytes = Vec::new();
    file.take(limit.saturating_add(1)).read_to_end(&mut bytes).map_err(refused)?;
    if bytes.len() as u64 > limit {
        return Err(Unread::TooLarge { path: path.to_owned(), limit });
    }
    String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        Unread::NotUtf8 { path: path.to_owned(), at }
    })
}

/// Returns the text of a file that may not exist.
///
/// # Errors
/// Errors if the file exists and can't be read.
pub fn read_if_there(path: &Path) -> Result<Option<String>, Unread> {
    match fs::metadata(path) {
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => Ok(None),
        Ok(_) | Err(_) => read(path).map(Some),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_regular_files_within_their_limit_are_read() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("file");
        fs::write(&path, "four").unwrap();
        assert_eq!(read_within(&path, 4).unwrap(), "four");
        assert_eq!(read_within(&path, 3), Err(Unread::TooLarge { path: path.clone(), limit: 3 }));
        fs::write(&path, b"a\xff").unwrap();
        assert_eq!(read(&path), Err(Unread::NotUtf8 { path, at: 1 }));
        let of_directory = open(directory.path()).unwrap_err().to_string();
        assert_eq!(of_directory, "it is a directory, not a file");
    }

    #[cfg(all(unix, feature = "files"))]
    #[test]
    fn a_pipe_is_an_error_instead_of_a_wait() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("pipe");
        let made = std::process::Command::new("mkfifo").arg(&path).status().unwrap();
        assert!(made.success());
        let why = open(&path).unwrap_err().to_string();
        assert_eq!(why, "it is a pipe, a socket or a device, not a file");
        assert!(matches!(read(&path), Err(Unread::NotAFile { what: "a pipe, a socket or a device", .. })));
        // A pipe that takes the place of a file after the first look is opened without a wait as well.
        let opened = options().open(&path).unwrap();
        assert!(special_kind(&opened.metadata().unwrap()).is_some());
    }
}
