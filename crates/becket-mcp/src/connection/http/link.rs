//! A server that is reached by streamable HTTP, as a link.

use std::sync::Arc;
use std::time::Duration;

use becket_process::CancellationToken;
use futures_util::future::join_all;
use tokio::time::timeout;
use url::Url;

use super::super::link::{Era, FirstGreeting, Link};
use super::super::state::State;
use super::super::target::Target;
use super::client::{Client, Sessions};
use super::era::Network;
use super::requests::Requests;
use super::wire::Wire;
use crate::fault::Fault;

/// The time of silence after which a server is assumed not to support `server/discover`. A slow server is unaffected:
/// it gets the other greeting, without this limit.
const SILENCE: Duration = Duration::from_secs(1);

/// A server that is reached by streamable HTTP. Dropping it stops all its work; only [`Link::end`] informs the server
/// of the end of its session.
pub(crate) struct HttpLink {
    requests: Arc<Requests>,
    sessions: Arc<Sessions>,
    state: Arc<State>,
    over: CancellationToken,
    url: Url,
    network: Network,
}

impl HttpLink {
    /// Creates the link. Nothing is sent yet.
    ///
    /// # Errors
    /// Errors if the configuration does not allow a connection to the server.
    pub(crate) fn new(target: &Target, network: &Network) -> Result<Self, Fault> {
        Ok(Self {
            requests: Arc::new(Requests::new(target, network)?),
            sessions: Arc::default(),
            state: Arc::default(),
            over: CancellationToken::new(),
            url: target.url.clone(),
            network: network.clone(),
        })
    }
}

/// Returns the address of a server behind a proxy: its id below the proxy's path.
pub(crate) fn proxied(base: &Url, id: &str) -> Url {
    let mut url = base.clone();
    if let Ok(mut path) = url.path_segments_mut() {
        path.pop_if_empty().push(id);
    }
    url
}

impl Link for HttpLink {
    type Wire = Wire;

    /// Creates a new wire each time: leftovers of one attempt must not disturb the next.
    async fn wire(&self) -> Result<Wire, Fault> {
        let over = self.over.child_token();
        let (requests, sessions) = (Arc::clone(&self.requests), Arc::clone(&self.sessions));
        let client = Client::new(requests, sessions, Arc::clone(&self.state), over.clone());
        Ok(Wire::new(client, Arc::clone(&self.state), over))
    }

    fn state(&self) -> &Arc<State> {
        &self.state
    }

    fn opening(&self) -> FirstGreeting {
        match self.network.era(&self.url) {
            Some(Era::Initialize) => FirstGreeting::Initialize,
            Some(Era::Discover) => FirstGreeting::Discover(None),
            None => FirstGreeting::Discover(Some(SILENCE)),
        }
    }

    fn understood(&self, era: Era) {
        self.network.learn(&self.url, era);
    }

    async fn end(&self, grace: Duration) {
        self.state.broke(Fault::Closed);
        self.over.cancel();
        let Some(client) = self.requests.retire() else { return };
        let sessions = self.sessions.take();
        let farewells = sessions.iter().map(|way| self.requests.farewell(&client, way));
        // A server that takes longer notices the end on its own.
        let _ = timeout(grace, join_all(farewells)).await;
    }
}

impl Drop for HttpLink {
    fn drop(&mut self) {
        self.over.cancel();
        drop(self.requests.retire());
    }
}
