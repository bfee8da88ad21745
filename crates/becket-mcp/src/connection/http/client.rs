//! The HTTP client that `rmcp` uses: each message is one POST, and each POST ends.

use becket_base::http::body::{self, BodyError};
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use becket_process::CancellationToken;
use bytes::Bytes;
use futures_util::StreamExt;
use futures_util::stream::{self, BoxStream};
use reqwest::header::{ACCEPT, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use reqwest::{Method, Response, StatusCode};
use rmcp::RoleClient;
use rmcp::model::ClientJsonRpcMessage;
use rmcp::service::TxJsonRpcMessage;
use rmcp::transport::streamable_http_client::{
    SseError, StreamableHttpClient, StreamableHttpError, StreamableHttpPostResponse,
};
use sse_stream::Sse;

use super::super::link::NotSent;
use super::super::lost_answers::LostAnswers;
use super::super::state::State;
use super::answer::Answer;
use super::feed::Feed;
use super::listening::ServerStream;
use super::meaning::{self, Kind, RequestContext};
use super::requests::Requests;
use crate::fault::Fault;

const SESSION: HeaderName = HeaderName::from_static("mcp-session-id");
const LAST_EVENT: HeaderName = HeaderName::from_static("last-event-id");
const EVENTS: &str = "text/event-stream";
/// The limit on the bytes of a refusal that are read.
const REFUSAL: usize = 64 << 10;

type Error = StreamableHttpError<NotSent>;
type Events = BoxStream<'static, Result<Sse, SseError>>;
type Extra = HashMap<HeaderName, HeaderValue>;

/// The client of one handshake attempt, and of the resulting connection. Clones share its state.
#[derive(Clone)]
pub(super) struct Client(Arc<Inner>);

struct Inner {
    requests: Arc<Requests>,
    sessions: Arc<Sessions>,
    state: Arc<State>,
    /// Cancels every wait.
    over: CancellationToken,
    listens: AtomicBool,
}

/// The headers for opening a session's streams.
#[derive(Debug, Clone, Default)]
pub(super) struct SessionHeaders(HeaderMap);

/// The sessions of a link, which are ended with it.
#[derive(Debug, Default)]
pub(super) struct Sessions(Mutex<Vec<SessionHeaders>>);

impl Sessions {
    pub(super) fn take(&self) -> Vec<HeaderMap> {
        let ways = std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner));
        ways.into_iter().map(|way| way.0).collect()
    }

    fn begun(&self, way: SessionHeaders) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(way);
    }

    /// Updates the headers of the session: the protocol version has been negotiated.
    fn grown(&self, way: &SessionHeaders) {
        let mut ways = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = ways.iter_mut().find(|known| known.0.get(SESSION) == way.0.get(SESSION)) {
            *known = way.clone();
        }
    }

    fn lost(&self, way: &SessionHeaders) {
        let mut ways = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        ways.retain(|known| known.0.get(SESSION) != way.0.get(SESSION));
    }
}

impl Client {
    pub(super) fn new(
        requests: Arc<Requests>,
        sessions: Arc<Sessions>,
        state: Arc<State>,
        over: CancellationToken,
    ) -> Self {
        Self(Arc::new(Inner { requests, sessions, state, over, listens: AtomicBool::new(false) }))
    }

    pub(super) fn requests(&self) -> &Requests {
        &self.0.requests
    }

    pub(super) fn lost_answers(&self) -> &LostAnswers {
        &self.0.state.lost
    }

    /// Records whether there is a stream for unsolicited messages.
    pub(super) fn listens(&self, listens: bool) {
        self.0.listens.store(listens, Ordering::Release);
    }

    /// Opens a stream with a GET, after an earlier event.
    pub(super) async fn open(&self, way: &SessionHeaders, after: Option<&[u8]>) -> Result<Feed, Fault> {
        let mut headers = way.0.clone();
        headers.insert(ACCEPT, HeaderValue::from_static(EVENTS));
        if let Some(id) = after.and_then(|id| HeaderValue::from_bytes(id).ok()) {
            headers.insert(LAST_EVENT, id);
        }
        let response = self.0.requests.exchange(&Method::GET, &headers, None).await?;
        let status = response.status();
        if !status.is_success() {
            return Err(Fault::Status { status: status.as_u16(), body: String::new() });
        }
        if !is_events(&response) {
            return Err(Fault::NotMcp("it sends no stream".into()));
        }
        Ok(Feed::new(response, self.0.requests.cap()))
    }

    async fn post(
        &self,
        message: &TxJsonRpcMessage<RoleClient>,
        way: SessionHeaders,
    ) -> Result<StreamableHttpPostResponse, Fault> {
        let asked = RequestContext::of(message, way.0.contains_key(SESSION));
        let body = serde_json::to_vec(message)
            .map_err(|error| Fault::NotMcp(format!("the message can't be written: {error}")))?;
        if asked.kind == Kind::Initialized {
            self.0.sessions.grown(&way);
        }
        let mut headers = way.0.clone();
        headers.insert(ACCEPT, HeaderValue::from_static("application/json, text/event-stream"));
        let sent = self.0.requests.exchange(&Method::POST, &headers, Some(Bytes::from(body))).await;
        let read = match sent {
            Ok(response) if response.status().is_success() => self.success(response, &asked, &way).await,
            Ok(response) => refusal(response, &asked).await,
            Err(fault) => Err(fault),
        };
        if let Err(fault) = &read {
            self.failed(fault, &asked, &way);
        }
        read
    }

    async fn success(
        &self,
        response: Response,
        asked: &RequestContext,
        way: &SessionHeaders,
    ) -> Result<StreamableHttpPostResponse, Fault> {
        let session = response.headers().get(SESSION).cloned();
        if asked.kind == Kind::Initialize
            && let Some(session) = &session
        {
            self.0.sessions.begun(SessionHeaders(HeaderMap::from_iter([(SESSION, session.clone())])));
        }
        let session = session.and_then(|session| session.to_str().ok().map(str::to_owned));
        let Some(id) = &asked.id else { return Ok(StreamableHttpPostResponse::Accepted) };
        if matches!(response.status(), StatusCode::ACCEPTED | StatusCode::NO_CONTENT) {
            // Some servers answer over the other stream, which is open after the handshake.
            return if asked.kind == Kind::Other && self.0.listens.load(Ordering::Acquire) {
                Ok(StreamableHttpPostResponse::Accepted)
            } else {
                let status = response.status().as_u16();
                Err(Fault::NotMcp(format!("it takes a request without answering it (HTTP {status})")))
            };
        }
        if is_events(&response) {
            let feed = Feed::new(response, self.0.requests.cap());
            let answer = Answer::new(self.clone(), way.clone(), id.clone(), feed);
            return Ok(StreamableHttpPostResponse::Sse(self.stream(answer), session));
        }
        let content_type = content_type(&response).map(str::to_owned);
        let body = self.whole(response).await?;
        let answer = meaning::of_body(&body, content_type.as_deref(), id, self.lost_answers())?;
        Ok(StreamableHttpPostResponse::Json(answer, session))
    }

    /// Reads a complete body, up to the size limit.
    async fn whole(&self, mut response: Response) -> Result<Vec<u8>, Fault> {
        let (requests, cap) = (&self.0.requests, self.0.requests.cap());
        body::read(&mut response, cap).await.map_err(|error| match error {
            BodyError::TooLong(cap) => Fault::TooLarge(cap),
            BodyError::Transport(error) => requests.broken_off(error),
        })
    }

    fn failed(&self, fault: &Fault, asked: &RequestContext, way: &SessionHeaders) {
        if matches!(fault, Fault::SessionExpired) {
            self.0.sessions.lost(way);
        }
        // Otherwise the library would end the connection without a reason.
        if asked.kind == Kind::Initialized {
            self.0.state.broke(fault.clone());
        }
    }

    fn stream(&self, answer: Answer) -> Events {
        let over = self.0.over.clone();
        let next = |(mut answer, over): (Answer, CancellationToken)| async move {
            let event = tokio::select! {
                biased;
                () = over.cancelled() => None,
                event = answer.next() => event,
            };
            event.map(|event| (Ok(event), (answer, over)))
        };
        stream::unfold((answer, over), next).boxed()
    }

    async fn listen(&self, way: SessionHeaders) -> Result<Events, Fault> {
        let feed = self.open(&way, None).await?;
        let (listening, over) = (ServerStream::new(self.clone(), way, feed), self.0.over.clone());
        let next = |(mut listening, over): (ServerStream, CancellationToken)| async move {
            let event = tokio::select! {
                biased;
                () = over.cancelled() => None,
                event = listening.next() => event,
            };
            event.map(|event| (Ok(event), (listening, over)))
        };
        Ok(stream::unfold((listening, over), next).boxed())
    }

    async fn unless_over<T>(&self, work: impl Future<Output = Result<T, Fault>>) -> Result<T, Error> {
        let done = tokio::select! {
            biased;
            () = self.0.over.cancelled() => Err(Fault::Closed),
            done = work => done,
        };
        done.map_err(|fault| StreamableHttpError::Client(NotSent(fault)))
    }
}

impl StreamableHttpClient for Client {
    type Error = NotSent;

    async fn post_message(
        &self,
        _: Arc<str>,
        message: ClientJsonRpcMessage,
        session: Option<Arc<str>>,
        _: Option<String>,
        extra: Extra,
    ) -> Result<StreamableHttpPostResponse, Error> {
        self.unless_over(async { self.post(&message, SessionHeaders::new(session.as_deref(), extra)?).await })
            .await
    }

    /// Sessions are ended with the link, and with its grace.
    async fn delete_session(
        &self,
        _: Arc<str>,
        _: Arc<str>,
        _: Option<String>,
        _: Extra,
    ) -> Result<(), Error> {
        Ok(())
    }

    async fn get_stream(
        &self,
        _: Arc<str>,
        session: Option<Arc<str>>,
        _: Option<String>,
        _: Option<String>,
        extra: Extra,
    ) -> Result<Events, Error> {
        self.unless_over(async { self.listen(SessionHeaders::new(session.as_deref(), extra)?).await }).await
    }
}

impl SessionHeaders {
    fn new(session: Option<&str>, extra: Extra) -> Result<Self, Fault> {
        let mut headers: HeaderMap = extra.into_iter().collect();
        if let Some(session) = session {
            let session = HeaderValue::from_str(session)
                .map_err(|_| Fault::NotMcp("the name of its session can't be sent back".into()))?;
            headers.insert(SESSION, session);
        }
        Ok(Self(headers))
    }
}

async fn refusal(
    mut response: Response,
    asked: &RequestContext,
) -> Result<StreamableHttpPostResponse, Fault> {
    let status = response.status().as_u16();
    let mut body = Vec::new();
    // The body is optional: the status of a refusal matters most.
    let _ = body::read_up_to(&mut response, REFUSAL, &mut body).await;
    let answer = meaning::of_refusal(status, &body, asked)?;
    Ok(StreamableHttpPostResponse::Json(answer, None))
}

fn is_events(response: &Response) -> bool {
    let kind = content_type(response).and_then(|kind| kind.split(';').next());
    kind.is_some_and(|kind| kind.trim().eq_ignore_ascii_case(EVENTS))
}

fn content_type(response: &Response) -> Option<&str> {
    response.headers().get(CONTENT_TYPE)?.to_str().ok()
}
