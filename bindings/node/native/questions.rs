//! Questions to JavaScript, and the callers that wait for an answer.
//!
//! INVARIANT: each question is answered, withdrawn, or failed once it can no longer be answered; an invalid answer
//! never counts as one.

use crate::channel::{Channel, MessageKind};
use std::collections::HashMap;
use std::pin::Pin;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};
use tokio::sync::oneshot;

/// An answer as JSON, or the reason why there is none.
pub(crate) type Answer = Result<String, NoAnswer>;

/// A failed question.
pub(crate) struct NoAnswer {
    pub(crate) why: String,
    /// The readable part of the answer, as JSON.
    pub(crate) part: Option<String>,
}

impl From<&str> for NoAnswer {
    fn from(why: &str) -> Self {
        NoAnswer { why: why.to_owned(), part: None }
    }
}

/// The pending questions of one engine to JavaScript.
pub(crate) struct Questions {
    channel: Arc<Channel>,
    next: AtomicU32,
    waiting: Mutex<HashMap<u32, oneshot::Sender<Answer>>>,
}

impl Questions {
    pub(crate) fn new(channel: Arc<Channel>) -> Self {
        Questions { channel, next: AtomicU32::new(1), waiting: Mutex::default() }
    }

    /// Asks a hook.
    pub(crate) fn call(self: &Arc<Self>, hook: u32, input: String) -> PendingAnswer {
        let (pending_answer, id) = self.pending_answer();
        self.send(MessageKind::Call, id, hook, input);
        pending_answer
    }

    /// Asks the user.
    pub(crate) fn ask(self: &Arc<Self>, question: String) -> PendingAnswer {
        let (pending_answer, id) = self.pending_answer();
        self.send(MessageKind::Ask, id, 0, question);
        pending_answer
    }

    /// Records an answer; one that is no longer awaited is dropped.
    pub(crate) fn answered(&self, id: u32, answer: Answer) {
        if let Some(waiting) = self.forget(id) {
            drop(waiting.send(answer));
        }
    }

    fn pending_answer(self: &Arc<Self>) -> (PendingAnswer, u32) {
        let id = self.next.fetch_add(1, Ordering::Relaxed);
        let (sender, answer) = oneshot::channel();
        self.waiting().insert(id, sender);
        (PendingAnswer { questions: self.clone(), id, answer }, id)
    }

    /// Sends a question. A thread of JavaScript that has ended answers nothing.
    fn send(&self, word: MessageKind, id: u32, more: u32, text: String) {
        if !self.channel.send(word, id, more, text) {
            self.answered(id, Err("its thread of JavaScript has ended".into()));
        }
    }

    fn forget(&self, id: u32) -> Option<oneshot::Sender<Answer>> {
        self.waiting().remove(&id)
    }

    fn waiting(&self) -> MutexGuard<'_, HashMap<u32, oneshot::Sender<Answer>>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A pending question. If it is dropped without an answer, it is withdrawn.
pub(crate) struct PendingAnswer {
    questions: Arc<Questions>,
    id: u32,
    answer: oneshot::Receiver<Answer>,
}

impl Future for PendingAnswer {
    type Output = Answer;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Answer> {
        let gone = |_| Err("the JavaScript thread has ended".into());
        Pin::new(&mut self.answer).poll(context).map(|answer| answer.unwrap_or_else(gone))
    }
}

impl Drop for PendingAnswer {
    fn drop(&mut self) {
        if self.questions.forget(self.id).is_some() {
            self.questions.channel.send(MessageKind::Withdrawn, self.id, 0, String::new());
        }
    }
}
