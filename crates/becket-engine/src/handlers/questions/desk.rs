//! The queue of the questions of all hooks of an engine: one question at a time, in the order of arrival (Q2), and
//! `null` at once if there is no user to ask (Q3).
//!
//! INVARIANT: when a question is asked, every earlier one has been answered or withdrawn. A host's code that panics or
//! chooses an option that was not offered answers `null`, and a warning names it.

use super::turns::{Turn, Turns};
use crate::host::panic::catch_panic;
use crate::host::questions::answer::Answer;
use crate::host::questions::question::{AskUser, Question};
use becket_process::CancellationToken;
use std::fmt;
use std::sync::Arc;

/// The queue of questions.
#[derive(Clone)]
pub(crate) struct Desk {
    user: Option<Arc<dyn AskUser>>,
    turns: Turns,
}

impl Desk {
    /// Creates the queue of an engine; `None` if there is no user to ask.
    pub(crate) fn new(user: Option<Arc<dyn AskUser>>) -> Self {
        Desk { user, turns: Turns::default() }
    }

    /// Asks, once it is the question's turn. The place in the queue is taken by the call, not when the future first
    /// runs. Dropping the future withdraws the question.
    pub(crate) fn ask<'a>(
        &'a self,
        question: &'a Question,
        cancel: &'a CancellationToken,
    ) -> impl Future<Output = Answer> + Send + use<'a> {
        let asking = self.user.as_deref().map(|user| (user, self.turns.take()));
        async move {
            let Some((user, turn)) = asking else { return Answer::Nobody };
            // Informs the host's code when the hook has ended, however the future ends.
            let cancel = cancel.child_token();
            let _told_when_dropped = cancel.clone().drop_guard();
            tokio::select! {
                biased;
                () = cancel.cancelled() => Answer::Withdrawn,
                answer = in_turn(user, turn, question, &cancel) => answer,
            }
        }
    }
}

async fn in_turn(user: &dyn AskUser, turn: Turn, question: &Question, cancel: &CancellationToken) -> Answer {
    turn.wait().await;
    match unharmed(user, question, cancel).await {
        Err(why) => Answer::Failed(why),
        Ok(None) => Answer::NoneChosen,
        Ok(Some(key)) if question.options.iter().any(|option| option.key == key) => Answer::Selected(key),
        Ok(Some(key)) => Answer::NotOffered(key),
    }
}

/// Asks, and turns a panic of the host's code into a failure.
async fn unharmed(
    user: &dyn AskUser,
    question: &Question,
    cancel: &CancellationToken,
) -> Result<Option<String>, String> {
    let describe = |message| format!("the host's code for asking panicked: {message}");
    catch_panic(async { user.ask(question, cancel).await }).await.map_err(describe)
}

impl fmt::Debug for Desk {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Desk").field("has_user", &self.user.is_some()).finish_non_exhaustive()
    }
}
