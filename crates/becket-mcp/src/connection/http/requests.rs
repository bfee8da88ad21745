//! Requests to a server: headers, redirects, authentication challenges.
//!
//! INVARIANT: a request with a body is sent once; a second time only after a 401 or a redirect has rejected it.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use reqwest::header::{CONTENT_TYPE, HeaderMap, LOCATION, WWW_AUTHENTICATE};
use reqwest::{Client, Method, Proxy, Response, StatusCode, redirect, retry};
use url::Url;

use super::super::target::{RequestHeaders, Target};
use super::super::trouble::{Place, deepest};
use super::era::Network;
use crate::challenge::Challenge;
use crate::fault::Fault;

/// The idle time of a pooled connection. Node's servers close theirs after 5 s, others sooner, and a request sent at
/// the same moment would be lost.
const IDLE: Duration = Duration::from_secs(1);
/// The time limit on connecting, shared by all addresses of a host.
const CONNECT: Duration = Duration::from_secs(10);
/// The limit on redirects.
const HOPS: usize = 3;

/// The HTTP requests to one server.
#[derive(Debug)]
pub(super) struct Requests {
    url: Url,
    client: Mutex<Option<Client>>,
    sent: RequestHeaders,
    place: Place,
    cap: usize,
}

impl Requests {
    /// Creates the requests. Nothing is sent yet.
    pub(super) fn new(target: &Target, network: &Network) -> Result<Self, Fault> {
        target.check()?;
        let none = |error: reqwest::Error| {
            Fault::Unreachable(format!("no HTTP client can be made: {}", error.without_url()))
        };
        let builder = Client::builder()
            .tls_backend_preconfigured((*target.tls).clone())
            .no_proxy()
            .redirect(redirect::Policy::none())
            .retry(retry::never())
            .referer(false)
            .http1_only()
            .tcp_nodelay(true)
            .connect_timeout(CONNECT)
            .pool_idle_timeout(IDLE)
            .user_agent(concat!("becket/", env!("CARGO_PKG_VERSION")));
        let builder = match network.proxy() {
            Some(proxy) => builder.proxy(Proxy::all(proxy.as_str()).map_err(none)?),
            None => builder,
        };
        Ok(Self {
            url: target.url.clone(),
            client: Mutex::new(Some(builder.build().map_err(none)?)),
            sent: RequestHeaders::new(target.headers.clone()),
            place: target.place(),
            cap: target.cap,
        })
    }

    /// Returns the limit on a message, in bytes.
    pub(super) fn cap(&self) -> usize {
        self.cap
    }

    /// Sends a request and returns its response, whatever the status. A 401 is a fault once there are no other headers
    /// to send.
    pub(super) async fn exchange(
        &self,
        method: &Method,
        own: &HeaderMap,
        body: Option<Bytes>,
    ) -> Result<Response, Fault> {
        let client = self.lock().clone().ok_or(Fault::Closed)?;
        let headers = self.sent.headers().await?;
        let request = Request { method, own, body };
        let response = self.follow(&client, &request, &headers).await?;
        let Some(challenge) = challenge(&response) else { return Ok(response) };
        if response.status() == StatusCode::FORBIDDEN {
            return Err(Fault::AuthNeeded(challenge));
        }
        drop(response);
        let others = self.sent.others(&headers, challenge.clone()).await?;
        if others == headers {
            return Err(Fault::AuthNeeded(challenge));
        }
        let response = self.follow(&client, &request, &others).await?;
        match self::challenge(&response) {
            Some(challenge) => Err(Fault::AuthNeeded(challenge)),
            None => Ok(response),
        }
    }

    /// Stops sending; the connections end with their current requests. The returned client is for the farewell.
    pub(super) fn retire(&self) -> Option<Client> {
        self.lock().take()
    }

    /// Ends a session at the server, with the known headers.
    pub(super) async fn farewell(&self, client: &Client, own: &HeaderMap) {
        let Ok(headers) = self.sent.headers().await else { return };
        let request = Request { method: &Method::DELETE, own, body: None };
        // Servers need not support this, and a failure can't be reported to anyone.
        let _ = self.follow(client, &request, &headers).await;
    }

    /// Converts an error that occurs while an answer is read.
    pub(super) fn broken_off(&self, error: reqwest::Error) -> Fault {
        Fault::BrokenOff(deepest(&error.without_url()))
    }

    /// Sends a request and follows redirects within the origin.
    async fn follow(
        &self,
        client: &Client,
        request: &Request<'_>,
        headers: &HeaderMap,
    ) -> Result<Response, Fault> {
        let mut at = self.url.clone();
        for _ in 0..=HOPS {
            let response = self.send(client, request, &at, headers).await?;
            match next_hop(&response) {
                None => return Ok(response),
                Some(next) if next.origin() != self.url.origin() => {
                    let [own, other] = [&self.url, &next].map(|url| url.origin().ascii_serialization());
                    return Err(Fault::OtherOrigin(own, other));
                }
                Some(next) if keeps_method(request, response.status()) => at = next,
                Some(next) => {
                    let body = format!("it has moved to `{}`: write that into its URL", next.path());
                    return Err(Fault::Status { status: response.status().as_u16(), body });
                }
            }
        }
        Err(Fault::NotMcp(format!("it has sent us on more than {HOPS} times")))
    }

    async fn send(
        &self,
        client: &Client,
        request: &Request<'_>,
        at: &Url,
        headers: &HeaderMap,
    ) -> Result<Response, Fault> {
        let mut all = headers.clone();
        // Headers of the protocol override those of a source.
        all.extend(request.own.clone());
        let mut builder = client.request(request.method.clone(), at.clone()).headers(all);
        if let Some(body) = &request.body {
            builder = builder.header(CONTENT_TYPE, "application/json").body(body.clone());
        }
        builder.send().await.map_err(|error| {
            let error = error.without_url();
            if error.is_timeout() && error.is_connect() {
                let (place, limit) = (&self.place.name, CONNECT.as_secs());
                return Fault::Unreachable(format!("no connection to {place} within {limit} s"));
            }
            if error.is_connect() { self.place.unreachable(&error) } else { self.place.broken_off(&error) }
        })
    }

    fn lock(&self) -> MutexGuard<'_, Option<Client>> {
        self.client.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A request, independent of its final address.
struct Request<'a> {
    method: &'a Method,
    own: &'a HeaderMap,
    body: Option<Bytes>,
}

/// Returns the address of a redirect.
fn next_hop(response: &Response) -> Option<Url> {
    let moves = matches!(
        response.status(),
        StatusCode::MOVED_PERMANENTLY
            | StatusCode::FOUND
            | StatusCode::SEE_OTHER
            | StatusCode::TEMPORARY_REDIRECT
            | StatusCode::PERMANENT_REDIRECT
    );
    let location = response.headers().get(LOCATION).filter(|_| moves)?.to_str().ok()?;
    response.url().join(location).ok()
}

/// Returns whether the same request may be sent there: the older statuses require a GET instead.
fn keeps_method(request: &Request<'_>, status: StatusCode) -> bool {
    let keeps = matches!(status, StatusCode::TEMPORARY_REDIRECT | StatusCode::PERMANENT_REDIRECT);
    keeps || *request.method == Method::GET
}

/// Returns the authentication challenge of a response. If there are several, the OAuth one counts.
fn challenge(response: &Response) -> Option<Challenge> {
    let all = response.headers().get_all(WWW_AUTHENTICATE);
    let mut all = all.iter().map(|header| String::from_utf8_lossy(header.as_bytes()).into_owned());
    let first = all.next();
    let is_bearer =
        |header: &String| header.get(..6).is_some_and(|scheme| scheme.eq_ignore_ascii_case("bearer"));
    let header = match first {
        Some(first) if !is_bearer(&first) => Some(all.find(is_bearer).unwrap_or(first)),
        first => first,
    };
    let wants_scope = header.as_ref().is_some_and(|header| header.contains("insufficient_scope"));
    let is_one = match response.status() {
        StatusCode::UNAUTHORIZED => true,
        StatusCode::FORBIDDEN => wants_scope,
        _ => false,
    };
    is_one.then_some(Challenge { header })
}
