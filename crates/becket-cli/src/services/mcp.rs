//! The MCP servers of a file, connected before an event is fired, for the `mcp_tool` handlers on it (H6).

use crate::error::CliError;
use crate::session::Session;
use becket_embed::servers::{LoadedServers, McpConfig, ServerPool, Unusable};
use becket_engine::CancellationToken;
use std::path::Path;

/// Connects the servers of a file; they start where the session does.
///
/// # Errors
/// Errors if the file can't be read or configures no servers.
pub(crate) async fn connected(
    file: &Path,
    session: &Session,
    cancel: &CancellationToken,
) -> Result<ServerPool, CliError> {
    let named = McpConfig::File(session.start.join(file));
    let configured = LoadedServers::read(&named, &session.start, session.environment())?;
    Ok(ServerPool::connect(configured, cancel).await)
}

impl From<Unusable> for CliError {
    fn from(why: Unusable) -> Self {
        match why {
            Unusable::Unread(unread) => CliError::Unread(unread),
            Unusable::NoServers(_) | Unusable::InvalidTimeout(_) => {
                CliError::McpConfig { why: why.to_string() }
            }
        }
    }
}
