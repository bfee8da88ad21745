//! The MCP servers that the arguments of `fire` name.

use crate::args::FireArgs;
use crate::error::CliError;
use crate::services::mcp;
use crate::session::Session;
use becket_embed::servers::ServerPool;
use becket_engine::{Builder, CancellationToken};

/// Connects the MCP servers that the arguments name, if any; calls `tell` for each that can't be connected.
///
/// # Errors
/// Errors if the file of the servers can't be used.
pub(super) async fn connected(
    args: &FireArgs,
    session: &Session,
    cancel: &CancellationToken,
    tell: impl Fn(&str),
) -> Result<Option<ServerPool>, CliError> {
    let Some(file) = &args.mcp_config else { return Ok(None) };
    let servers = mcp::connected(file, session, cancel).await?;
    servers.notices().iter().for_each(|notice| tell(notice));
    Ok(Some(servers))
}

/// Makes the servers available to the hooks of an engine.
pub(super) fn with_servers(builder: Builder, servers: Option<&ServerPool>) -> Builder {
    match servers {
        Some(servers) => builder.mcp_tools(servers.clone()),
        None => builder,
    }
}
