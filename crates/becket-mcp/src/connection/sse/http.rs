//! Requests to a server of the older kind: headers, refusals, redirects.
//!
//! It does not follow a redirect to another origin, send anything twice except what was refused with a 401, or use a
//! proxy that is not configured.

use std::time::Duration;

use becket_base::http::body;
use becket_base::text::one_line;
use bytes::Bytes;
use reqwest::header::{ACCEPT, CONTENT_TYPE, HeaderMap, LOCATION, WWW_AUTHENTICATE};
use reqwest::{Client, Method, Proxy, Response, StatusCode, redirect, retry};
use url::Url;

use super::super::handshake::{SHOWN, shown};
use super::super::target::{Reach, RequestHeaders, Target};
use super::super::trouble::{Place, deepest};
use crate::challenge::Challenge;
use crate::fault::Fault;

/// The idle time of a pooled connection: servers close theirs after 2 s or more, and a message sent at the same moment
/// would be lost.
const IDLE: Duration = Duration::from_secs(1);
/// The limit on redirects.
const HOPS: usize = 5;
/// The limits on size and time for reading a refusal, which is quoted: its status matters more.
const BEGINNING: usize = 4 << 10;
const MOMENT: Duration = Duration::from_secs(1);

/// The HTTP requests to a server.
#[derive(Debug)]
pub(super) struct Http {
    client: Client,
    sent: RequestHeaders,
    place: Place,
}

impl Http {
    pub(super) fn new(target: &Target, proxy: Option<&Url>) -> Result<Self, Fault> {
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
            .pool_idle_timeout(IDLE)
            .user_agent(concat!("becket/", env!("CARGO_PKG_VERSION")));
        let builder = match target.addresses() {
            Some(addresses) => builder.resolve_to_addrs("localhost", &addresses),
            None => builder,
        };
        let builder = match proxy.filter(|_| target.reach == Reach::Anywhere) {
            Some(proxy) => builder.proxy(Proxy::all(proxy.as_str()).map_err(none)?),
            None => builder,
        };
        let client = builder.build().map_err(none)?;
        Ok(Self { client, sent: RequestHeaders::new(target.headers.clone()), place: target.place() })
    }

    /// Requests the stream of events. The response's URL is its final address.
    pub(super) async fn stream(&self, url: &Url) -> Result<Response, Fault> {
        let response = self.exchange(&Method::GET, url, None).await?;
        let kind = response.headers().get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
        let kind = kind.unwrap_or("no type").to_owned();
        if kind.split(';').next().is_some_and(|kind| kind.trim().eq_ignore_ascii_case("text/event-stream")) {
            return Ok(response);
        }
        let begins = beginning(response).await;
        Err(Fault::NotMcp(format!("it sends `{}` instead of `text/event-stream`: {begins}", shown(&kind))))
    }

    /// Sends a message. Only the status of the response counts.
    pub(super) async fn post(&self, url: &Url, message: Bytes) -> Result<(), Fault> {
        self.exchange(&Method::POST, url, Some(message)).await.map(drop)
    }

    async fn exchange(&self, method: &Method, url: &Url, body: Option<Bytes>) -> Result<Response, Fault> {
        let headers = self.sent.headers().await?;
        let challenge = match accepted(self.follow(method, url, &body, &headers).await?).await {
            Err(Fault::AuthNeeded(challenge)) => challenge,
            answered => return answered,
        };
        let headers = self.sent.others(&headers, challenge).await?;
        accepted(self.follow(method, url, &body, &headers).await?).await
    }

    /// Sends a request and follows redirects within the origin.
    async fn follow(
        &self,
        method: &Method,
        url: &Url,
        body: &Option<Bytes>,
        headers: &HeaderMap,
    ) -> Result<Response, Fault> {
        let mut at = url.clone();
        for _ in 0..=HOPS {
            let response = self.send(method, &at, body, headers).await?;
            match next_hop(method, &response) {
                Some(next) if next.origin() == url.origin() => at = next,
                Some(next) => return Err(other_origin(url, &next)),
                None => return Ok(response),
            }
        }
        Err(Fault::NotMcp(format!("it has sent us on more than {HOPS} times")))
    }

    async fn send(
        &self,
        method: &Method,
        url: &Url,
        body: &Option<Bytes>,
        headers: &HeaderMap,
    ) -> Result<Response, Fault> {
        let request = self.client.request(method.clone(), url.clone()).headers(headers.clone());
        let request = match body {
            Some(body) => request.header(CONTENT_TYPE, "application/json").body(body.clone()),
            None => request.header(ACCEPT, "text/event-stream").header("cache-control", "no-store"),
        };
        request.send().await.map_err(|error| self.fault(error, *method == Method::GET))
    }

    fn fault(&self, error: reqwest::Error, at_first: bool) -> Fault {
        let error = error.without_url();
        if error.is_connect() {
            return self.place.unreachable(&error);
        }
        if at_first { self.place.no_answer(&error) } else { self.place.broken_off(&error) }
    }

    /// Converts an error that occurs while the stream is read.
    pub(super) fn broken_off(&self, error: reqwest::Error) -> Fault {
        Fault::BrokenOff(deepest(&error.without_url()))
    }
}

/// Returns the fault for an address that must not be contacted.
pub(super) fn other_origin(own: &Url, other: &Url) -> Fault {
    Fault::OtherOrigin(own.origin().ascii_serialization(), other.origin().ascii_serialization())
}

/// Returns the address of a redirect.
fn next_hop(method: &Method, response: &Response) -> Option<Url> {
    let keeps_method = match response.status() {
        StatusCode::TEMPORARY_REDIRECT | StatusCode::PERMANENT_REDIRECT => true,
        StatusCode::MOVED_PERMANENTLY | StatusCode::FOUND | StatusCode::SEE_OTHER => *method == Method::GET,
        _ => false,
    };
    let location = response.headers().get(LOCATION)?.to_str().ok()?;
    if keeps_method { response.url().join(location).ok() } else { None }
}

async fn accepted(response: Response) -> Result<Response, Fault> {
    let status = response.status();
    if status.is_success() {
        return Ok(response);
    }
    let header = response.headers().get(WWW_AUTHENTICATE);
    let header = header.map(|header| String::from_utf8_lossy(header.as_bytes()).into_owned());
    let is_scope = header.as_ref().is_some_and(|header| header.contains("insufficient_scope"));
    if status == StatusCode::UNAUTHORIZED || (status == StatusCode::FORBIDDEN && is_scope) {
        return Err(Fault::AuthNeeded(Challenge { header }));
    }
    let body = beginning(response).await;
    if status == StatusCode::NOT_FOUND && body.contains("-32001") {
        return Err(Fault::SessionExpired);
    }
    Err(Fault::Status { status: status.as_u16(), body })
}

/// Returns the beginning of an unusable answer, on one line.
async fn beginning(mut response: Response) -> String {
    let mut body = Vec::new();
    let reading = body::read_up_to(&mut response, BEGINNING, &mut body);
    // The rest of the body is optional.
    let _ = tokio::time::timeout(MOMENT, reading).await;
    one_line(&String::from_utf8_lossy(&body), SHOWN)
}
