//! The MCP servers that the arguments of `fire` name.

use crate::args::FireArgs;
use crate::error::CliError;
use crate::lend::Mcp;
use crate::session::Session;
use becket_engine::{Builder, CancellationToken};

/// Connects the MCP servers, where the arguments name any; `tell` is called for each that can't be.
///
/// # Errors
/// Where their file can't be used.
pub(super) async fn connected(
    args: &FireArgs,
    session: &Session,
    cancel: &CancellationToken,
    tell: impl Fn(&str),
) -> Result<Option<Mcp>, CliError> {
    let Some(file) = &args.mcp_config else { return Ok(None) };
    let file = session.start.join(file);
    let mcp = Mcp::connect(&file, &session.start, session.environment(), cancel).await?;
    mcp.notices().iter().for_each(|notice| tell(notice));
    Ok(Some(mcp))
}

/// Lends them to the hooks of an engine.
pub(super) fn lent(builder: Builder, mcp: Option<&Mcp>) -> Builder {
    match mcp {
        Some(mcp) => builder.mcp_tools(mcp.hooks()),
        None => builder,
    }
}
