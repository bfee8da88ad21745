//! The session of a server: incoming events, outgoing POSTs.
//!
//! No background task runs: the stream is read by the receiver of messages, so the server has to wait if they are not
//! read.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use becket_base::sse::{Event, EventReader};
use bytes::Bytes;
use reqwest::Response;
use rmcp::RoleClient;
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use tokio::sync::Mutex;
use url::Url;

use super::super::link::SendError;
use super::super::messages::Messages;
use super::super::session::{Lifetime, Session};
use super::super::target::Target;
use super::http::{Http, other_origin};
use super::posts::{Kind, Post, Posts};
use crate::fault::Fault;

/// The time limit for a server to accept a message other than a request, which has no other limit.
const TAKE: Duration = Duration::from_secs(30);

/// A stream, and the address for messages.
pub(crate) struct SseSession {
    http: Http,
    endpoint: Url,
    stream: Mutex<Option<Stream>>,
    messages: Messages,
    posts: Arc<Posts>,
    lifetime: Lifetime,
}

impl SseSession {
    /// Requests the stream and waits for its `endpoint` event.
    pub(super) async fn open(http: Http, target: &Target, lifetime: &Lifetime) -> Result<Self, Fault> {
        let (state, cap) = (&lifetime.state, target.cap);
        let response = http.stream(&target.url).await?;
        let own = response.url().clone();
        let mut stream = Stream { response, events: EventReader::new(cap), ready: VecDeque::new(), cap };
        let endpoint = loop {
            let event = stream.next(&http).await?;
            if event.name == b"endpoint" {
                break endpoint(&own, &event.data)?;
            }
            state.no_message(&event.data);
        };
        let (stream, messages) = (Mutex::new(Some(stream)), Messages::new(Arc::clone(state)));
        Ok(Self { http, endpoint, stream, messages, posts: Arc::default(), lifetime: lifetime.clone() })
    }

    async fn request(&self, post: &Post, message: Bytes) -> Result<(), SendError> {
        let sent = tokio::select! {
            biased;
            () = self.lifetime.stop.cancelled() => return Err(SendError::Broken),
            () = post.given_up() => return Ok(()),
            sent = self.http.post(&self.endpoint, message) => sent,
        };
        if sent.is_err() {
            self.messages.in_flight.failed(post.id());
        }
        Ok(sent?)
    }

    async fn notify(&self, message: Bytes) -> Result<(), SendError> {
        tokio::select! {
            biased;
            () = self.lifetime.stop.cancelled() => Err(SendError::Broken),
            sent = self.http.post(&self.endpoint, message) => Ok(sent?),
            () = tokio::time::sleep(TAKE) => {
                let limit = TAKE.as_secs();
                Err(Fault::BrokenOff(format!("it did not accept a message within {limit} s")).into())
            }
        }
    }
}

/// Parses the address for messages, which must have the stream's origin, since secrets are sent there.
fn endpoint(own: &Url, data: &[u8]) -> Result<Url, Fault> {
    let text = String::from_utf8_lossy(data);
    let endpoint = own
        .join(text.trim())
        .map_err(|error| Fault::NotMcp(format!("the address for its messages can't be parsed: {error}")))?;
    if endpoint.origin() == own.origin() { Ok(endpoint) } else { Err(other_origin(own, &endpoint)) }
}

impl Session for SseSession {
    fn send(
        self: Arc<Self>,
        message: TxJsonRpcMessage<RoleClient>,
    ) -> impl Future<Output = Result<(), SendError>> + Send + 'static {
        let kind = Kind::of(&message);
        let text = self.messages.write(&message).map(Bytes::from);
        // Recorded now, so that a cancellation that is sent next finds it.
        let post = match &kind {
            Kind::Request(id) => Some(self.posts.begin(id.clone())),
            Kind::Cancel(_) | Kind::Other => None,
        };
        async move {
            let text = text?;
            match (kind, post) {
                (Kind::Request(_), Some(post)) => self.request(&post, text).await,
                (Kind::Cancel(id), _) => {
                    self.posts.give_up(&id).await;
                    self.notify(text).await
                }
                (Kind::Request(_) | Kind::Other, _) => self.notify(text).await,
            }
        }
    }

    async fn receive(&self) -> Option<RxJsonRpcMessage<RoleClient>> {
        let mut stream = self.stream.lock().await;
        loop {
            let event = tokio::select! {
                biased;
                () = self.lifetime.stop.cancelled() => Err(Fault::Closed),
                event = stream.as_mut()?.next(&self.http) => event,
            };
            match event {
                Ok(event) if event.name.is_empty() || event.name == b"message" => {
                    if let Some(message) = self.messages.read(&event.data) {
                        return Some(message);
                    }
                }
                // Events with other names, and a second `endpoint`, are ignored.
                Ok(_) => {}
                Err(fault) => {
                    self.lifetime.broke(fault);
                    *stream = None;
                    return None;
                }
            }
        }
    }

    fn release(&self) {
        self.lifetime.stop.cancel();
        if let Ok(mut stream) = self.stream.try_lock() {
            *stream = None;
        }
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
