//! What the client is asked, and who waits for it.
//!
//! INVARIANT: each call is answered, taken back by a line, or failed once the client can't answer any more; whoever waits
//! for it then knows which. What is no answer is never taken for one.

use super::answers::{Saying, Withdrawn};
use super::outgoing::Outgoing;
use serde::Serialize;
use serde_json::Value;
use std::collections::HashMap;
use std::pin::Pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};
use tokio::sync::oneshot;

/// How many calls may wait for their answers.
const MOST: usize = 16_384;

/// Why the client has given no answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(super) enum NoAnswer {
    #[error("{0}")]
    Bad(String),
    #[error("the client is gone, so nobody answers")]
    Gone,
    #[error("the client was not asked: it has {MOST} calls to answer already")]
    TooMany,
}

type Answer = Result<Value, NoAnswer>;

/// Asks the client of one connection. Cheap to clone; clones are the same.
#[derive(Clone)]
pub(super) struct Calls(Arc<Shared>);

struct Shared {
    out: Outgoing,
    next: AtomicU64,
    waiting: Mutex<Waiting>,
}

/// Who waits for an answer, by the call.
enum Waiting {
    For(HashMap<String, oneshot::Sender<Answer>>),
    /// Nobody answers any more.
    Gone,
}

impl Calls {
    pub(super) fn new(out: Outgoing) -> Self {
        let waiting = Mutex::new(Waiting::For(HashMap::new()));
        Calls(Arc::new(Shared { out, next: AtomicU64::new(1), waiting }))
    }

    /// Asks at once; dropped without an answer, the call is taken back by the notification `back`.
    pub(super) fn ask(&self, (method, back): (&'static str, &'static str), params: &impl Serialize) -> Asked {
        let id = format!("becket-{}", self.0.next.fetch_add(1, Ordering::Relaxed));
        let (sender, answer) = oneshot::channel();
        let refused = match &mut *self.waiting() {
            Waiting::For(all) if all.len() >= MOST => Some(NoAnswer::TooMany),
            Waiting::For(all) => {
                all.insert(id.clone(), sender);
                None
            }
            Waiting::Gone => Some(NoAnswer::Gone),
        };
        if refused.is_none() {
            self.0.out.say(&Saying::new(Some(&id), method, params));
        }
        Asked { calls: self.clone(), id, back, answer, refused, is_open: true }
    }

    /// An answer has come in; one that nobody waits for any more is dropped.
    pub(super) fn answered(&self, id: &Value, answer: Result<Value, String>) {
        if let Some(id) = id.as_str()
            && let Waiting::For(all) = &mut *self.waiting()
            && let Some(waiting) = all.remove(id)
        {
            drop(waiting.send(answer.map_err(NoAnswer::Bad)));
        }
    }

    /// The client answers nothing any more: whoever waits is told.
    pub(super) fn gone(&self) {
        *self.waiting() = Waiting::Gone;
    }

    /// Whether the call still waits; it does not any more afterwards.
    fn forget(&self, id: &str) -> bool {
        match &mut *self.waiting() {
            Waiting::For(all) => all.remove(id).is_some(),
            Waiting::Gone => false,
        }
    }

    fn waiting(&self) -> MutexGuard<'_, Waiting> {
        self.0.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A call that was made.
pub(super) struct Asked {
    calls: Calls,
    id: String,
    back: &'static str,
    answer: oneshot::Receiver<Answer>,
    refused: Option<NoAnswer>,
    is_open: bool,
}

impl Future for Asked {
    type Output = Answer;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Answer> {
        if let Some(why) = self.refused.clone() {
            return Poll::Ready(Err(why));
        }
        let answer = Pin::new(&mut self.answer).poll(context);
        answer.map(|answer| {
            self.is_open = false;
            answer.unwrap_or(Err(NoAnswer::Gone))
        })
    }
}

impl Drop for Asked {
    fn drop(&mut self) {
        if self.is_open && self.calls.forget(&self.id) {
            self.calls.0.out.say(&Saying::new(None, self.back, &Withdrawn { id: &self.id }));
        }
    }
}
