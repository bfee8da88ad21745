//! A question as the user is asked it, and who asks the user.

use becket_process::CancellationToken;
use futures_util::future::BoxFuture;

/// One question of a hook.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Question {
    /// The hook's own name for it; goes back with the answer.
    pub id: String,
    /// What is asked.
    pub message: String,
    /// What can be answered; at least one, and no key twice.
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
    ///
    /// `cancel` is cancelled once nobody waits for the answer any more: the hook ended, or the event was cancelled. The
    /// future is dropped at the same moment.
    fn ask<'a>(
        &'a self,
        question: &'a Question,
        cancel: &'a CancellationToken,
    ) -> BoxFuture<'a, Option<String>>;
}
