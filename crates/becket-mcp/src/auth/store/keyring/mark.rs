//! A marker file beside the token file, which records that the tokens of a server are in the keyring.
//!
//! The keyring is accessed only if the marker exists: a machine without a keyring, or with a locked one, still works
//! with servers that have no login, and no password prompt appears because of them.
//!
//! INVARIANT: as long as there may be tokens in the keyring, the marker exists.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use crate::auth::key::Key;
use crate::auth::private::{self, FileError};
use crate::auth::remote_text::line;
use crate::auth::store::FileStore;

/// The marker of a server.
#[derive(Debug, Clone)]
pub(super) struct Mark(PathBuf);

impl Mark {
    pub(super) fn of(file: &FileStore, key: &Key) -> Self {
        Self(file.beside(key, "keyring"))
    }

    /// Returns whether the marker exists; its content is only for users.
    pub(super) fn is_set(&self) -> Result<bool, FileError> {
        Ok(private::read(&self.0)?.is_some())
    }

    pub(super) fn set(&self, key: &Key) -> Result<(), FileError> {
        let [server, url] = [key.server(), key.url()].map(line);
        let text = format!("The tokens of `{server}` ({url}) are in the keyring of this system.\n");
        private::replace(&self.0, text.as_bytes())
    }

    pub(super) fn clear(&self) -> Result<(), FileError> {
        match std::fs::remove_file(Path::new(&self.0)) {
            Err(error) if error.kind() != ErrorKind::NotFound => {
                Err(FileError::io("removed", &self.0)(error))
            }
            _ => Ok(()),
        }
    }
}
