//! The requests to the program at the other end of a stream, and their pending answers. The protocol defines how a
//! request is written and cancelled.
//!
//! INVARIANT: each question is answered, cancelled, or failed once the peer can no longer answer; its caller learns
//! which. A malformed answer never counts as an answer.

use becket_engine::{CallbackAnswer, IntoAnswer};
use becket_model::OnFailure;
use becket_model::interpret::JsonAnswer;
use serde_json::Value;
use std::collections::HashMap;
use std::pin::Pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};
use tokio::sync::oneshot;

/// The limit on pending questions.
const MOST: usize = 16_384;

/// The reason why the peer has not answered.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum NoAnswer {
    #[error("{0}")]
    Bad(String),
    #[error("{0} has disconnected and can't answer")]
    Gone(&'static str),
    #[error("{0} was not asked: it has {MOST} questions to answer already")]
    TooMany(&'static str),
    #[error("it answered with `{}` more than once: write it once", keys.join("`, `"))]
    Repeated {
        /// The answer, with the strictest value of each of these keys.
        answer: Value,
        /// The decision keys that occur more than once, as paths.
        keys: Vec<String>,
    },
}

/// An answer of the peer.
pub(crate) type Answer = Result<Value, NoAnswer>;

/// The program at the other end. Cheap to clone; all clones are the same peer.
#[derive(Clone)]
pub(crate) struct Peer(Arc<PeerState>);

struct PeerState {
    /// The name of the peer in errors.
    name: &'static str,
    next: AtomicU64,
    waiting: Mutex<PendingAnswers>,
}

/// The receivers of pending answers, by question.
enum PendingAnswers {
    For(HashMap<String, oneshot::Sender<Answer>>),
    /// Set if there are no more answers.
    Gone,
}

impl Peer {
    /// Creates a peer with this name in errors.
    pub(crate) fn new(name: &'static str) -> Self {
        let waiting = Mutex::new(PendingAnswers::For(HashMap::new()));
        Peer(Arc::new(PeerState { name, next: AtomicU64::new(1), waiting }))
    }

    /// Sends a question at once: `write` receives its id. If the future is dropped without an answer, `take_back`
    /// cancels the question.
    pub(crate) fn ask(
        &self,
        write: impl FnOnce(&str),
        take_back: impl FnOnce(&str) + Send + 'static,
    ) -> PendingRequest {
        let id = format!("becket-{}", self.0.next.fetch_add(1, Ordering::Relaxed));
        let (sender, answer) = oneshot::channel();
        let receiver = match &mut *self.waiting() {
            PendingAnswers::For(all) if all.len() >= MOST => Err(NoAnswer::TooMany(self.0.name)),
            PendingAnswers::For(all) => {
                all.insert(id.clone(), sender);
                Ok(answer)
            }
            PendingAnswers::Gone => Err(NoAnswer::Gone(self.0.name)),
        };
        if receiver.is_ok() {
            write(&id);
        }
        PendingRequest { peer: self.clone(), id, receiver, take_back: Some(Box::new(take_back)) }
    }

    /// Delivers an answer of the peer, or its error; one without a pending question is dropped. `repeated` are the
    /// decision keys that occur more than once in the answer.
    pub(crate) fn answered(&self, id: &str, answer: Result<Value, String>, repeated: Vec<String>) {
        let answer = match answer {
            Ok(answer) if !repeated.is_empty() => Err(NoAnswer::Repeated { answer, keys: repeated }),
            Ok(answer) => Ok(answer),
            Err(error) => Err(NoAnswer::Bad(error)),
        };
        if let PendingAnswers::For(all) = &mut *self.waiting()
            && let Some(waiting) = all.remove(id)
        {
            drop(waiting.send(answer));
        }
    }

    /// Fails all pending questions, since the peer no longer answers.
    pub(crate) fn fail_pending(&self) {
        *self.waiting() = PendingAnswers::Gone;
    }

    /// Removes the question; returns true if it was pending.
    fn forget(&self, id: &str) -> bool {
        match &mut *self.waiting() {
            PendingAnswers::For(all) => all.remove(id).is_some(),
            PendingAnswers::Gone => false,
        }
    }

    fn waiting(&self) -> MutexGuard<'_, PendingAnswers> {
        self.0.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A pending question.
pub(crate) struct PendingRequest {
    peer: Peer,
    id: String,
    receiver: Result<oneshot::Receiver<Answer>, NoAnswer>,
    take_back: Option<TakeBack>,
}

/// The function that cancels a question, by its id.
type TakeBack = Box<dyn FnOnce(&str) + Send>;

impl Future for PendingRequest {
    type Output = Answer;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Answer> {
        let gone = NoAnswer::Gone(self.peer.0.name);
        match &mut self.receiver {
            Err(why) => Poll::Ready(Err(why.clone())),
            Ok(answer) => Pin::new(answer).poll(context).map(|answer| answer.unwrap_or(Err(gone))),
        }
    }
}

impl Drop for PendingRequest {
    fn drop(&mut self) {
        // A question that is answered, or was never sent, is no longer pending.
        if self.peer.forget(&self.id)
            && let Some(take_back) = self.take_back.take()
        {
            take_back(&self.id);
        }
    }
}

/// Converts the answer of a peer's hook (`protocol.md` H9).
pub(crate) fn of_hook(answer: Answer, on_failure: Option<OnFailure>) -> CallbackAnswer {
    match (answer, on_failure) {
        (Ok(Value::Null), Some(OnFailure::Block)) => {
            CallbackAnswer::Failed("it answered nothing: an answer without an opinion is `{}`".to_owned())
        }
        (Ok(answer), _) => answer.into_answer(),
        (Err(NoAnswer::Repeated { answer: Value::Object(object), keys }), _) => {
            JsonAnswer::with_repeated(object, keys).into_answer()
        }
        (Err(error), _) => CallbackAnswer::Failed(error.to_string()),
    }
}
