//! The state that all connections of a pool share. No part of it owns the pool.

use std::sync::Arc;

use becket_process::{CancellationToken, Runner};

use super::auth_needed::AuthNeededServers;
use super::lanes::Lanes;
use super::state_broadcast::StateBroadcast;
use crate::catalog::Catalog;
use crate::connection::{Connector, HostHandle};
use crate::host::Host;
use crate::options::Options;

/// The state shared by the pool and its attempts.
pub(super) struct Common {
    pub(super) options: Options,
    pub(super) runner: Runner,
    pub(super) host: HostHandle,
    pub(super) lanes: Lanes,
    pub(super) connector: Connector,
    pub(super) needed: AuthNeededServers,
    pub(super) catalog: Arc<Catalog>,
    pub(super) states: Arc<StateBroadcast>,
    /// Cancelled once the pool is closed: no server is connected any longer.
    pub(super) closed: CancellationToken,
}

impl Common {
    pub(super) fn new(options: Options, host: Arc<dyn Host>) -> Self {
        let (lanes, host) = (Lanes::new(&options), HostHandle::new(host, options.question_limit));
        let (runner, states, catalog) = (Runner::new(), Arc::default(), Arc::default());
        let (connector, needed) =
            (Connector::new(&options), AuthNeededServers::new(options.auth_needed.clone()));
        let closed = CancellationToken::new();
        Self { options, runner, host, lanes, connector, needed, catalog, states, closed }
    }
}
