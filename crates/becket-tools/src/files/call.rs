//! A call of a tool on files, and its input.

use super::ledger::Ledger;
use crate::surroundings::Surroundings;
use becket_engine::{CancellationToken, ToolFailure};
use becket_model::Session;
use serde_json::{Map, Value};
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

/// One call.
#[derive(Debug, Clone, Copy)]
pub(crate) struct FileCall<'a> {
    pub(crate) host: &'a Surroundings,
    pub(crate) session: &'a Session,
    pub(crate) input: Input<'a>,
    pub(crate) cancel: &'a CancellationToken,
    /// The files that the session has read, for calls of a session.
    pub(crate) ledger: Option<&'a Arc<Ledger>>,
    /// `file_path` as the model wrote it, if that text differs (N3).
    pub(crate) written: Option<&'a str>,
}

impl<'a> FileCall<'a> {
    /// Returns `file_path` as a response repeats it.
    pub(crate) fn shown_path(self) -> &'a str {
        self.written.or(self.input.text("file_path")).unwrap_or_default()
    }
}

/// The input of a call, with accessors for its fields.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Input<'a>(pub(crate) &'a Map<String, Value>);

impl<'a> Input<'a> {
    pub(crate) fn text(self, field: &str) -> Option<&'a str> {
        self.0.get(field).and_then(Value::as_str)
    }

    pub(crate) fn number(self, field: &str) -> Option<u64> {
        self.0.get(field).and_then(Value::as_u64)
    }

    pub(crate) fn count(self, field: &str) -> Option<usize> {
        self.number(field).map(|number| usize::try_from(number).unwrap_or(usize::MAX))
    }

    pub(crate) fn flag(self, field: &str) -> Option<bool> {
        self.0.get(field).and_then(Value::as_bool)
    }

    /// Returns the directory or file in `path`, relative to the session's cwd, which is the default.
    pub(crate) fn root(self, session: &Session) -> PathBuf {
        self.text("path").map_or_else(|| session.cwd.clone(), |path| session.cwd.join(path))
    }
}

/// Converts an error to a failure for the model.
pub(crate) fn failure(error: impl std::fmt::Display) -> ToolFailure {
    ToolFailure::new(error.to_string())
}

/// Returns a path as shown in answers: relative to the cwd if it is below.
pub(crate) fn shown(path: &Path, cwd: &Path) -> String {
    let below = path.strip_prefix(cwd).ok().filter(|rest| !rest.as_os_str().is_empty());
    let path = below.unwrap_or(path);
    path.components()
        .filter(|part| !matches!(part, Component::CurDir))
        .collect::<PathBuf>()
        .display()
        .to_string()
}

/// Returns a list of texts in a response.
pub(crate) fn texts<'a>(response: &'a Value, field: &str) -> Option<Vec<&'a str>> {
    response.get(field)?.as_array()?.iter().map(Value::as_str).collect()
}
