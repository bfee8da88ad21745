//! How it stands with a server.

use std::sync::Arc;

use crate::config::{Configured, Disabled};
use crate::connect_error::ConnectError;
use crate::connection::ServerInfo;
use crate::fault::Challenge;
use crate::tool::ToolList;

/// How it stands with one server.
#[derive(Debug, Clone)]
pub enum ServerState {
    /// It must not be used.
    Disabled {
        /// Why.
        why: Disabled,
    },
    /// Nobody has needed it yet, or it waits for its turn.
    Waiting,
    /// It is being connected.
    Connecting,
    /// It can be called.
    Connected {
        /// Rises with each connection, and each time its tools change.
        generation: u64,
        /// What it says about itself.
        info: Arc<ServerInfo>,
        /// How many tools it has.
        tools: usize,
    },
    /// It wants to know who asks, and takes nothing of what it was told, if it was told anything: somebody has to log in, or
    /// to correct what is configured. Until then it is left alone for a quarter of an hour (`protocol.md` X3).
    NeedsAuth {
        /// What it said.
        challenge: Challenge,
    },
    /// It could not be connected, or its connection broke. Whoever needs it next tries again, after a pause of up to a
    /// second where it failed before; but nobody does where its configuration can't be used ([`ConnectError::Config`]).
    Failed {
        /// What happened.
        why: Arc<ConnectError>,
    },
    /// It was removed from the configuration, or the pool was closed.
    Closed,
}

/// One server, as it stands now.
#[derive(Debug, Clone)]
pub struct ServerView {
    /// Its name, as calls name it.
    pub name: String,
    /// Its configuration.
    pub configured: Arc<Configured>,
    /// How it stands with it.
    pub state: ServerState,
    /// Its tools as it listed them last, while it is connected.
    pub tools: Option<Arc<ToolList>>,
}
