//! The classifier for calls of mode `auto` that neither hooks nor rules decide (`protocol.md` P14).

use becket_engine::CancellationToken;
use futures_util::future::BoxFuture;
use serde_json::{Map, Value};
use std::path::PathBuf;

/// Judges calls instead of a person. It is not asked about anything that a rule, a hook or a person decides, nor about
/// protected paths and critical removals.
pub trait Classifier: Send + Sync {
    /// Judges a call. `cancel` is cancelled once the caller no longer waits; the future is dropped at the same moment.
    /// A panic counts as an error.
    ///
    /// # Errors
    /// Errors with a message for the user if it can't judge; then a person is asked.
    fn classify<'a>(
        &'a self,
        call: &'a ToClassify,
        cancel: &'a CancellationToken,
    ) -> BoxFuture<'a, Result<Classification, String>>;
}

/// The known facts about a call; never the output of a tool, which may be written to persuade.
#[derive(Debug, Clone, PartialEq)]
pub struct ToClassify {
    /// The name of the tool.
    pub tool: String,
    /// The input that the call would run with.
    pub input: Map<String, Value>,
    /// The session's working directory.
    pub cwd: PathBuf,
    /// The additional working directories.
    pub directories: Vec<PathBuf>,
    /// The user's last prompts, oldest first.
    pub prompts: Vec<String>,
    /// Notes of PostToolUse hooks for the classifier, oldest first (`classifierContext`, D11).
    pub notes: Vec<String>,
}

/// The classifier's judgement of a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Classification {
    /// The call may run.
    Allow,
    /// The call must not run.
    Deny {
        /// The reason for the model.
        reason: String,
    },
    /// A person has to decide.
    Unsure {
        /// The reason for the person.
        reason: String,
    },
}
