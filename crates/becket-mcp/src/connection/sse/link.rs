//! A server of the older kind, as a link.

use std::sync::Arc;
use std::time::Duration;

use becket_process::CancellationToken;
use tokio::sync::Mutex;
use url::Url;

use super::super::link::Link;
use super::super::state::State;
use super::super::target::Target;
use super::http::Http;
use super::wire::{Session, Wire};
use crate::fault::Fault;

/// A server that is reached by a stream of events.
pub(crate) struct SseLink {
    target: Target,
    proxy: Option<Url>,
    state: Arc<State>,
    stop: CancellationToken,
    session: Mutex<Option<Arc<Session>>>,
}

impl SseLink {
    /// Creates it. Nothing is sent yet.
    pub(crate) fn new(target: Target) -> Self {
        Self {
            target,
            proxy: None,
            state: Arc::default(),
            stop: CancellationToken::new(),
            session: Mutex::default(),
        }
    }

    /// Sets a proxy, if there is one. It is not used for a server on this machine.
    pub(crate) fn through(mut self, proxy: Option<&Url>) -> Self {
        self.proxy = proxy.cloned();
        self
    }

    async fn open(&self) -> Result<Arc<Session>, Fault> {
        let http = Http::new(&self.target, self.proxy.as_ref())?;
        let Target { url, cap, .. } = &self.target;
        let session = Session::open(http, url, *cap, Arc::clone(&self.state), self.stop.clone());
        tokio::select! {
            biased;
            () = self.stop.cancelled() => Err(Fault::Closed),
            session = session => Ok(Arc::new(session?)),
        }
    }
}

impl Link for SseLink {
    type Wire = Wire;

    /// The stream is the same one each time: a refused handshake leaves it for the next.
    async fn wire(&self) -> Result<Wire, Fault> {
        let mut session = self.session.lock().await;
        if let Some(session) = &*session {
            return Ok(session.wire());
        }
        Ok(session.insert(self.open().await?).wire())
    }

    fn state(&self) -> &Arc<State> {
        &self.state
    }

    /// No wait is needed: a session ends with its stream.
    async fn end(&self, _: Duration) {
        self.state.broke(Fault::Closed);
        self.stop.cancel();
        if let Some(session) = self.session.lock().await.take() {
            session.let_go();
        }
    }
}

impl Drop for SseLink {
    fn drop(&mut self) {
        self.stop.cancel();
        if let Some(session) = self.session.get_mut() {
            session.let_go();
        }
    }
}
