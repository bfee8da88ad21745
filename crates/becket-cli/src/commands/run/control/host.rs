//! The requests to the host, and their pending answers.
//!
//! A pending request receives an answer, an error or the end of the host from its [`Peer`]; a dropped one is cancelled
//! by a line.

use super::super::printer::Printer;
use super::session_states::SessionStates;
use crate::peer::{Answer, Peer, PendingRequest};
use crate::report::run::SessionEvent;
use becket_agent::update::{Notice, Origin, Update, UpdateKind};
use becket_mcp::ServerSender;
use serde_json::{Value, json};
use std::collections::HashMap;
use std::pin::pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::mpsc;

/// The program that started this one. Cheap to clone; a clone is the same host.
#[derive(Clone)]
pub(crate) struct Host {
    shared: Arc<HostState>,
}

struct HostState {
    printer: Printer,
    peer: Peer,
    /// The number of connections to servers so far.
    connections: AtomicU64,
    /// The connected MCP servers of the host.
    servers: Mutex<HashMap<String, (u64, ServerSender)>>,
    states: SessionStates,
    notice_sender: mpsc::UnboundedSender<PendingNotice>,
    notices: Mutex<Option<mpsc::UnboundedReceiver<PendingNotice>>>,
}

/// The time until Notification hooks run for an unanswered question.
const NOTICE_DELAY: Duration = Duration::from_secs(6);

/// A question that waits for the host, as Notification hooks see it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PendingNotice {
    /// The `notification_type`.
    pub(crate) kind: &'static str,
    pub(crate) message: String,
}

impl Host {
    /// Creates a host that reads what `printer` writes, the states of the session included.
    pub(crate) fn new(printer: Printer, states: SessionStates) -> Self {
        let (notice_sender, notices) = mpsc::unbounded_channel();
        Host {
            shared: Arc::new(HostState {
                printer,
                peer: Peer::new("the host"),
                connections: AtomicU64::default(),
                servers: Mutex::default(),
                states,
                notice_sender,
                notices: Mutex::new(Some(notices)),
            }),
        }
    }

    /// Sends a request at once. The returned future waits for the answer, and cancels the request if it is dropped.
    pub(crate) fn ask(&self, request: Value) -> PendingRequest {
        let host = self.clone();
        self.shared.peer.ask(
            |id| self.send(json!({"type": "control_request", "request_id": id, "request": request})),
            move |id| host.send(json!({"type": "control_cancel_request", "request_id": id})),
        )
    }

    /// Asks, and notifies Notification hooks once if the answer takes longer than [`NOTICE_DELAY`].
    pub(crate) async fn ask_person(&self, request: Value, notice: PendingNotice) -> Answer {
        let _waits = self.shared.states.waits();
        let mut answer = pin!(self.ask(request));
        tokio::select! {
            biased;
            answer = &mut answer => return answer,
            () = tokio::time::sleep(NOTICE_DELAY) => {}
        }
        // A session that has ended has no hooks to notify.
        drop(self.shared.notice_sender.send(notice));
        answer.await
    }

    /// Returns the writer of the session's state.
    pub(crate) fn states(&self) -> &SessionStates {
        &self.shared.states
    }

    /// Returns the notices of all questions, to the first caller only.
    pub(crate) fn notices(&self) -> Option<mpsc::UnboundedReceiver<PendingNotice>> {
        self.shared.notices.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// Writes a line for the host.
    pub(crate) fn send(&self, line: Value) {
        self.shared.printer.show(SessionEvent::Control(Box::new(line)));
    }

    /// Writes a warning for the user.
    pub(crate) fn warn(&self, text: String) {
        let what = UpdateKind::Notice(Notice::warning(text));
        self.shared.printer.show(SessionEvent::Update(Box::new(Update { of: Origin::Main, what })));
    }

    /// Waits on this thread until the host has read most of what was written for it.
    pub(crate) fn wait_for_room(&self) {
        self.shared.printer.wait_for_room();
    }

    /// Delivers an answer; one without a pending request is dropped.
    pub(crate) fn answered(&self, id: &str, answer: Result<Value, String>, repeated: Vec<String>) {
        let why = |error| format!("the host answered with an error: {error}");
        self.shared.peer.answered(id, answer.map_err(why), repeated);
    }

    /// Fails all pending requests, since the host no longer answers.
    pub(crate) fn fail_pending(&self) {
        self.shared.peer.fail_pending();
    }

    /// Adds a connected server of the host; returns the number of the connection.
    pub(crate) fn connected(&self, name: &str, sender: ServerSender) -> u64 {
        let number = self.shared.connections.fetch_add(1, Ordering::Relaxed);
        self.servers().insert(name.to_owned(), (number, sender));
        number
    }

    /// Removes a connection.
    pub(crate) fn disconnected(&self, name: &str, number: u64) {
        let mut servers = self.servers();
        if servers.get(name).is_some_and(|(known, _)| *known == number) {
            servers.remove(name);
        }
    }

    /// Returns the connected servers of the host, each with the number of its connection.
    pub(crate) fn servers(&self) -> std::sync::MutexGuard<'_, HashMap<String, (u64, ServerSender)>> {
        self.shared.servers.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
