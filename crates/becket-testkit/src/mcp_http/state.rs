//! The state of a server.

use std::collections::HashMap;
use std::net::{Shutdown, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Mutex, MutexGuard, PoisonError};

use serde_json::Value;

use super::received_request::ReceivedRequest;

/// The state shared by all threads of a server.
#[derive(Debug, Default)]
pub(super) struct State {
    pub(super) opened: AtomicUsize,
    pub(super) stopped: AtomicBool,
    inner: Mutex<Inner>,
}

#[derive(Debug, Default)]
struct Inner {
    seen: Vec<ReceivedRequest>,
    sessions: Vec<String>,
    made: usize,
    streams: Vec<Sender<String>>,
    answers: HashMap<String, Value>,
    sockets: HashMap<usize, TcpStream>,
}

impl State {
    /// Records a request, and counts it.
    pub(super) fn note(&self, seen: &mut ReceivedRequest) {
        let mut inner = self.lock();
        let same = |other: &&ReceivedRequest| other.verb == seen.verb && other.rpc() == seen.rpc();
        seen.nth = inner.seen.iter().filter(same).count() + 1;
        inner.seen.push(seen.clone());
        if seen.rpc().is_empty() && !seen.id().is_null() {
            inner.answers.insert(seen.id().to_string(), seen.body.clone());
        }
    }

    pub(super) fn seen(&self) -> Vec<ReceivedRequest> {
        self.lock().seen.clone()
    }

    /// Takes the client's answer to a request of the server.
    pub(super) fn answer(&self, id: &Value) -> Option<Value> {
        self.lock().answers.remove(&id.to_string())
    }

    /// Creates a session.
    pub(super) fn session(&self) -> String {
        let mut inner = self.lock();
        inner.made += 1;
        let session = format!("session-{}", inner.made);
        inner.sessions.push(session.clone());
        session
    }

    pub(super) fn sessions(&self) -> Vec<String> {
        self.lock().sessions.clone()
    }

    pub(super) fn has_session(&self, session: Option<&str>) -> bool {
        self.lock().sessions.iter().any(|known| Some(known.as_str()) == session)
    }

    pub(super) fn forget(&self, session: Option<&str>) -> bool {
        let mut inner = self.lock();
        let before = inner.sessions.len();
        inner.sessions.retain(|known| Some(known.as_str()) != session);
        inner.sessions.len() < before
    }

    /// Forgets all sessions, as a restart does, and ends the streams.
    pub(super) fn forget_all(&self) {
        let mut inner = self.lock();
        inner.sessions.clear();
        inner.streams.clear();
    }

    pub(super) fn listen(&self) -> Receiver<String> {
        let (sender, receiver) = channel();
        self.lock().streams.push(sender);
        receiver
    }

    /// Sends a message to all open streams; returns their number.
    pub(super) fn push(&self, text: &str) -> usize {
        let mut inner = self.lock();
        inner.streams.retain(|stream| stream.send(text.to_owned()).is_ok());
        inner.streams.len()
    }

    pub(super) fn keep(&self, connection: usize, socket: TcpStream) {
        self.lock().sockets.insert(connection, socket);
    }

    pub(super) fn release(&self, connection: usize) {
        self.lock().sockets.remove(&connection);
    }

    pub(super) fn open(&self) -> usize {
        self.lock().sockets.len()
    }

    /// Closes every connection.
    pub(super) fn cut(&self) {
        for socket in self.lock().sockets.values() {
            // A connection that is already closed is fine.
            let _ = socket.shutdown(Shutdown::Both);
        }
    }

    pub(super) fn is_stopped(&self) -> bool {
        self.stopped.load(Ordering::Acquire)
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
