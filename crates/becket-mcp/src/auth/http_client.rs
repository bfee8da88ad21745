//! The HTTP client of logins: separate, so that no environment variable, redirect or remote document decides the
//! destination of a request.
//!
//! No redirect is followed, no request is retried, no proxy is used, a response is read up to a cap, and every name is
//! checked by its addresses as it is connected.

use becket_base::http::body::{self, BodyError};
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use reqwest::header::CONTENT_TYPE;
use reqwest::{Client, Request, StatusCode, redirect, retry};
use rmcp::transport::auth::{OAuthHttpClient, OAuthHttpClientFuture, OAuthHttpRequest};
use url::Url;

use crate::auth::AuthError;
use crate::auth::key::shown;
use crate::auth::url_policy::UrlPolicy;

/// The limit on a response, in bytes.
const CAP: usize = 1 << 20;

/// The time limit on one request.
pub(crate) const REQUEST: Duration = Duration::from_secs(30);

/// The HTTP client for the logins of one server.
#[derive(Debug, Clone)]
pub(crate) struct HttpClient {
    client: Client,
    policy: Arc<UrlPolicy>,
}

/// A complete response.
pub(crate) struct Answer {
    pub(crate) status: StatusCode,
    pub(crate) headers: reqwest::header::HeaderMap,
    pub(crate) body: Vec<u8>,
}

impl HttpClient {
    pub(crate) fn new(tls: rustls::ClientConfig, policy: UrlPolicy) -> Result<Self, AuthError> {
        let policy = Arc::new(policy);
        let client = Client::builder()
            .tls_backend_preconfigured(tls)
            .dns_resolver(PolicyResolver(Arc::clone(&policy)))
            .no_proxy()
            .redirect(redirect::Policy::none())
            .retry(retry::never())
            .referer(false)
            .pool_max_idle_per_host(0)
            .timeout(REQUEST)
            .user_agent(concat!("becket/", env!("CARGO_PKG_VERSION")))
            .build()
            .map_err(|error| AuthError::Client(error.without_url().to_string().into()))?;
        Ok(Self { client, policy })
    }

    /// Returns the address policy.
    pub(crate) fn policy(&self) -> &UrlPolicy {
        &self.policy
    }

    /// Returns a request that may be changed before it is sent.
    pub(crate) fn request(&self, method: reqwest::Method, url: &Url) -> reqwest::RequestBuilder {
        self.client.request(method, url.clone())
    }

    /// Sends a request and reads the answer.
    pub(crate) async fn send(&self, what: &'static str, request: Request) -> Result<Answer, AuthError> {
        let url = request.url().clone();
        self.policy.check(what, &url)?;
        let unreachable = |why: String| AuthError::Unreachable { url: shown(&url), why };
        let mut response = self.client.execute(request).await.map_err(|error| unreachable(chain(error)))?;
        let (status, headers) = (response.status(), std::mem::take(response.headers_mut()));
        // A stream of events has no end: a server that returns one has no metadata.
        let kind = headers.get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
        if kind.starts_with("text/event-stream") {
            return Ok(Answer { status, headers, body: Vec::new() });
        }
        let body = body::read(&mut response, CAP).await.map_err(|error| match error {
            BodyError::TooLong(cap) => unreachable(format!("it answers with more than {cap} bytes")),
            BodyError::Transport(error) => unreachable(chain(error)),
        })?;
        Ok(Answer { status, headers, body })
    }
}

/// Makes requests of discovery and registration pass the same checks.
impl OAuthHttpClient for HttpClient {
    fn execute(&self, request: OAuthHttpRequest) -> OAuthHttpClientFuture<'_> {
        Box::pin(async move {
            let request = Request::try_from(request.request)?;
            let answer = self.send("address", request).await?;
            let mut response = http::Response::new(answer.body);
            *response.status_mut() = answer.status;
            *response.headers_mut() = answer.headers;
            Ok(response)
        })
    }
}

/// The only resolver of the client.
struct PolicyResolver(Arc<UrlPolicy>);

impl Resolve for PolicyResolver {
    fn resolve(&self, name: Name) -> Resolving {
        let policy = Arc::clone(&self.0);
        Box::pin(async move {
            let found: Vec<SocketAddr> = tokio::net::lookup_host((name.as_str(), 0)).await?.collect();
            let is_none = found.is_empty();
            let good: Vec<SocketAddr> =
                found.into_iter().filter(|address| policy.allows(name.as_str(), address.ip())).collect();
            if good.is_empty() {
                let why = if is_none {
                    "it has no address"
                } else {
                    "its address is one that logins for this server may not lead to"
                };
                return Err(format!("the name `{}`: {why}", name.as_str()).into());
            }
            let good: Addrs = Box::new(good.into_iter());
            Ok(good)
        })
    }
}

/// Describes an error down to its cause, without the address, which may contain a secret.
fn chain(error: reqwest::Error) -> String {
    let error = error.without_url();
    if error.is_timeout() {
        return format!("it did not answer within {} s", REQUEST.as_secs());
    }
    let mut message = error.to_string();
    let mut cause = std::error::Error::source(&error);
    while let Some(error) = cause {
        let text = error.to_string();
        if !message.contains(&text) {
            message = format!("{message}: {text}");
        }
        cause = error.source();
    }
    message
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::auth::url_policy::Network;

    // rule: X3
    #[tokio::test]
    async fn a_name_leads_only_to_addresses_that_the_login_may_reach() {
        for (server, is_good) in [("http://localhost:1/x", true), ("https://mcp.example/x", false)] {
            let judged = PolicyResolver(Arc::new(UrlPolicy::new(&server.parse().unwrap(), Network::Private)));
            match judged.resolve("localhost".parse().unwrap()).await {
                Ok(mut found) => assert!(is_good && found.next().is_some(), "{server}"),
                Err(error) => {
                    let message = error.to_string();
                    assert!(
                        !is_good && message.contains("logins for this server may not lead to"),
                        "{message}"
                    );
                }
            }
        }
    }
}
