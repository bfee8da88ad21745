//! A server of the older kind, as a link.

use url::Url;

use super::super::session::{Lifetime, Opener, SessionLink};
use super::super::target::Target;
use super::http::Http;
use super::wire::SseSession;
use crate::fault::Fault;

/// The link to a server that is reached by a stream of events.
pub(crate) type SseLink = SessionLink<SseOpener>;

/// A server, and the proxy to it.
pub(crate) struct SseOpener {
    target: Target,
    proxy: Option<Url>,
}

impl SessionLink<SseOpener> {
    /// Creates the opener. Nothing is sent yet.
    pub(crate) fn new(target: Target) -> Self {
        Self::with(SseOpener { target, proxy: None })
    }

    /// Sets a proxy, if there is one. It is not used for a server on this machine.
    pub(crate) fn through(mut self, proxy: Option<&Url>) -> Self {
        self.opener.proxy = proxy.cloned();
        self
    }
}

impl Opener for SseOpener {
    type Session = SseSession;

    async fn open(&self, lifetime: &Lifetime) -> Result<SseSession, Fault> {
        let http = Http::new(&self.target, self.proxy.as_ref())?;
        SseSession::open(http, &self.target, lifetime).await
    }
}
