//! What is asked of the host, and who waits for the answer.
//!
//! Whoever waits is told of an answer, an error or the host's end by its [`Peer`]; what is not wanted any more is cancelled by
//! a line.

use super::super::printer::Printer;
use crate::peer::{Answer, Asked, Peer};
use crate::report::run::Shown;
use becket_mcp::ServerSender;
use serde_json::{Value, json};
use std::collections::HashMap;
use std::pin::pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::mpsc;

/// The program that has started this one. Cheap to clone; a clone is the same host.
#[derive(Clone)]
pub(crate) struct Host {
    shared: Arc<Shared>,
}

struct Shared {
    printer: Printer,
    peer: Peer,
    /// How many connections to servers there were.
    connections: AtomicU64,
    /// The MCP servers of the host that are connected, as they are spoken to.
    servers: Mutex<HashMap<String, (u64, ServerSender)>>,
    notice_sender: mpsc::UnboundedSender<PendingNotice>,
    notices: Mutex<Option<mpsc::UnboundedReceiver<PendingNotice>>>,
}

/// How long a question waits for the host before Notification hooks run.
const NOTICE_DELAY: Duration = Duration::from_secs(6);

/// A question that waits for the host, as Notification hooks see it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct PendingNotice {
    /// `notification_type`.
    pub(super) kind: &'static str,
    pub(super) message: String,
}

impl Host {
    /// A host who reads what `printer` writes.
    pub(super) fn new(printer: Printer) -> Self {
        let (notice_sender, notices) = mpsc::unbounded_channel();
        Host {
            shared: Arc::new(Shared {
                printer,
                peer: Peer::new("the host"),
                connections: AtomicU64::default(),
                servers: Mutex::default(),
                notice_sender,
                notices: Mutex::new(Some(notices)),
            }),
        }
    }

    /// Asks at once; the answer is waited for by whoever awaits it, and not wanted any more once that is dropped.
    pub(super) fn ask(&self, request: Value) -> Asked {
        let host = self.clone();
        self.shared.peer.ask(
            |id| self.say(json!({"type": "control_request", "request_id": id, "request": request})),
            move |id| host.say(json!({"type": "control_cancel_request", "request_id": id})),
        )
    }

    /// Asks, and tells Notification hooks once if the answer takes longer than [`NOTICE_DELAY`].
    pub(super) async fn ask_person(&self, request: Value, notice: PendingNotice) -> Answer {
        let mut answer = pin!(self.ask(request));
        tokio::select! {
            biased;
            answer = &mut answer => return answer,
            () = tokio::time::sleep(NOTICE_DELAY) => {}
        }
        // A session that has ended has nobody to notify.
        drop(self.shared.notice_sender.send(notice));
        answer.await
    }

    /// Returns the notices of all questions, at the first call.
    pub(super) fn notices(&self) -> Option<mpsc::UnboundedReceiver<PendingNotice>> {
        self.shared.notices.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// Writes a line for the host.
    pub(crate) fn say(&self, line: Value) {
        self.shared.printer.show(Shown::Control(Box::new(line)));
    }

    /// Waits on this thread until the host has read most of what was written for it.
    pub(super) fn wait_for_room(&self) {
        self.shared.printer.wait_for_room();
    }

    /// An answer has come in; one that nobody waits for any more is dropped.
    pub(super) fn answered(&self, id: &str, answer: Result<Value, String>, repeated: Vec<String>) {
        let why = |error| format!("the host answered with an error: {error}");
        self.shared.peer.answered(id, answer.map_err(why), repeated);
    }

    /// The host answers nothing any more: whoever waits is told.
    pub(super) fn gone(&self) {
        self.shared.peer.gone();
    }

    /// A server of the host is connected; gives the number of the connection.
    pub(super) fn connected(&self, name: &str, sender: ServerSender) -> u64 {
        let number = self.shared.connections.fetch_add(1, Ordering::Relaxed);
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
}
