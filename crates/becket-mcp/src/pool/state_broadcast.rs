//! A broadcast of the states of servers.
//!
//! INVARIANT: of two attempts to connect one server, only the later one is published.
//! INVARIANT: a slow reader may miss intermediate states, but never the last one of any server.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::watch;

use super::state::ServerState;
use crate::connection::ServerInfo;

/// The states of all servers.
#[derive(Debug, Default)]
pub(super) struct StateBroadcast {
    inner: Mutex<Inner>,
    /// A counter of published states.
    written: watch::Sender<u64>,
}

#[derive(Debug, Default)]
struct Inner {
    lines: HashMap<Arc<str>, Line>,
    last: u64,
    is_closed: bool,
}

#[derive(Debug)]
struct Line {
    /// The sequence number.
    at: u64,
    /// The current publisher.
    writer: u64,
    generation: u64,
    state: ServerState,
}

/// The right to publish the state of one server, until another one gets it.
#[derive(Debug)]
pub(super) struct StatePublisher {
    states: Arc<StateBroadcast>,
    server: Arc<str>,
    writer: u64,
}

impl StateBroadcast {
    /// Creates a publisher; from now on only its states are published. Its first state is published at once.
    pub(super) fn publisher(self: &Arc<Self>, server: &Arc<str>, begins: ServerState) -> StatePublisher {
        let mut inner = self.lock();
        let writer = inner.lines.get(server).map_or(0, |line| line.writer + 1);
        match inner.lines.get_mut(server) {
            // The waiting state is already published.
            Some(line) if is_waiting(&line.state) && is_waiting(&begins) => line.writer = writer,
            Some(_) | None => inner.write(server, begins, Some(writer)),
        }
        self.tell(inner);
        StatePublisher { states: Arc::clone(self), server: Arc::clone(server), writer }
    }

    /// Publishes the final state of this server.
    pub(super) fn end(self: &Arc<Self>, server: &Arc<str>) {
        drop(self.publisher(server, ServerState::Closed));
    }

    /// Ends the readers, once they have read everything.
    pub(super) fn close(&self) {
        let mut inner = self.lock();
        inner.is_closed = true;
        inner.last += 1;
        self.tell(inner);
    }

    pub(super) fn state(&self, server: &str) -> Option<ServerState> {
        self.lock().lines.get(server).map(|line| line.state.clone())
    }

    fn tell(&self, inner: MutexGuard<'_, Inner>) {
        let last = inner.last;
        drop(inner);
        self.written.send_replace(last);
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Inner {
    fn write(&mut self, server: &Arc<str>, state: ServerState, writer: Option<u64>) {
        self.last += 1;
        let at = self.last;
        match self.lines.get_mut(server) {
            Some(line) => {
                let writer = writer.unwrap_or(line.writer);
                *line = Line { at, writer, generation: line.generation, state };
            }
            None => {
                let line = Line { at, writer: writer.unwrap_or(0), generation: 0, state };
                self.lines.insert(Arc::clone(server), line);
            }
        }
    }
}

impl StatePublisher {
    pub(super) fn publish(&self, state: ServerState) {
        let mut inner = self.states.lock();
        if inner.lines.get(&self.server).is_some_and(|line| line.writer == self.writer) {
            inner.write(&self.server, state, None);
            self.states.tell(inner);
        }
    }

    /// Publishes that the server is connected, or that its tools have changed.
    pub(super) fn connected(&self, info: &Arc<ServerInfo>, tools: usize) {
        let mut inner = self.states.lock();
        let Some(line) = inner.lines.get_mut(&self.server).filter(|line| line.writer == self.writer) else {
            return;
        };
        line.generation += 1;
        let generation = line.generation;
        let state = ServerState::Connected { generation, info: Arc::clone(info), tools };
        inner.write(&self.server, state, None);
        self.states.tell(inner);
    }
}

fn is_waiting(state: &ServerState) -> bool {
    matches!(state, ServerState::Waiting)
}

/// The states of servers as they change: first the current state of each, then each change. A slow reader may miss
/// intermediate states, but never the last one of a server.
#[derive(Debug)]
pub struct Changes {
    states: Arc<StateBroadcast>,
    written: watch::Receiver<u64>,
    read: u64,
}

impl Changes {
    pub(super) fn new(states: &Arc<StateBroadcast>) -> Self {
        Self { states: Arc::clone(states), written: states.written.subscribe(), read: 0 }
    }

    /// Returns the next server and its state; `None` once the pool is closed and everything was read. Cancel-safe.
    pub async fn next(&mut self) -> Option<(String, ServerState)> {
        loop {
            self.written.mark_unchanged();
            {
                let inner = self.states.lock();
                let unread = inner.lines.iter().filter(|(_, line)| line.at > self.read);
                if let Some((server, line)) = unread.min_by_key(|(_, line)| line.at) {
                    self.read = line.at;
                    return Some((server.to_string(), line.state.clone()));
                }
                if inner.is_closed {
                    return None;
                }
            }
            // The sender is owned by this object.
            let _ = self.written.changed().await;
        }
    }
}
