//! Errors of token stores.

use std::path::PathBuf;
use std::sync::Arc;

use super::KeyringError;
use crate::auth::private::FileError;

/// An error of a token store, whose content is unchanged.
#[derive(Debug, Clone, thiserror::Error)]
pub enum StoreError {
    /// The file, or its lock, can't be used.
    #[error("the tokens can't be used: {0}")]
    File(#[from] FileError),
    /// The text is not a token store. It is never overwritten: its content may be needed.
    #[error(
        "the file of tokens `{}` is damaged (line {line}, column {column}): restore it, or move it away and log in again",
        path.display()
    )]
    Damaged {
        /// The file.
        path: PathBuf,
        /// The line of the error, from 1; 0 if unknown.
        line: usize,
        /// The column; 0 if unknown.
        column: usize,
    },
    /// The file was written by a newer version of this program.
    #[error("the file of tokens `{}` has the format {found}, and {known} is the newest known here: update this program", path.display())]
    Newer {
        /// The file.
        path: PathBuf,
        /// The format of the file.
        found: u64,
        /// The newest format that is known here.
        known: u64,
    },
    /// The keyring of the system can't be used.
    #[error("the tokens can't be used: {0}")]
    Keyring(#[from] KeyringError),
    /// Another kind of store failed, with this message.
    #[error("the tokens can't be used: {0}")]
    Other(Arc<str>),
}
