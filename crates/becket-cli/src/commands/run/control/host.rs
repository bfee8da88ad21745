//! What is asked of the host, and who waits for the answer.
//!
//! INVARIANT: each request that is written is answered, cancelled by a line, or failed once the host can't answer any more;
//! whoever waits for it then knows which.

use super::super::printer::Printer;
use crate::report::run::Shown;
use becket_mcp::ServerSender;
use serde_json::{Value, json};
use std::collections::HashMap;
use std::future::Future;
use std::pin::Pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};
use tokio::sync::oneshot;

/// Why the host has given no answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum NoAnswer {
    #[error("the host answered with an error: {0}")]
    Refused(String),
    #[error("the host has closed its end, so nobody answers")]
    Gone,
}

/// An answer of the host.
pub(super) type Answer = Result<Value, NoAnswer>;

/// The program that has started this one. Cheap to clone; a clone is the same host.
#[derive(Clone)]
pub(crate) struct Host {
    shared: Arc<Shared>,
}

struct Shared {
    printer: Printer,
    next: AtomicU64,
    waiting: Mutex<Waiting>,
    /// The MCP servers of the host that are connected, as they are spoken to.
    servers: Mutex<HashMap<String, (u64, ServerSender)>>,
}

/// Who waits for an answer, by the request.
enum Waiting {
    For(HashMap<String, oneshot::Sender<Answer>>),
    /// Nobody answers any more.
    Gone,
}

impl Host {
    /// A host who reads what `printer` writes.
    pub(super) fn new(printer: Printer) -> Self {
        let waiting = Mutex::new(Waiting::For(HashMap::new()));
        let shared = Shared { printer, next: AtomicU64::new(1), waiting, servers: Mutex::default() };
        Host { shared: Arc::new(shared) }
    }

    /// Asks at once; the answer is waited for by whoever awaits it, and not wanted any more once that is dropped.
    pub(super) fn ask(&self, request: Value) -> Asked {
        let id = format!("becket_{}", self.shared.next.fetch_add(1, Ordering::Relaxed));
        let (sender, answer) = oneshot::channel();
        let is_open = match &mut *self.waiting() {
            Waiting::For(all) => {
                all.insert(id.clone(), sender);
                true
            }
            Waiting::Gone => false,
        };
        if is_open {
            self.say(json!({"type": "control_request", "request_id": id, "request": request}));
        }
        Asked { host: self.clone(), id, answer, is_open }
    }

    /// Writes a line for the host.
    pub(crate) fn say(&self, line: Value) {
        self.shared.printer.show(Shown::Control(Box::new(line)));
    }

    /// An answer has come in; one that nobody waits for any more is dropped.
    pub(super) fn answered(&self, id: &str, answer: Result<Value, String>) {
        if let Waiting::For(all) = &mut *self.waiting()
            && let Some(waiting) = all.remove(id)
        {
            drop(waiting.send(answer.map_err(NoAnswer::Refused)));
        }
    }

    /// The host answers nothing any more: whoever waits is told.
    pub(super) fn gone(&self) {
        *self.waiting() = Waiting::Gone;
    }

    /// A server of the host is connected; gives the number of the connection.
    pub(super) fn connected(&self, name: &str, sender: ServerSender) -> u64 {
        let number = self.shared.next.fetch_add(1, Ordering::Relaxed);
        self.servers().insert(name.to_owned(), (number, sender));
        number
    }

    /// A connection is over.
    pub(super) fn disconnected(&self, name: &str, number: u64) {
        let mut servers = self.servers();
        if servers.get(name).is_some_and(|(known, _)| *known == number) {
            servers.remove(name);
        }
    }

    /// The servers of the host that are connected, each with the number of its connection.
    pub(super) fn servers(&self) -> std::sync::MutexGuard<'_, HashMap<String, (u64, ServerSender)>> {
        self.shared.servers.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether the request still waits; it does not any more afterwards.
    fn forget(&self, id: &str) -> bool {
        match &mut *self.waiting() {
            Waiting::For(all) => all.remove(id).is_some(),
            Waiting::Gone => false,
        }
    }

    fn waiting(&self) -> std::sync::MutexGuard<'_, Waiting> {
        self.shared.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A request that was written. Dropped without an answer, it is cancelled.
pub(super) struct Asked {
    host: Host,
    id: String,
    answer: oneshot::Receiver<Answer>,
    is_open: bool,
}

impl Future for Asked {
    type Output = Answer;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Answer> {
        if !self.is_open {
            return Poll::Ready(Err(NoAnswer::Gone));
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
        if self.is_open && self.host.forget(&self.id) {
            self.host.say(json!({"type": "control_cancel_request", "request_id": self.id}));
        }
    }
}
