//! Keys of checkpoints: Ed25519, in files with one line of hexadecimal digits.

use crate::chain::{digest, unhex};
use becket_base::text::hex;
use becket_base::{private_file, text_file};
use ed25519_dalek::{Signature, Signer as _};
use std::fmt;
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};

/// The maximum size of a key file, in bytes.
const LONGEST: u64 = 1_024;

/// A signing key. `Debug` does not print it.
pub struct SigningKey(ed25519_dalek::SigningKey);

/// A key that verifies signatures.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VerifyingKey(ed25519_dalek::VerifyingKey);

/// The reason why a key is not available.
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
    /// The file of a signing key can be read by other users.
    #[error("the key `{path}` is not private: {why}")]
    NotPrivate {
        /// The file.
        path: PathBuf,
        /// The reason.
        why: String,
    },
    /// The file does not contain a key.
    #[error("`{path}` contains no key: it must be one line of 64 hexadecimal digits")]
    NotAKey {
        /// The file.
        path: PathBuf,
    },
    /// The system provides no random numbers.
    #[error("no key can be generated: the system provides no random numbers: {0}")]
    NoRandomness(String),
}

impl SigningKey {
    /// Generates a key.
    ///
    /// # Errors
    /// Errors if the system provides no random numbers.
    pub fn generate() -> Result<Self, KeyError> {
        let mut seed = [0; 32];
        getrandom::fill(&mut seed).map_err(|error| KeyError::NoRandomness(error.to_string()))?;
        Ok(Self::from_seed(&seed))
    }

    /// Derives the key from a seed.
    #[must_use]
    pub fn from_seed(seed: &[u8; 32]) -> Self {
        SigningKey(ed25519_dalek::SigningKey::from_bytes(seed))
    }

    /// Writes the key to a private file that must not exist yet.
    ///
    /// # Errors
    /// Errors if the file can't be written.
    pub fn write_new(&self, path: &Path) -> Result<(), KeyError> {
        let written = private_file::create_new(path)
            .and_then(|mut file| file.write_all(format!("{}\n", hex(&self.0.to_bytes())).as_bytes()));
        written.map_err(|why| KeyError::File { path: path.to_owned(), why })
    }

    /// Reads the key from a private file of this user.
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

    /// Returns the key that verifies signatures of this one.
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
    /// Parses the key from its 64 digits; `None` if they are not a key.
    #[must_use]
    pub fn from_digits(digits: &str) -> Option<Self> {
        ed25519_dalek::VerifyingKey::from_bytes(&unhex(digits.trim())?).ok().map(VerifyingKey)
    }

    /// Reads the key from a file.
    ///
    /// # Errors
    /// Errors if the file can't be read or contains no key.
    pub fn read(path: &Path) -> Result<Self, KeyError> {
        let failed = |why| KeyError::File { path: path.to_owned(), why };
        let mut text = String::new();
        let file = text_file::open(path).map_err(failed)?;
        file.take(LONGEST).read_to_string(&mut text).map_err(failed)?;
        Self::from_digits(&text).ok_or_else(|| KeyError::NotAKey { path: path.to_owned() })
    }

    /// Returns the 64 digits of the key.
    #[must_use]
    pub fn digits(&self) -> String {
        hex(self.0.as_bytes())
    }

    /// Returns the beginning of the key's hash, which identifies it in checkpoints.
    #[must_use]
    pub fn fingerprint(&self) -> String {
        digest(self.0.as_bytes()).chars().take(16).collect()
    }

    pub(crate) fn verifies(&self, message: &[u8], signature: &str) -> bool {
        unhex(signature)
            .is_some_and(|bytes| self.0.verify_strict(message, &Signature::from_bytes(&bytes)).is_ok())
    }
}
