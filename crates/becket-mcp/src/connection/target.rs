//! The address of a remote server, with its headers and its trust.
//!
//! INVARIANT: data for [`Reach::ThisMachine`] goes to loopback addresses, whatever a name resolves to.

use becket_base::address::{is_localhost, is_loopback_host};
use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::Arc;

use reqwest::header::{HeaderMap, HeaderValue};
use rustls::ClientConfig;
use tokio::sync::Mutex;
use url::Url;

use super::trouble::Place;
use crate::auth::{HeaderAttempt, HeaderSource, HeadersError, StaticHeaders};
use crate::challenge::Challenge;
use crate::config::{Ide, shown_url};
use crate::fault::Fault;

/// A server over a network. `Debug` prints neither a query nor the headers.
#[derive(Clone)]
pub(crate) struct Target {
    /// The address of the server.
    pub(crate) url: Url,
    /// The source of request headers.
    pub(crate) headers: Arc<dyn HeaderSource>,
    /// TLS trust and client certificate; unused if the URL is not encrypted.
    pub(crate) tls: Arc<ClientConfig>,
    /// The addresses that are allowed for it.
    pub(crate) reach: Reach,
    /// The limit on a message of the server, in bytes.
    pub(crate) cap: usize,
}

impl fmt::Debug for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Target")
            .field("url", &shown_url(&self.url))
            .field("reach", &self.reach)
            .field("cap", &self.cap)
            .finish_non_exhaustive()
    }
}

/// The addresses at which a server may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reach {
    /// Anywhere.
    Anywhere,
    /// Only on this machine: the data must not leave it.
    ThisMachine,
}

/// The header with the token of an editor.
const IDE: &str = "X-Claude-Code-Ide-Authorization";

impl Target {
    /// Creates the target of an editor on this machine.
    ///
    /// # Errors
    /// Errors if the address is not on this machine, or its token can't be sent.
    pub(crate) fn ide(ide: &Ide, tls: Arc<ClientConfig>, cap: usize) -> Result<Self, Fault> {
        let token = ide.auth_token.iter().map(|token| (IDE.to_owned(), token.clone()));
        let headers = Arc::new(StaticHeaders::new(&token.collect::<Vec<_>>())?);
        let target = Self { url: ide.url.clone(), headers, tls, reach: Reach::ThisMachine, cap };
        target.check()?;
        Ok(target)
    }

    /// Errors if the server must not be contacted.
    pub(super) fn check(&self) -> Result<(), Fault> {
        let host = self.url.host_str();
        let host = host.ok_or_else(|| Fault::Unreachable("its URL names no host".into()))?;
        match self.reach {
            Reach::ThisMachine if !is_loopback_host(host) => Err(Fault::NotLocal(host.to_owned())),
            Reach::ThisMachine | Reach::Anywhere => Ok(()),
        }
    }

    pub(super) fn place(&self) -> Place {
        let (host, port) = (self.url.host_str().unwrap_or_default(), self.port());
        Place {
            name: format!("{host}:{port}"),
            encrypted: matches!(self.url.scheme(), "https" | "wss"),
            identified: self.tls.client_auth_cert_resolver.has_certs(),
        }
    }

    pub(super) fn port(&self) -> u16 {
        // Every scheme that is used here has a default port.
        self.url.port_or_known_default().unwrap_or(0)
    }

    /// Returns the addresses of a name that must not be resolved.
    pub(super) fn addresses(&self) -> Option<[SocketAddr; 2]> {
        let is_named = self.url.domain().is_some_and(is_localhost);
        let loopback = [IpAddr::from(Ipv4Addr::LOCALHOST), IpAddr::from(Ipv6Addr::LOCALHOST)];
        (is_named && self.reach == Reach::ThisMachine)
            .then(|| loopback.map(|address| SocketAddr::new(address, self.port())))
    }
}

/// The current headers of requests.
#[derive(Debug)]
pub(super) struct RequestHeaders {
    source: Arc<dyn HeaderSource>,
    known: Mutex<Option<HeaderMap>>,
}

impl RequestHeaders {
    pub(super) fn new(source: Arc<dyn HeaderSource>) -> Self {
        Self { source, known: Mutex::default() }
    }

    pub(super) async fn headers(&self) -> Result<HeaderMap, Fault> {
        let mut known = self.known.lock().await;
        match &*known {
            Some(headers) => Ok(headers.clone()),
            None => Ok(known.insert(self.ask(HeaderAttempt::First).await?).clone()),
        }
    }

    /// Returns headers other than those that a server has refused. Of many concurrent refusals, only one requests
    /// them.
    pub(super) async fn others(&self, refused: &HeaderMap, why: Challenge) -> Result<HeaderMap, Fault> {
        let mut known = self.known.lock().await;
        match &*known {
            Some(headers) if headers != refused => Ok(headers.clone()),
            Some(_) | None => Ok(known.insert(self.ask(HeaderAttempt::After401(why)).await?).clone()),
        }
    }

    async fn ask(&self, attempt: HeaderAttempt) -> Result<HeaderMap, Fault> {
        let mut headers = HeaderMap::new();
        for (name, value) in self.source.headers(attempt).await? {
            let mut value = HeaderValue::from_str(value.expose())
                .map_err(|_| HeadersError::Value { name: name.as_str().to_owned() })?;
            value.set_sensitive(true);
            headers.insert(name, value);
        }
        Ok(headers)
    }
}
