//! The transport of `rmcp`: one WebSocket message for each MCP message.
//!
//! No background task runs: the socket is read, and the server pinged, by the receiver of messages, so an unread server
//! has to wait.
//!
//! INVARIANT: once `stop` is cancelled, nothing is read or sent any longer except the closing of the WebSocket.

use std::sync::Arc;
use std::time::Duration;

use becket_process::CancellationToken;
use futures_util::stream::{SplitSink, SplitStream};
use futures_util::{FutureExt, SinkExt, StreamExt};
use rmcp::RoleClient;
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use tokio::sync::Mutex;
use tokio::time::{sleep_until, timeout};
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::error::Error;
use tokio_tungstenite::tungstenite::protocol::CloseFrame;
use tokio_tungstenite::tungstenite::protocol::frame::coding::CloseCode;
use tokio_tungstenite::tungstenite::{Bytes, Message};

use super::super::link::SendError;
use super::super::messages::Messages;
use super::super::outbox::{Outbox, UNREAD};
use super::super::state::State;
use super::super::trouble::Place;
use super::beat::{Beat, Step};
use super::frames;
use super::meter::MeteredSocket;
use crate::fault::Fault;

type Ws = WebSocketStream<MeteredSocket>;

/// Time limit for a failed sender to learn the cause from the reader.
const SETTLE: Duration = Duration::from_millis(500);

/// The channel to a server and back. Clones share it, one after the other: a refused handshake leaves it for the next.
#[derive(Clone)]
pub(crate) struct Wire(Arc<Session>);

/// An open WebSocket.
pub(super) struct Session {
    sink: Mutex<Option<SplitSink<Ws, Message>>>,
    inbound: Mutex<Inbound>,
    outbox: Outbox,
    messages: Messages,
    place: Place,
    cap: usize,
    state: Arc<State>,
    stop: CancellationToken,
}

struct Inbound {
    stream: Option<SplitStream<Ws>>,
    beat: Beat,
}

/// The next event on the reader's side.
enum Next {
    Stopped,
    Frame(Option<Result<Message, Error>>),
    Beat,
}

impl Session {
    pub(super) fn new(
        socket: Ws,
        beat: Beat,
        (place, cap): (Place, usize),
        state: Arc<State>,
        stop: CancellationToken,
    ) -> Arc<Self> {
        let (sink, stream) = socket.split();
        Arc::new(Self {
            sink: Mutex::new(Some(sink)),
            inbound: Mutex::new(Inbound { stream: Some(stream), beat }),
            outbox: Outbox::default(),
            messages: Messages::new(Arc::clone(&state)),
            place,
            cap,
            state,
            stop,
        })
    }

    pub(super) fn wire(self: &Arc<Self>) -> Wire {
        Wire(Arc::clone(self))
    }

    /// Performs the closing handshake.
    pub(super) async fn goodbye(&self) {
        let (mut sink, mut inbound) = (self.sink.lock().await, self.inbound.lock().await);
        let (Some(sink), Some(stream)) = (sink.as_mut(), inbound.stream.as_mut()) else { return };
        let close = CloseFrame { code: CloseCode::Normal, reason: "".into() };
        if sink.send(Message::Close(Some(close))).await.is_ok() {
            while let Some(Ok(_)) = stream.next().await {}
        }
    }

    /// Drops the socket, at once if it is unused, else as soon as its users see the stop.
    pub(super) fn let_go(&self) {
        self.stop.cancel();
        if let Ok(mut sink) = self.sink.try_lock() {
            *sink = None;
        }
        if let Ok(mut inbound) = self.inbound.try_lock() {
            inbound.stream = None;
        }
    }

    async fn next(&self) -> Option<RxJsonRpcMessage<RoleClient>> {
        let mut inbound = self.inbound.lock().await;
        loop {
            let Inbound { stream, beat } = &mut *inbound;
            let next = tokio::select! {
                biased;
                () = self.stop.cancelled() => Next::Stopped,
                frame = stream.as_mut()?.next() => Next::Frame(frame),
                () = sleep_until(beat.until()) => Next::Beat,
            };
            let heard = match next {
                Next::Stopped => return None,
                Next::Frame(frame) => {
                    beat.heard();
                    self.heard(frame)
                }
                Next::Beat => self.beat(beat).map(|()| None),
            };
            match heard {
                Ok(Some(message)) => return Some(message),
                Ok(None) => {}
                Err(fault) => {
                    self.broke(fault);
                    // The next read of a closed socket answers the close, if that is possible at once.
                    let _ = stream.as_mut()?.next().now_or_never();
                    *stream = None;
                    // A sender sees it and releases the lock.
                    *self.sink.lock().await = None;
                    return None;
                }
            }
        }
    }

    fn heard(
        &self,
        frame: Option<Result<Message, Error>>,
    ) -> Result<Option<RxJsonRpcMessage<RoleClient>>, Fault> {
        let message = frame
            .unwrap_or(Err(Error::ConnectionClosed))
            .map_err(|error| frames::fault(&error, &self.place, self.cap))?;
        Ok(frames::text(message)?.and_then(|text| self.messages.read(&text)))
    }

    fn beat(&self, beat: &mut Beat) -> Result<(), Fault> {
        let mut sink = self.sink.try_lock().ok();
        match (beat.step(sink.is_some()), &mut sink) {
            (Step::Silent, _) => Err(Fault::BrokenOff(beat.silence())),
            (Step::Ping, Some(sink)) => {
                if let Some(sink) = sink.as_mut() {
                    // What the system does not accept at once goes with the next message, or the missing pong reveals
                    // it.
                    let _ = sink.send(Message::Ping(Bytes::new())).now_or_never();
                }
                Ok(())
            }
            (Step::Ping | Step::Wait, _) => Ok(()),
        }
    }

    fn broke(&self, fault: Fault) {
        self.state.broke(fault);
        self.stop.cancel();
    }

    /// Sends the first message of the queue.
    async fn send_first(&self) -> Result<(), SendError> {
        let sent = tokio::select! {
            biased;
            () = self.stop.cancelled() => return Err(SendError::Broken),
            sent = self.send_now() => sent,
        };
        let Err(error) = sent else { return Ok(()) };
        // Incoming data says more about the cause than a failed write.
        let _ = timeout(SETTLE, self.stop.cancelled()).await;
        self.broke(frames::fault(&error, &self.place, self.cap));
        Err(SendError::Broken)
    }

    async fn send_now(&self) -> Result<(), Error> {
        let mut sink = self.sink.lock().await;
        let sink = sink.as_mut().ok_or(Error::AlreadyClosed)?;
        let Some(message) = self.outbox.first() else { return Ok(()) };
        let length = message.len();
        // INVARIANT: JSON is UTF-8.
        let text = String::from_utf8(message).map_err(|error| Error::Utf8(error.to_string()))?;
        sink.send(Message::text(text)).await?;
        self.outbox.sent(length);
        Ok(())
    }

    fn put(&self, message: &TxJsonRpcMessage<RoleClient>) -> Result<(), SendError> {
        let text = self.messages.write(message)?;
        self.outbox.put(text).map_err(|_| {
            self.broke(Fault::NotReading(UNREAD));
            SendError::Broken
        })
    }
}

impl Transport<RoleClient> for Wire {
    type Error = SendError;

    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleClient>,
    ) -> impl Future<Output = Result<(), SendError>> + Send + 'static {
        let (session, put) = (Arc::clone(&self.0), self.0.put(&message));
        async move {
            put?;
            session.send_first().await
        }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleClient>> {
        self.0.next().await
    }

    /// Drops the socket.
    async fn close(&mut self) -> Result<(), SendError> {
        Ok(())
    }
}
