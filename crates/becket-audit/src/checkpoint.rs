//! Signed statements about a log, each giving the number and the hash of one line.

use crate::key::{SigningKey, VerifyingKey};
use becket_base::private_file;
use serde::{Deserialize, Serialize};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

/// The first line of the signed message.
const TITLE: &str = "becket audit checkpoint 1";

/// A statement about one line of a log.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Checkpoint {
    /// The id of the log.
    pub log: String,
    /// The number of the line.
    pub seq: u64,
    /// The hash of the line.
    pub hash: String,
    /// The time of the signature, in RFC 3339 and UTC.
    pub at: String,
    /// The fingerprint of the key.
    pub key: String,
    /// The signature, as 128 digits.
    pub signature: String,
}

/// The reason why a checkpoint could not be exported.
#[derive(Debug, thiserror::Error)]
#[error("the checkpoint can't be written to `{path}`: {why}")]
pub struct CheckpointError {
    /// The file.
    pub path: PathBuf,
    /// The reason.
    pub why: io::Error,
}

impl Checkpoint {
    pub(crate) fn sign(key: &SigningKey, log: &str, seq: u64, hash: &str, at: &str) -> Self {
        let mut statement = Checkpoint {
            log: log.to_owned(),
            seq,
            hash: hash.to_owned(),
            at: at.to_owned(),
            key: key.verifying().fingerprint(),
            signature: String::new(),
        };
        statement.signature = key.sign(statement.message().as_bytes());
        statement
    }

    /// Returns the message that is signed: a title, and a line for each field but the last.
    #[must_use]
    pub fn message(&self) -> String {
        let Checkpoint { log, seq, hash, at, key, signature: _ } = self;
        format!("{TITLE}\n{log}\n{seq}\n{hash}\n{at}\n{key}\n")
    }

    /// Returns whether this checkpoint was signed by a key.
    #[must_use]
    pub fn is_signed_by(&self, key: &VerifyingKey) -> bool {
        self.key == key.fingerprint() && key.verifies(self.message().as_bytes(), &self.signature)
    }

    /// Appends this checkpoint to a private file, which is created with its directory if needed.
    ///
    /// # Errors
    /// Errors if the file can't be written.
    pub fn export(&self, path: &Path) -> Result<(), CheckpointError> {
        let failed = |why| CheckpointError { path: path.to_owned(), why };
        let open = || private_file::options().append(true).create(true).open(path);
        private_file::create_parent(path).map_err(failed)?;
        let mut file = open().map_err(failed)?;
        private_file::check(&file).map_err(|why| failed(io::Error::other(why)))?;
        let mut line = serde_json::to_vec(self).map_err(|why| failed(why.into()))?;
        line.push(b'\n');
        // A single write, so that lines of several processes don't mix.
        file.write_all(&line).map_err(failed)
    }
}
