//! A server within this process, as a link.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use becket_process::CancellationToken;
use tokio::time::timeout;

use super::super::link::Link;
use super::super::state::State;
use super::wire::{Session, Wire};
use crate::fault::Fault;
use crate::in_process_server::{InProcessServer, pair};

/// An in-process server of the host.
pub(crate) struct InProcessLink {
    server: Arc<dyn InProcessServer>,
    cap: usize,
    state: Arc<State>,
    stop: CancellationToken,
    session: Mutex<Option<Arc<Session>>>,
}

impl InProcessLink {
    /// Creates the link. The server is not called yet. `cap` limits a message of the server, in bytes of JSON.
    pub(crate) fn new(server: Arc<dyn InProcessServer>, cap: usize) -> Self {
        let (state, stop) = (Arc::default(), CancellationToken::new());
        Self { server, cap, state, stop, session: Mutex::default() }
    }

    fn open(&self) -> Result<Arc<Session>, Fault> {
        let (client, server) = pair();
        // A panic of a server must not end its host.
        catch_unwind(AssertUnwindSafe(|| self.server.connect(server)))
            .map_err(|_| Fault::Unreachable("the server in this process panicked".into()))?;
        Ok(Session::new(client, self.cap, Arc::clone(&self.state), self.stop.clone()))
    }

    fn take(&self) -> Option<Arc<Session>> {
        self.session.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

impl Link for InProcessLink {
    type Wire = Wire;

    /// The channels are the same ones each time: a refused handshake leaves them for the next.
    async fn wire(&self) -> Result<Wire, Fault> {
        let mut session = self.session.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(session) = &*session {
            return Ok(session.wire());
        }
        Ok(session.insert(self.open()?).wire())
    }

    fn state(&self) -> &Arc<State> {
        &self.state
    }

    async fn end(&self, grace: Duration) {
        self.state.broke(Fault::Closed);
        self.stop.cancel();
        if let Some(session) = self.take() {
            // A server that runs longer is left to its host, which owns its task.
            let _ = timeout(grace, session.goodbye()).await;
            session.let_go();
        }
    }
}

impl Drop for InProcessLink {
    fn drop(&mut self) {
        self.stop.cancel();
        if let Some(session) = self.take() {
            session.let_go();
        }
    }
}
