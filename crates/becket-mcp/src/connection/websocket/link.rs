//! A server behind a WebSocket, as a link.

use std::sync::Arc;
use std::time::Duration;

use becket_process::CancellationToken;
use tokio::sync::Mutex;
use tokio::time::timeout;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::protocol::{Role, WebSocketConfig};

use super::super::link::Link;
use super::super::state::State;
use super::super::target::{RequestHeaders, Target};
use super::beat::{Beat, Rhythm};
use super::dial::dial;
use super::meter::MeteredSocket;
use super::upgrade::upgrade;
use super::wire::{Session, Wire};
use crate::fault::Fault;

/// The size of the read buffer. It does not limit a message.
const BUFFER: usize = 16 << 10;

/// A server that is reached over a WebSocket.
pub(crate) struct WebSocketLink {
    target: Target,
    rhythm: Rhythm,
    state: Arc<State>,
    stop: CancellationToken,
    session: Mutex<Option<Arc<Session>>>,
}

impl WebSocketLink {
    /// Creates it. Nothing is sent yet.
    pub(crate) fn new(target: Target) -> Self {
        Self {
            target,
            rhythm: Rhythm::default(),
            state: Arc::default(),
            stop: CancellationToken::new(),
            session: Mutex::default(),
        }
    }

    /// Sets another rhythm of pings.
    #[cfg(test)]
    pub(super) fn with_rhythm(mut self, rhythm: Rhythm) -> Self {
        self.rhythm = rhythm;
        self
    }

    async fn open(&self) -> Result<Arc<Session>, Fault> {
        let place = self.target.place();
        let (socket, rest) = self.socket().await?;
        let beat = Beat::new(self.rhythm, socket.meter());
        let cap = self.target.cap;
        let config = WebSocketConfig::default()
            .read_buffer_size(BUFFER)
            .write_buffer_size(BUFFER)
            .max_message_size(Some(cap))
            .max_frame_size(Some(cap));
        let socket = WebSocketStream::from_partially_read(socket, rest, Role::Client, Some(config)).await;
        Ok(Session::new(socket, beat, (place, cap), Arc::clone(&self.state), self.stop.clone()))
    }

    /// Connects a WebSocket, and returns it with the bytes that have already arrived. After an authentication failure
    /// it tries once more, with other headers.
    async fn socket(&self) -> Result<(MeteredSocket, Vec<u8>), Fault> {
        let (url, place) = (&self.target.url, self.target.place());
        let sent = RequestHeaders::new(Arc::clone(&self.target.headers));
        let headers = sent.headers().await?;
        let mut socket = dial(&self.target).await?;
        let challenge = match upgrade(&mut socket, url, &headers, &place).await {
            Err(Fault::AuthNeeded(challenge)) => challenge,
            answered => return Ok((socket, answered?)),
        };
        let headers = sent.others(&headers, challenge).await?;
        let mut socket = dial(&self.target).await?;
        let rest = upgrade(&mut socket, url, &headers, &place).await?;
        Ok((socket, rest))
    }
}

impl Link for WebSocketLink {
    type Wire = Wire;

    /// The socket is the same one each time: a refused handshake leaves it for the next.
    async fn wire(&self) -> Result<Wire, Fault> {
        let mut session = self.session.lock().await;
        if let Some(session) = &*session {
            return Ok(session.wire());
        }
        let opened = tokio::select! {
            biased;
            () = self.stop.cancelled() => Err(Fault::Closed),
            opened = self.open() => opened,
        };
        Ok(session.insert(opened?).wire())
    }

    fn state(&self) -> &Arc<State> {
        &self.state
    }

    async fn end(&self, grace: Duration) {
        self.state.broke(Fault::Closed);
        self.stop.cancel();
        if let Some(session) = self.session.lock().await.take() {
            let _ = timeout(grace, session.goodbye()).await;
            session.let_go();
        }
    }
}

impl Drop for WebSocketLink {
    fn drop(&mut self) {
        self.stop.cancel();
        if let Some(session) = self.session.get_mut() {
            session.let_go();
        }
    }
}
