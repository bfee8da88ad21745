//! Errors of token stores.

use std::path::PathBuf;
use std::sync::Arc;

use super::KeyringError;
use crate::auth::private::FileError;

/// An error of a token store. Its content is unchanged.
#[derive(Debug, Clone, thiserror::Error)]
pub enum StoreError {
    /// The file, or its lock.
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
        /// The column, likewise.
        column: usize,
    },
    /// A newer version of this program wrote it.
    #[error("the file of tokens `{}` has the format {found}, and {known} is the newest known here: update this program", path.display())]
    Newer {
        /// The file.
        path: PathBuf,
        /// Its format.
        found: u64,
        /// The newest one that is known here.
        known: u64,
    },
    /// The keyring of the system.
    #[error("the tokens can't be used: {0}")]
    Keyring(#[from] KeyringError),
    /// Another kind of store, with its message.
    #[error("the tokens can't be used: {0}")]
    Other(Arc<str>),
}
