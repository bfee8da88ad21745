//! The defaults of all sessions of this process.

use super::long_lines::LongLineLimit;
use becket_embed::{Host, Open};
use std::path::PathBuf;

/// The defaults for the options of a client.
pub(super) struct SessionDefaults {
    pub(super) host: Host,
    /// The default MCP server file for sessions that do not name one.
    pub(super) servers: Option<PathBuf>,
    /// The permits for long lines.
    pub(super) long_lines: LongLineLimit,
}

impl SessionDefaults {
    /// Returns a client's options, completed by the defaults of this process.
    pub(super) fn apply(&self, mut wants: Open) -> Open {
        if wants.mcp_servers.is_none() && wants.mcp_config.is_none() {
            wants.mcp_config.clone_from(&self.servers);
        }
        wants
    }
}
