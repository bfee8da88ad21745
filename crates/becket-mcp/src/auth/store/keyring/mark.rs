//! A file beside the file of tokens, which says that those of a server are in the keyring.
//!
//! The keyring is asked only where there is one: a machine without a keyring, or with a locked one, goes on to work with
//! servers that nobody has logged in to, and nobody is asked for a password because of them.
//!
//! INVARIANT: as long as there may be tokens in the keyring, there is the mark.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use crate::auth::key::Key;
use crate::auth::private::{self, FileError};
use crate::auth::scrub::line;
use crate::auth::store::FileStore;

/// The mark of a server.
#[derive(Debug, Clone)]
pub(super) struct Mark(PathBuf);

impl Mark {
    pub(super) fn of(file: &FileStore, key: &Key) -> Self {
        Self(file.beside(key, "keyring"))
    }

    /// Whether it is there; what is in it is for people.
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
