//! The trait of every tool: a specification, a check, and the work.

use super::ledger::Ledger;
use crate::schema::Spec;
use crate::surroundings::Surroundings;
use becket_engine::{CancellationToken, ToolAnswer};
use becket_model::Session;
use futures_util::future::BoxFuture;
use serde_json::{Map, Value};
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

/// One tool of the table.
pub(crate) trait Tool: Send + Sync {
    /// Its name, its description and what it takes.
    fn spec(&self) -> &'static Spec;

    /// Checks rules that the schema can't express.
    ///
    /// # Errors
    /// The problem, for the model; names the field.
    fn check(&self, input: Input<'_>) -> Result<(), String> {
        let _ = input;
        Ok(())
    }

    /// Returns whether mode `default` runs the call without asking (P14); an uncertain one is asked about.
    fn runs_unasked(&self, host: &Surroundings, session: &Session, input: Input<'_>) -> bool;

    /// The text for the model of a response of this tool; `None` if it does not have its shape (D11).
    fn text_of(&self, response: &Value) -> Option<String>;

    /// Does it. The input has passed the schema and [`Tool::check`].
    fn run<'a>(&'a self, call: Call<'a>) -> BoxFuture<'a, ToolAnswer>;
}

/// One call.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Call<'a> {
    pub(crate) host: &'a Surroundings,
    pub(crate) session: &'a Session,
    pub(crate) input: Input<'a>,
    pub(crate) cancel: &'a CancellationToken,
    /// Files that the session has read, if it is a session's call.
    pub(crate) ledger: Option<&'a Arc<Ledger>>,
    /// `file_path` as the model wrote it, if that is another text (N3).
    pub(crate) written: Option<&'a str>,
}

impl<'a> Call<'a> {
    /// `file_path` as a response repeats it.
    pub(crate) fn shown_path(self) -> &'a str {
        self.written.or(self.input.text("file_path")).unwrap_or_default()
    }
}

/// The input of a call, read by field.
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

    /// The directory or file in `path`, seen from the session's cwd, which it is by default.
    pub(crate) fn root(self, session: &Session) -> PathBuf {
        self.text("path").map_or_else(|| session.cwd.clone(), |path| session.cwd.join(path))
    }
}

/// An answer that is an error.
pub(crate) fn failed(text: impl Into<String>) -> ToolAnswer {
    let text = text.into();
    ToolAnswer { response: Value::String(text.clone()), text, is_error: true }
}

/// A path as answers show it: seen from the cwd where it is below.
pub(crate) fn shown(path: &Path, cwd: &Path) -> String {
    let below = path.strip_prefix(cwd).ok().filter(|rest| !rest.as_os_str().is_empty());
    let path = below.unwrap_or(path);
    path.components()
        .filter(|part| !matches!(part, Component::CurDir))
        .collect::<PathBuf>()
        .display()
        .to_string()
}

/// A list of texts in a response.
pub(crate) fn texts<'a>(response: &'a Value, field: &str) -> Option<Vec<&'a str>> {
    response.get(field)?.as_array()?.iter().map(Value::as_str).collect()
}
