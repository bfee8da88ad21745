//! Files with a size limit; pipes and devices are rejected.

use std::fs::File;
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};

/// The maximum size of a text, in bytes; a hook input that contains a large file fits.
pub const LIMIT: u64 = 64 * 1024 * 1024;

/// The reason why a file has no text.
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
    /// It is not a file.
    #[error("`{}` is {what}, not a file", path.display())]
    NotAFile {
        /// The path.
        path: PathBuf,
        /// The kind of file.
        what: &'static str,
    },
    /// It is larger than [`LIMIT`].
    #[error("`{}` is larger than {} MiB", path.display(), LIMIT / (1024 * 1024))]
    TooLarge {
        /// The file.
        path: PathBuf,
    },
    /// It is not text.
    #[error("`{}` is not UTF-8 from byte {at} on", path.display())]
    NotUtf8 {
        /// The file.
        path: PathBuf,
        /// The first invalid byte, from 0.
        at: usize,
    },
}

/// Returns the text of a file.
///
/// # Errors
/// Errors if it is not a file, too large, not UTF-8 or unreadable.
pub fn read(path: &Path) -> Result<String, Unread> {
    let refused = |error: std::io::Error| Unread::Refused { path: path.to_owned(), why: error.to_string() };
    let metadata = std::fs::metadata(path).map_err(refused)?;
    if metadata.is_dir() {
        return Err(Unread::NotAFile { path: path.to_owned(), what: "a directory" });
    }
    if !metadata.is_file() {
        return Err(Unread::NotAFile { path: path.to_owned(), what: "a pipe, a socket or a device" });
    }
    let mut bytes = Vec::new();
    File::open(path).and_then(|file| file.take(LIMIT + 1).read_to_end(&mut bytes)).map_err(refused)?;
    if bytes.len() as u64 > LIMIT {
        return Err(Unread::TooLarge { path: path.to_owned() });
    }
    String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        Unread::NotUtf8 { path: path.to_owned(), at }
    })
}

/// Returns the text of a file that may not exist.
///
/// # Errors
/// Errors if it exists and can't be read.
pub fn read_if_there(path: &Path) -> Result<Option<String>, Unread> {
    match std::fs::metadata(path) {
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => Ok(None),
        Ok(_) | Err(_) => read(path).map(Some),
    }
}
