//! A file that is to be written to, which must not overwrite content that the session has not seen.

use super::call::{FileCall, Input};
use super::ledger::{Ledger, Mark};
use super::replace::{Current, ReplaceError};
use crate::blocking::{BlockingError, Stop};
use crate::denied::DeniedFiles;
use becket_model::Session;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The reason why a file is not overwritten; for the model.
#[derive(Debug, thiserror::Error)]
pub(crate) enum UnseenError {
    #[error("`{0}` has not been read in this session: read it first with Read")]
    Unread(String),
    #[error("`{0}` has changed since it was read: read it again")]
    Changed(String),
    #[error("a rule denies reading `{0}`: it is not written over")]
    Denied(String),
    #[error("`file_path` must be an absolute path, not `{0}`")]
    Relative(String),
    #[error(transparent)]
    Replace(#[from] ReplaceError),
}

impl From<BlockingError> for UnseenError {
    fn from(halted: BlockingError) -> Self {
        Self::Replace(halted.into())
    }
}

/// Checks `file_path` as a text.
pub(super) fn check_path(input: Input<'_>) -> Result<(), String> {
    match input.text("file_path") {
        None | Some("") => Err("`file_path` is empty: name a file".to_owned()),
        Some(path) if path.contains('\0') => Err("`file_path` holds a NUL character: remove it".to_owned()),
        Some(_) => Ok(()),
    }
}

/// A file that is to be written to, and what the session has seen of it.
pub(super) struct WriteTarget {
    given: String,
    session: Session,
    denied: DeniedFiles,
    ledger: Option<Arc<Ledger>>,
}

impl WriteTarget {
    pub(super) fn of(call: FileCall<'_>) -> Self {
        Self {
            given: call.input.text("file_path").unwrap_or_default().to_owned(),
            session: call.session.clone(),
            denied: call.host.denied(call.session),
            ledger: call.ledger.cloned(),
        }
    }

    /// Returns the current content, if the session knows it.
    pub(super) fn current(&self, stop: &Stop) -> Result<Current, UnseenError> {
        let path = PathBuf::from(&self.given);
        let given = || self.given.clone();
        if !path.is_absolute() {
            return Err(UnseenError::Relative(given()));
        }
        let current = Current::of(&path, stop)?;
        let Some(file) = &current.file else { return Ok(current) };
        if self.denied.has(&path) {
            return Err(UnseenError::Denied(given()));
        }
        match self.known(&current.path) {
            None => Err(UnseenError::Unread(given())),
            Some(mark) if mark != Mark::of(&file.content) => Err(UnseenError::Changed(given())),
            Some(_) => Ok(current),
        }
    }

    /// Records content that the session has written as known.
    pub(super) fn note(&self, real: &Path, content: &[u8]) {
        if let Some(ledger) = &self.ledger {
            ledger.note(&self.session, real, Mark::of(content));
        }
    }

    fn known(&self, real: &Path) -> Option<Mark> {
        self.ledger.as_ref()?.known(&self.session, real)
    }
}
