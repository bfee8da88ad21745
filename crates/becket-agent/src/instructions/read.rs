//! Reads an instruction file, which must be text.

use becket_tools::opened_file::{self, OpenedFile};
use std::io::{self, Read};
use std::path::Path;

/// The maximum size of a file, in bytes. A larger one is left out entirely: half of it could mean the opposite.
pub(super) const LARGEST: u64 = 128 << 10;

/// The reason why a file is not loaded, worded for the user.
#[derive(Debug, thiserror::Error)]
pub(super) enum ReadError {
    #[error("it is a directory")]
    Directory,
    #[error("it is a pipe, a socket or a device")]
    Special,
    #[error("it is larger than {} KiB: split it up", LARGEST >> 10)]
    TooLarge,
    #[error("it holds a zero byte, so it is not text")]
    NoText,
    #[error("it can't be read: {0}")]
    Io(#[from] io::Error),
}

/// The text of a file.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Text {
    pub(super) text: String,
    /// The position of the first byte that is not UTF-8, if any: replacement characters mark what can't be read.
    pub(super) broken_at: Option<usize>,
}

/// Returns the text of the file at `path`.
pub(super) fn text_of(path: &Path) -> Result<Text, ReadError> {
    let file = match opened_file::open(path)? {
        OpenedFile::Regular(file) => file,
        OpenedFile::Directory => return Err(ReadError::Directory),
        OpenedFile::Special => return Err(ReadError::Special),
    };
    let mut bytes = Vec::new();
    file.take(LARGEST + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > LARGEST {
        return Err(ReadError::TooLarge);
    }
    if bytes.contains(&0) {
        return Err(ReadError::NoText);
    }
    let (text, broken_at) = match String::from_utf8(bytes) {
        Ok(text) => (text, None),
        Err(error) => {
            let at = error.utf8_error().valid_up_to();
            (String::from_utf8_lossy(error.as_bytes()).into_owned(), Some(at))
        }
    };
    let text = text.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(text);
    Ok(Text { text, broken_at })
}
