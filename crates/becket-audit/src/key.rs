//! Keys of checkpoints: Ed25519, in files with one line of hexadecimal digits.

use crate::chain::{digest, unhex};
use becket_base::private_file;
use becket_base::text::hex;
use ed25519_dalek::{Signature, Signer as _};
use std::fmt;
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};

/// The longest file of a key that is read, in bytes.
const LONGEST: u64 = 1_024;

/// A key that signs. `Debug` does not show it.
pub struct SigningKey(ed25519_dalek::SigningKey);

/// A key that verifies.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VerifyingKey(ed25519_dalek::VerifyingKey);

/// The reason why there is no key.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum KeyError {
    /// The file can't be read or written.
    #[error("the key `{path}` can't be used: {why}")]
    File {
        /// The file.
        path: PathBuf,
        /// The reason.
        why: io::Error,
    },
    /// The file of a signing key can be read by others.
    #[error("the key `{path}` is not private: {why}")]
    NotPrivate {
        /// The file.
        path: PathBuf,
        /// The reason.
        why: String,
    },
    /// It does not hold a key.
    #[error("`{path}` contains no key: it must be one line of 64 hexadecimal digits")]
    NotAKey {
        /// The file.
        path: PathBuf,
    },
    /// The system has no random numbers.
    #[error("no key can be made: the system gives no random numbers: {0}")]
    NoRandomness(String),
}

impl SigningKey {
    /// Makes up a key.
    ///
    /// # Errors
    /// Errors if the system gives no random numbers.
    pub fn generate() -> Result<Self, KeyError> {
        let mut seed = [0; 32];
        getrandom::fill(&mut seed).map_err(|error| KeyError::NoRandomness(error.to_string()))?;
        Ok(Self::from_seed(&seed))
    }

    /// Returns the key of a seed.
    #[must_use]
    pub fn from_seed(seed: &[u8; 32]) -> Self {
        SigningKey(ed25519_dalek::SigningKey::from_bytes(seed))
    }

    /// Writes it to a private file that must not exist yet.
    ///
    /// # Errors
    /// Errors if the file can't be written.
    pub fn write_new(&self, path: &Path) -> Result<(), KeyError> {
        let written = private_file::create_new(path)
            .and_then(|mut file| file.write_all(format!("{}\n", hex(&self.0.to_bytes())).as_bytes()));
        written.map_err(|why| KeyError::File { path: path.to_owned(), why })
    }

    /// Reads it from a private file of this user.
    ///
    /// # Errors
    /// Errors if the file can't be read, is not private, or contains no key.
    pub fn read(path: &Path) -> Result<Self, KeyError> {
        let failed = |why| KeyError::File { path: path.to_owned(), why };
        let file = private_file::options().read(true).open(path).map_err(failed)?;
        private_file::check(&file)
            .map_err(|why| KeyError::NotPrivate { path: path.to_owned(), why: why.to_string() })?;
        let mut text = String::new();
        file.take(LONGEST).read_to_string(&mut text).map_err(failed)?;
        let seed = unhex(text.trim()).ok_or_else(|| KeyError::NotAKey { path: path.to_owned() })?;
        Ok(Self::from_seed(&seed))
    }

    /// Returns the key that verifies what this one signs.
    #[must_use]
    pub fn verifying(&self) -> VerifyingKey {
        VerifyingKey(self.0.verifying_key())
    }

    pub(crate) fn sign(&self, message: &[u8]) -> String {
        hex(&self.0.sign(message).to_bytes())
    }
}

impl fmt::Debug for SigningKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SigningKey([redacted])")
    }
}

impl VerifyingKey {
    /// Reads it from its 64 digits.
    #[must_use]
    pub fn from_digits(digits: &str) -> Option<Self> {
        ed25519_dalek::VerifyingKey::from_bytes(&unhex(digits.trim())?).ok().map(VerifyingKey)
    }

    /// Reads it from a file.
    ///
    /// # Errors
    /// Errors if the file can't be read or contains no key.
    pub fn read(path: &Path) -> Result<Self, KeyError> {
        let failed = |why| KeyError::File { path: path.to_owned(), why };
        let mut text = String::new();
        let file = std::fs::File::open(path).map_err(failed)?;
        file.take(LONGEST).read_to_string(&mut text).map_err(failed)?;
        Self::from_digits(&text).ok_or_else(|| KeyError::NotAKey { path: path.to_owned() })
    }

    /// Returns its 64 digits.
    #[must_use]
    pub fn digits(&self) -> String {
        hex(self.0.as_bytes())
    }

    /// Returns the beginning of its hash, by which checkpoints name it.
    #[must_use]
    pub fn fingerprint(&self) -> String {
        digest(self.0.as_bytes()).chars().take(16).collect()
    }

    pub(crate) fn verifies(&self, message: &[u8], signature: &str) -> bool {
        unhex(signature)
            .is_some_and(|bytes| self.0.verify_strict(message, &Signature::from_bytes(&bytes)).is_ok())
    }
}
