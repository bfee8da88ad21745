//! The state of a server.

use std::sync::Arc;

use crate::challenge::Challenge;
use crate::config::{ConfiguredServer, DisabledReason};
use crate::connect_error::ConnectError;
use crate::connection::ServerInfo;
use crate::tool::ToolList;

/// The state of one server.
#[derive(Debug, Clone)]
pub enum ServerState {
    /// The server must not be used.
    Disabled {
        /// The cause.
        why: DisabledReason,
    },
    /// The server was not needed yet, or waits for its turn.
    Waiting,
    /// The server is being connected.
    Connecting,
    /// The server can be called.
    Connected {
        /// A number that increases with each connection, and with each change of its tools.
        generation: u64,
        /// The server's description of itself.
        info: Arc<ServerInfo>,
        /// The number of tools.
        tools: usize,
    },
    /// The server demands authentication, and accepts none of the credentials, if there were any: a login is needed,
    /// or a corrected configuration. Until then it is not contacted for a quarter of an hour (`protocol.md` X3).
    NeedsAuth {
        /// The server's challenge.
        challenge: Challenge,
    },
    /// The server could not be connected, or its connection broke. The next operation retries, after a pause of up to
    /// a second if it failed before; but not if the configuration is invalid ([`ConnectError::Config`]).
    Failed {
        /// The error.
        why: Arc<ConnectError>,
    },
    /// The server was removed from the configuration, or the pool was closed.
    Closed,
}

/// One server, with its current state.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct ServerView {
    /// The name, as used in calls.
    pub name: String,
    /// The configuration.
    pub configured: Arc<ConfiguredServer>,
    /// The state.
    pub state: ServerState,
    /// The tools as last listed, while it is connected.
    pub tools: Option<Arc<ToolList>>,
}
