//! Access control: a request needs the token, and must not come from a browser on behalf of another site.

use super::refusal::Refusal;
use super::token::Token;
use hyper::Uri;
use hyper::header::{AUTHORIZATION, HOST, HeaderMap, HeaderValue, ORIGIN};
use std::net::SocketAddr;

/// The checks for every request.
pub(super) struct Gate {
    token: Token,
    /// The names of the loopback interface with the port, as in `Host` headers.
    names: Vec<String>,
}

impl Gate {
    pub(super) fn new(token: Token, address: SocketAddr) -> Self {
        let port = address.port();
        let hosts = [address.ip().to_string(), format!("[{}]", address.ip()), "localhost".to_owned()];
        let mut names: Vec<String> = hosts.iter().map(|host| format!("{host}:{port}")).collect();
        if port == 80 {
            names.extend(hosts);
        }
        Gate { token, names }
    }

    /// Checks the head of a request. The token is checked first, so that a client without it learns nothing.
    ///
    /// # Errors
    /// Errors if the request is rejected.
    pub(super) fn passes(&self, uri: &Uri, headers: &HeaderMap) -> Result<(), Refusal> {
        if !self.is_authorized(headers) {
            return Err(Refusal::Unauthorized);
        }
        let named = one(headers, HOST).and_then(|host| host.to_str().ok());
        let is_ours = |name: &str| self.names.iter().any(|own| own.eq_ignore_ascii_case(name));
        if !named.is_some_and(is_ours) || !uri.authority().is_none_or(|authority| is_ours(authority.as_str()))
        {
            return Err(Refusal::WrongHost);
        }
        if headers.contains_key(ORIGIN) {
            return Err(Refusal::Origin);
        }
        Ok(())
    }

    /// Returns true if the token is present.
    pub(super) fn is_authorized(&self, headers: &HeaderMap) -> bool {
        one(headers, AUTHORIZATION).is_some_and(|given| self.has_token(given.as_bytes()))
    }

    fn has_token(&self, given: &[u8]) -> bool {
        let (scheme, token) = given.split_at_checked(7).unwrap_or_default();
        scheme.eq_ignore_ascii_case(b"bearer ") && self.token.is(token)
    }
}

/// Returns a header that occurs once.
fn one(headers: &HeaderMap, name: hyper::header::HeaderName) -> Option<&HeaderValue> {
    let mut all = headers.get_all(name).iter();
    all.next().filter(|_| all.next().is_none())
}
