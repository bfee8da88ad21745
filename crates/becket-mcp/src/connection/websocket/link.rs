//! A server behind a WebSocket, as a link.

use std::sync::Arc;

use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::protocol::{Role, WebSocketConfig};

use super::super::duplex::Duplex;
use super::super::session::{Lifetime, Opener, SessionLink};
use super::super::target::{RequestHeaders, Target};
use super::beat::{Beat, Rhythm};
use super::dial::dial;
use super::meter::MeteredSocket;
use super::upgrade::upgrade;
use super::wire::{ClientMessages, Peer, ServerMessages, session};
use crate::fault::Fault;

/// The size of the read buffer, which does not limit a message.
const BUFFER: usize = 16 << 10;

/// The link to a server that is reached over a WebSocket.
pub(crate) type WebSocketLink = SessionLink<WebSocketOpener>;

/// A server, and the rhythm of its pings.
pub(crate) struct WebSocketOpener {
    target: Target,
    rhythm: Rhythm,
}

impl SessionLink<WebSocketOpener> {
    /// Creates the opener. Nothing is sent yet.
    pub(crate) fn new(target: Target) -> Self {
        Self::with(WebSocketOpener { target, rhythm: Rhythm::default() })
    }

    /// Sets another rhythm of pings.
    #[cfg(test)]
    pub(super) fn with_rhythm(mut self, rhythm: Rhythm) -> Self {
        self.opener.rhythm = rhythm;
        self
    }
}

impl Opener for WebSocketOpener {
    type Session = Duplex<ServerMessages, ClientMessages>;

    async fn open(&self, lifetime: &Lifetime) -> Result<Self::Session, Fault> {
        let peer = Peer { place: self.target.place(), cap: self.target.cap };
        let (socket, rest) = self.socket().await?;
        let beat = Beat::new(self.rhythm, socket.meter());
        let config = WebSocketConfig::default()
            .read_buffer_size(BUFFER)
            .write_buffer_size(BUFFER)
            .max_message_size(Some(peer.cap))
            .max_frame_size(Some(peer.cap));
        let socket = WebSocketStream::from_partially_read(socket, rest, Role::Client, Some(config)).await;
        Ok(session(socket, beat, peer, lifetime))
    }
}

impl WebSocketOpener {
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
