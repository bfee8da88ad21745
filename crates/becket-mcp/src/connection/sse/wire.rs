//! The transport of `rmcp`: incoming events, outgoing POSTs.
//!
//! No background task runs: the stream is read by the receiver of messages, so an unread server has to wait.
//!
//! INVARIANT: once `stop` is cancelled, nothing is read or sent any longer, and the stream is dropped.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use becket_base::sse::{Event, EventReader};
use becket_process::CancellationToken;
use bytes::Bytes;
use reqwest::Response;
use rmcp::RoleClient;
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use tokio::sync::Mutex;
use url::Url;

use super::super::link::SendError;
use super::super::messages::Messages;
use super::super::state::State;
use super::http::{Http, other_origin};
use super::posts::{Kind, Post, Posts};
use crate::fault::Fault;

/// Time limit for a server to accept a message other than a request: there is no other one for these.
const TAKE: Duration = Duration::from_secs(30);

/// The channel to a server and back. Clones share it, one after the other: a refused handshake leaves it for the next.
#[derive(Clone)]
pub(crate) struct Wire(Arc<Session>);

/// A stream, and the address for messages.
pub(super) struct Session {
    http: Http,
    endpoint: Url,
    stream: Mutex<Option<Stream>>,
    messages: Messages,
    posts: Arc<Posts>,
    state: Arc<State>,
    stop: CancellationToken,
}

impl Session {
    /// Requests the stream and waits for its `endpoint` event.
    pub(super) async fn open(
        http: Http,
        url: &Url,
        cap: usize,
        state: Arc<State>,
        stop: CancellationToken,
    ) -> Result<Self, Fault> {
        let response = http.stream(url).await?;
        let own = response.url().clone();
        let mut stream = Stream { response, events: EventReader::new(cap), ready: VecDeque::new(), cap };
        let endpoint = loop {
            let event = stream.next(&http).await?;
            if event.name == b"endpoint" {
                break endpoint(&own, &event.data)?;
            }
            state.no_message(&event.data);
        };
        let (stream, messages) = (Mutex::new(Some(stream)), Messages::new(Arc::clone(&state)));
        Ok(Self { http, endpoint, stream, messages, posts: Arc::default(), state, stop })
    }

    /// Drops the stream, at once if it is not being read, else as soon as its reader sees the stop.
    pub(super) fn let_go(&self) {
        self.stop.cancel();
        if let Ok(mut stream) = self.stream.try_lock() {
            *stream = None;
        }
    }

    pub(super) fn wire(self: &Arc<Self>) -> Wire {
        Wire(Arc::clone(self))
    }

    async fn next(&self) -> Option<RxJsonRpcMessage<RoleClient>> {
        let mut stream = self.stream.lock().await;
        loop {
            let event = tokio::select! {
                biased;
                () = self.stop.cancelled() => Err(Fault::Closed),
                event = stream.as_mut()?.next(&self.http) => event,
            };
            match event {
                Ok(event) if event.name.is_empty() || event.name == b"message" => {
                    if let Some(message) = self.messages.read(&event.data) {
                        return Some(message);
                    }
                }
                // Events of other names, and a second `endpoint`.
                Ok(_) => {}
                Err(fault) => {
                    self.state.broke(fault);
                    self.stop.cancel();
                    *stream = None;
                    return None;
                }
            }
        }
    }

    async fn request(&self, post: &Post, message: Bytes) -> Result<(), SendError> {
        let sent = tokio::select! {
            biased;
            () = self.stop.cancelled() => return Err(SendError::Broken),
            () = post.given_up() => return Ok(()),
            sent = self.http.post(&self.endpoint, message) => sent,
        };
        if sent.is_err() {
            self.messages.in_flight.failed(post.id());
        }
        Ok(sent?)
    }

    async fn tell(&self, message: Bytes) -> Result<(), SendError> {
        tokio::select! {
            biased;
            () = self.stop.cancelled() => Err(SendError::Broken),
            sent = self.http.post(&self.endpoint, message) => Ok(sent?),
            () = tokio::time::sleep(TAKE) => {
                let limit = TAKE.as_secs();
                Err(Fault::BrokenOff(format!("it did not take a message within {limit} s")).into())
            }
        }
    }
}

/// Reads the address for messages, which must have the stream's origin: what is sent there is secret.
fn endpoint(own: &Url, data: &[u8]) -> Result<Url, Fault> {
    let text = String::from_utf8_lossy(data);
    let endpoint = own
        .join(text.trim())
        .map_err(|error| Fault::NotMcp(format!("where it wants its messages can't be read: {error}")))?;
    if endpoint.origin() == own.origin() { Ok(endpoint) } else { Err(other_origin(own, &endpoint)) }
}

impl Transport<RoleClient> for Wire {
    type Error = SendError;

    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleClient>,
    ) -> impl Future<Output = Result<(), SendError>> + Send + 'static {
        let session = Arc::clone(&self.0);
        let kind = Kind::of(&message);
        let text = session.messages.write(&message).map(Bytes::from);
        // Recorded now, so that a cancellation that is sent next finds it.
        let post = match &kind {
            Kind::Request(id) => Some(session.posts.begin(id.clone())),
            Kind::Cancel(_) | Kind::Other => None,
        };
        async move {
            let text = text?;
            match (kind, post) {
                (Kind::Request(_), Some(post)) => session.request(&post, text).await,
                (Kind::Cancel(id), _) => {
                    session.posts.give_up(&id).await;
                    session.tell(text).await
                }
                (Kind::Request(_) | Kind::Other, _) => session.tell(text).await,
            }
        }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleClient>> {
        self.0.next().await
    }

    /// Drops the stream.
    async fn close(&mut self) -> Result<(), SendError> {
        Ok(())
    }
}

/// A stream of events.
struct Stream {
    response: Response,
    events: EventReader,
    ready: VecDeque<Event>,
    cap: usize,
}

impl Stream {
    /// Returns the next event. Cancel-safe.
    async fn next(&mut self, http: &Http) -> Result<Event, Fault> {
        loop {
            if let Some(event) = self.ready.pop_front() {
                return Ok(event);
            }
            let Some(piece) = self.response.chunk().await.map_err(|error| http.broken_off(error))? else {
                return Err(Fault::BrokenOff("the server has closed the stream".into()));
            };
            let ready = &mut self.ready;
            self.events
                .push(&piece, |event| ready.push_back(event))
                .map_err(|_| Fault::TooLarge(self.cap))?;
        }
    }
}
