//! What all sessions of this process are opened with.

use super::aside::Aside;
use becket_embed::{Host, Open};
use std::path::PathBuf;

/// What a client's wishes are added to.
pub(super) struct Lender {
    pub(super) host: Host,
    /// The file of the MCP servers that hooks of a session may call which names none itself.
    pub(super) servers: Option<PathBuf>,
    /// The places for lines that may take long.
    pub(super) aside: Aside,
}

impl Lender {
    /// A client's wishes, with what it has from this process where it has none.
    pub(super) fn lent(&self, mut wants: Open) -> Open {
        if wants.mcp_servers.is_none() && wants.mcp_config.is_none() {
            wants.mcp_config.clone_from(&self.servers);
        }
        wants
    }
}
