//! Questions that a hook asks the user while it runs (Q1–Q3).

use becket_process::CancellationToken;
use futures_util::future::BoxFuture;

/// One question of a hook.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Question {
    /// The hook's own name for it; goes back with the answer.
    pub id: String,
    /// What is asked.
    pub message: String,
    /// What can be answered; at least one.
    pub options: Vec<Choice>,
    /// Which hook asks.
    pub asked_by: String,
}

/// One answer that a question offers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Choice {
    /// What goes back to the hook.
    pub key: String,
    /// What the user reads.
    pub label: String,
    /// More about it.
    pub description: Option<String>,
}

/// A person who can be asked. Asked one question at a time (Q2), while the asking hook's limit stands still.
pub trait AskUser: Send + Sync {
    /// The key of the chosen option; `None` where the user chose none.
    fn ask<'a>(
        &'a self,
        question: &'a Question,
        cancel: &'a CancellationToken,
    ) -> BoxFuture<'a, Option<String>>;
}
