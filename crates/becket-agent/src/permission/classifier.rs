//! The classifier for calls of mode `auto` that neither hooks nor rules decide (`protocol.md` P14).

use becket_engine::CancellationToken;
use futures_util::future::BoxFuture;
use serde_json::{Map, Value};
use std::path::PathBuf;

/// Judges calls in a person's place. It is asked about nothing that a rule, a hook or a person decides, nor about protected
/// paths and critical removals.
pub trait Classifier: Send + Sync {
    /// Judges a call. `cancel` is cancelled once the caller no longer waits; the future is dropped at the same moment.
    /// A panic
    /// in here counts as an error.
    ///
    /// # Errors
    /// It can't judge, in words for the user: then a person is asked.
    fn classify<'a>(
        &'a self,
        call: &'a ToClassify,
        cancel: &'a CancellationToken,
    ) -> BoxFuture<'a, Result<Classification, String>>;
}

/// The known facts about a call; never output of a tool, which may be written to persuade.
#[derive(Debug, Clone, PartialEq)]
pub struct ToClassify {
    /// The tool.
    pub tool: String,
    /// The input it would run with.
    pub input: Map<String, Value>,
    /// The session's working directory.
    pub cwd: PathBuf,
    /// The working directories beside it.
    pub directories: Vec<PathBuf>,
    /// The user's last prompts, oldest first.
    pub prompts: Vec<String>,
    /// Notes of PostToolUse hooks for the classifier, oldest first (`classifierContext`, D11).
    pub notes: Vec<String>,
}

/// A judgement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Classification {
    /// It may run.
    Allow,
    /// It must not.
    Deny {
        /// For the model.
        reason: String,
    },
    /// A person has to say.
    Unsure {
        /// For the person.
        reason: String,
    },
}
