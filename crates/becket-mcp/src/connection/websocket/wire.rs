//! The two halves of a WebSocket: one WebSocket message for each MCP message. The receiver of messages also pings the
//! server.

use std::sync::Arc;
use std::time::Duration;

use futures_util::stream::{SplitSink, SplitStream};
use futures_util::{FutureExt, SinkExt, StreamExt};
use tokio::sync::Mutex;
use tokio::time::{sleep_until, timeout};
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::error::Error;
use tokio_tungstenite::tungstenite::protocol::CloseFrame;
use tokio_tungstenite::tungstenite::protocol::frame::coding::CloseCode;
use tokio_tungstenite::tungstenite::{Bytes, Message};

use super::super::duplex::{Duplex, Inbound, Outbound};
use super::super::link::SendError;
use super::super::session::Lifetime;
use super::super::trouble::Place;
use super::beat::{Beat, Step};
use super::frames;
use super::meter::MeteredSocket;
use crate::fault::Fault;

type Ws = WebSocketStream<MeteredSocket>;

/// The time limit for a failed sender to learn the cause from the reader.
const SETTLE: Duration = Duration::from_millis(500);

/// The peer of a socket and the limit on its messages, for errors.
#[derive(Debug, Clone)]
pub(super) struct Peer {
    pub(super) place: Place,
    pub(super) cap: usize,
}

impl Peer {
    fn fault(&self, error: &Error) -> Fault {
        frames::fault(error, &self.place, self.cap)
    }
}

/// Creates the session of an open WebSocket.
pub(super) fn session(
    socket: Ws,
    beat: Beat,
    peer: Peer,
    lifetime: &Lifetime,
) -> Duplex<ServerMessages, ClientMessages> {
    let (sink, stream) = socket.split();
    let outbound = ClientMessages { sink, peer: peer.clone(), lifetime: lifetime.clone() };
    let outbound = Arc::new(Mutex::new(Some(outbound)));
    let inbound = ServerMessages { stream, beat, outbound: Arc::clone(&outbound), peer };
    Duplex::new(inbound, outbound, lifetime)
}

/// The messages of the server.
pub(crate) struct ServerMessages {
    stream: SplitStream<Ws>,
    beat: Beat,
    /// The other half, for pings.
    outbound: Arc<Mutex<Option<ClientMessages>>>,
    peer: Peer,
}

impl ServerMessages {
    async fn next(&mut self) -> Result<Bytes, Fault> {
        loop {
            let frame = tokio::select! {
                biased;
                frame = self.stream.next() => frame.unwrap_or(Err(Error::ConnectionClosed)),
                () = sleep_until(self.beat.until()) => {
                    self.ping()?;
                    continue;
                }
            };
            self.beat.received();
            if let Some(text) = frames::text(frame.map_err(|error| self.peer.fault(&error))?)? {
                return Ok(text);
            }
        }
    }

    fn ping(&mut self) -> Result<(), Fault> {
        let mut outbound = self.outbound.try_lock().ok();
        match (self.beat.step(outbound.is_some()), outbound.as_deref_mut()) {
            (Step::Silent, _) => Err(Fault::BrokenOff(self.beat.silence())),
            (Step::Ping, Some(Some(outbound))) => {
                // A ping that the system does not accept at once is sent with the next message, or the missing pong
                // reveals the failure.
                let _ = outbound.sink.send(Message::Ping(Bytes::new())).now_or_never();
                Ok(())
            }
            (Step::Ping | Step::Wait, _) => Ok(()),
        }
    }
}

impl Inbound for ServerMessages {
    async fn receive(&mut self) -> Result<Bytes, Fault> {
        let text = self.next().await;
        if text.is_err() {
            // The next read of a closed socket answers the close, if that is possible at once.
            let _ = self.stream.next().now_or_never();
        }
        text
    }

    async fn drain(&mut self) {
        while let Some(Ok(_)) = self.stream.next().await {}
    }
}

/// The messages to the server.
pub(crate) struct ClientMessages {
    sink: SplitSink<Ws, Message>,
    peer: Peer,
    lifetime: Lifetime,
}

impl Outbound for ClientMessages {
    async fn send(&mut self, text: Vec<u8>) -> Result<(), SendError> {
        // INVARIANT: JSON is UTF-8.
        let sent = match String::from_utf8(text) {
            Ok(text) => self.sink.send(Message::text(text)).await,
            Err(error) => Err(Error::Utf8(error.to_string())),
        };
        let Err(error) = sent else { return Ok(()) };
        // Incoming data says more about the cause than a failed write.
        let _ = timeout(SETTLE, self.lifetime.stop.cancelled()).await;
        self.lifetime.broke(self.peer.fault(&error));
        Err(SendError::Broken)
    }

    async fn close(&mut self) -> bool {
        let close = CloseFrame { code: CloseCode::Normal, reason: "".into() };
        self.sink.send(Message::Close(Some(close))).await.is_ok()
    }
}
