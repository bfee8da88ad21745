//! A small JSON file that several processes change concurrently: JSON in a [`LockedFile`].
//!
//! It does not overwrite a file that it can't parse, which may contain another author's work.

use crate::locked_file::{LockedError, LockedFile};
use becket_engine::CancellationToken;
use becket_tools::blocking::{BlockingError, blocking};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::io;
use std::path::PathBuf;

/// The maximum size of the file, in bytes.
const MOST: u64 = 16 << 20;

/// The reason why a file was not read or changed, for the model.
#[derive(Debug, thiserror::Error)]
pub enum SharedFileError {
    /// An I/O error.
    #[error("`{}` can't be {deed}: {source}", .path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// The operation.
        deed: &'static str,
        /// The system's error.
        source: io::Error,
    },
    /// The content is invalid.
    #[error("`{}` is damaged, and is left as it is: {message}", .path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// The error.
        message: String,
    },
    /// The content exceeds the maximum size, or would do so.
    #[error("`{}` is full, and is left as it is: it may have {} MiB", .path.display(), MOST >> 20)]
    Full {
        /// The file.
        path: PathBuf,
    },
    /// The caller has gone, or others have locked the file for too long.
    #[error("{0}")]
    Halted(String),
}

impl From<BlockingError> for SharedFileError {
    fn from(halted: BlockingError) -> Self {
        Self::Halted(halted.to_string())
    }
}

/// The path of such a file.
#[derive(Debug, Clone)]
pub(super) struct SharedFile {
    file: LockedFile,
}

impl SharedFile {
    pub(super) fn new(path: PathBuf) -> Self {
        Self { file: LockedFile::new(path, MOST) }
    }

    /// Returns the content; the default if the file does not exist.
    pub(super) async fn read<T>(&self, cancel: &CancellationToken) -> Result<T, SharedFileError>
    where
        T: DeserializeOwned + Default + Send + 'static,
    {
        let this = self.clone();
        blocking(cancel, move |_| {
            Ok(this.file.read().map_err(this.failed()).and_then(|text| this.value(text)))
        })
        .await?
    }

    /// Changes the content; nothing is written if `change` fails or changes nothing, or the caller has gone.
    pub(super) async fn change<T, R, E>(
        &self,
        cancel: &CancellationToken,
        change: impl FnOnce(&mut T) -> Result<R, E> + Send + 'static,
    ) -> Result<R, E>
    where
        T: Serialize + DeserializeOwned + Default + Clone + PartialEq,
        R: Send + 'static,
        E: From<SharedFileError> + Send + 'static,
    {
        let this = self.clone();
        let changed = blocking(cancel, move |stop| {
            let changed = this.file.change(stop, |text| {
                let before: T = this.value(text).map_err(|error| ChangeFailure::Own(error.into()))?;
                let mut after = before.clone();
                let result = change(&mut after).map_err(ChangeFailure::Own)?;
                let text = (after != before).then(|| this.text(&after)).transpose();
                Ok((text.map_err(|error| ChangeFailure::Own(error.into()))?, result))
            });
            Ok(changed.map_err(|failed| match failed {
                ChangeFailure::Own(error) => error,
                ChangeFailure::File(error) => this.failed()(error).into(),
            }))
        });
        changed.await.map_err(SharedFileError::from)?
    }

    fn value<T: DeserializeOwned + Default>(&self, text: Option<Vec<u8>>) -> Result<T, SharedFileError> {
        let Some(text) = text else { return Ok(T::default()) };
        serde_json::from_slice(&text).map_err(|error| self.damaged(&error))
    }

    fn text(&self, value: &impl Serialize) -> Result<Vec<u8>, SharedFileError> {
        let mut text = serde_json::to_vec_pretty(value).map_err(|error| self.damaged(&error))?;
        text.push(b'\n');
        Ok(text)
    }

    fn failed(&self) -> impl Fn(LockedError) -> SharedFileError {
        let path = self.file.path().to_owned();
        move |error| match error {
            LockedError::Io { deed, source } => SharedFileError::Io { path: path.clone(), deed, source },
            LockedError::TooLarge(_) => SharedFileError::Full { path: path.clone() },
            LockedError::Halted(halted) => halted.into(),
        }
    }

    fn damaged(&self, error: &serde_json::Error) -> SharedFileError {
        SharedFileError::Damaged { path: self.file.path().to_owned(), message: error.to_string() }
    }
}

/// The origin of the error that ended a change.
enum ChangeFailure<E> {
    Own(E),
    File(LockedError),
}

impl<E> From<LockedError> for ChangeFailure<E> {
    fn from(error: LockedError) -> Self {
        Self::File(error)
    }
}
