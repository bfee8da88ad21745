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
    /// It must not be used.
    Disabled {
        /// The cause.
        why: DisabledReason,
    },
    /// It was not needed yet, or it waits for its turn.
    Waiting,
    /// It is being connected.
    Connecting,
    /// It can be called.
    Connected {
        /// A number that rises with each connection, and with each change of its tools.
        generation: u64,
        /// Its description of itself.
        info: Arc<ServerInfo>,
        /// The number of its tools.
        tools: usize,
    },
    /// It demands authentication, and accepts none of the credentials, if there were any: a login is needed, or a
    /// corrected configuration. Until then it is not contacted for a quarter of an hour (`protocol.md` X3).
    NeedsAuth {
        /// Its challenge.
        challenge: Challenge,
    },
    /// It could not be connected, or its connection broke. The next operation tries again, after a pause of up to a
    /// second if it failed before; but not if its configuration can't be used ([`ConnectError::Config`]).
    Failed {
        /// The error.
        why: Arc<ConnectError>,
    },
    /// It was removed from the configuration, or the pool was closed.
    Closed,
}

/// One server, with its current state.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct ServerView {
    /// Its name, as calls name it.
    pub name: String,
    /// Its configuration.
    pub configured: Arc<ConfiguredServer>,
    /// Its state.
    pub state: ServerState,
    /// Its tools as it listed them last, while it is connected.
    pub tools: Option<Arc<ToolList>>,
}
