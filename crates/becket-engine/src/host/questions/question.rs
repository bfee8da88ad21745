//! A question as the user sees it, and the trait that asks the user.

use becket_process::CancellationToken;
use futures_util::future::BoxFuture;

/// One question of a hook.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Question {
    /// The hook's own id of the question; returned with the answer.
    pub id: String,
    /// The text of the question.
    pub message: String,
    /// The possible answers; at least one, with unique keys.
    pub options: Vec<Choice>,
    /// The label of the hook that asks.
    pub asked_by: String,
}

/// One answer that a question offers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Choice {
    /// The value that is returned to the hook.
    pub key: String,
    /// The text that the user reads.
    pub label: String,
    /// A longer description.
    pub description: Option<String>,
}

/// A person who can be asked, one question at a time (Q2), while the asking hook's limit is paused.
pub trait AskUser: Send + Sync {
    /// Returns the key of the chosen option; `None` if the user chose none.
    ///
    /// `cancel` is cancelled once the answer is no longer needed: the hook ended, or the event was cancelled. The
    /// future is dropped at the same moment.
    fn ask<'a>(
        &'a self,
        question: &'a Question,
        cancel: &'a CancellationToken,
    ) -> BoxFuture<'a, Option<String>>;
}
