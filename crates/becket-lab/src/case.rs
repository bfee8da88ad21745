//! A case: events in a throw-away project, and the expectations for each.

use crate::pattern::Pattern;
use becket_model::EventKind;
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

/// One test of the hooks of a configuration.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Case {
    /// Its name, unique in its file.
    pub name: String,
    /// The position of its definition.
    pub origin: CaseOrigin,
    /// Its events, in order. Never empty.
    pub steps: Vec<Step>,
    /// Files of the throw-away project that differ from the project's, by path.
    pub files: BTreeMap<String, String>,
    /// The git repository of the throw-away project; `None` for a directory without one.
    pub git: Option<GitState>,
    /// Variables for the hooks, in addition to those of the session.
    pub environment: BTreeMap<String, String>,
    /// Answers of handlers that would need the network.
    pub replies: Vec<GivenReply>,
}

/// The place where a case is written.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct CaseOrigin {
    /// The file: a case file, or a hook.
    pub file: PathBuf,
    /// The line, from 1.
    pub line: usize,
    /// The column in characters, from 1.
    pub column: usize,
    /// The number of the case in a case file, from 0; `None` for a comment in a hook.
    pub index: Option<usize>,
}

impl fmt::Display for CaseOrigin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}", self.file.display(), self.line, self.column)
    }
}

/// One event of a case.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Step {
    /// The event.
    pub event: EventKind,
    /// The fields of its input that the case gives; samples fill the others.
    pub input: Map<String, Value>,
    /// Files that are written before the event, by path.
    pub files: BTreeMap<String, String>,
    /// The expected outcome.
    pub want: ExpectedOutcome,
}

/// The expected outcome of a step. An absent field is not compared, but a handler that fails without being in
/// [`ExpectedOutcome::failed`] fails the case.
#[derive(Debug, Clone, PartialEq, Default)]
#[non_exhaustive]
pub struct ExpectedOutcome {
    /// The decision, one of [`DECISIONS`].
    pub decision: Option<String>,
    /// The reason of the decision.
    pub reason: Option<Pattern>,
    /// The context for the model.
    pub context: Option<Pattern>,
    /// The messages for the user.
    pub message: Option<Pattern>,
    /// The input that a hook puts in place of the tool's.
    pub rewrite: Option<Map<String, Value>>,
    /// The exit code of the handler that `by` names, or of the only one that ran.
    pub exit: Option<i32>,
    /// The content of files of the project afterwards; `None` for a file that must not exist.
    pub files: BTreeMap<String, Option<String>>,
    /// The longest time that the event may take.
    pub within: Option<Duration>,
    /// The only handler that may have made the decision.
    pub by: Option<String>,
    /// Handlers that must not run.
    pub skipped: Vec<String>,
    /// Handlers that must fail.
    pub failed: Vec<String>,
}

impl ExpectedOutcome {
    /// Returns whether nothing is expected.
    pub fn is_empty(&self) -> bool {
        *self == ExpectedOutcome::default()
    }
}

/// The decisions that a case can expect. `deny` and `block` are equivalent.
pub const DECISIONS: [&str; 11] =
    ["pass", "allow", "ask", "defer", "deny", "block", "stop", "accept", "decline", "cancel", "created"];

/// The git repository of a throw-away project.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct GitState {
    /// The branch that is checked out.
    pub branch: String,
    /// Set if all files are committed.
    pub commit: bool,
    /// The number of commits that are not pushed to an upstream; `None` for a branch without one.
    pub unpushed: Option<u32>,
}

/// The answer of a handler that is not run, read as the output of a command.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct GivenReply {
    /// The handler.
    pub handler: String,
    /// Its exit code.
    pub exit: i32,
    /// Its stdout.
    pub stdout: String,
    /// Its stderr.
    pub stderr: String,
}

/// A mutant that no case can kill, as declared by the author.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct EquivalentMutant {
    /// The place of the declaration.
    pub origin: CaseOrigin,
    /// The handler.
    pub handler: String,
    /// The mutant, by name.
    pub mutant: String,
    /// The author's reason.
    pub reason: String,
}
