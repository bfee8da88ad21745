//! A file to write to, whose content must not be overwritten unless the session has seen it.

use super::call::{FileCall, Input};
use super::ledger::{Ledger, Mark};
use super::replace::{Current, ReplaceError};
use crate::blocking::{BlockingError, Stop};
use crate::denied::DeniedFiles;
use becket_model::Session;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The reason why a file was not overwritten, for the model.
#[derive(Debug, thiserror::Error)]
pub(crate) enum UnseenError {
    #[error("`{0}` has not been read in this session: read it first with Read")]
    Unread(String),
    #[error("`{0}` has changed since it was read: read it again")]
    Changed(String),
    #[error("a rule denies reading `{0}`, so it is not overwritten")]
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

/// Checks the text of `file_path`.
pub(super) fn check_path(input: Input<'_>) -> Result<(), String> {
    match input.text("file_path") {
        None | Some("") => Err("`file_path` is empty: name a file".to_owned()),
        Some(path) if path.contains('\0') => {
            Err("`file_path` contains a NUL character: remove it".to_owned())
        }
        Some(path) if names_directory(path) => {
            Err(format!("`file_path` is `{path}`, which can only be a directory: name a file"))
        }
        Some(_) => Ok(()),
    }
}

/// Returns whether a path ends as only that of a directory does: with a separator, `.` or `..`.
fn names_directory(path: &str) -> bool {
    path.rsplit(std::path::is_separator).next().is_some_and(|last| matches!(last, "" | "." | ".."))
}

/// A file to write to, with the content that the session has seen of it.
pub(super) struct WriteTarget {
    file_path: String,
    session: Session,
    denied: DeniedFiles,
    ledger: Option<Arc<Ledger>>,
}

impl WriteTarget {
    pub(super) fn of(call: FileCall<'_>) -> Self {
        Self {
            file_path: call.input.text("file_path").unwrap_or_default().to_owned(),
            session: call.session.clone(),
            denied: call.host.denied(call.session),
            ledger: call.ledger.cloned(),
        }
    }

    /// Returns the current content, if the session knows it.
    pub(super) fn current(&self, stop: &Stop) -> Result<Current, UnseenError> {
        let path = PathBuf::from(&self.file_path);
        let file_path = || self.file_path.clone();
        if !path.is_absolute() {
            return Err(UnseenError::Relative(file_path()));
        }
        let current = Current::of(&path, stop)?;
        let Some(file) = &current.file else { return Ok(current) };
        if self.denied.has(&path) {
            return Err(UnseenError::Denied(file_path()));
        }
        match self.known(&current.path) {
            None => Err(UnseenError::Unread(file_path())),
            Some(mark) if mark != Mark::of(&file.content) => Err(UnseenError::Changed(file_path())),
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
