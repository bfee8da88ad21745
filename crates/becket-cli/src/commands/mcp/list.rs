//! `becket mcp list`: each server with its state.

use super::McpContext;
use crate::args::McpListArgs;
use crate::error::{CliError, CommandResult};
use crate::interrupt;
use crate::report::{human, json};
use becket_embed::view::Report;
use becket_embed::view::mcp::McpServers;
use becket_engine::CancellationToken;
use becket_fire::FiringError;
use std::sync::Arc;

/// Connects the servers and lists them; a server that can't be connected is not an error of this command, except in
/// strict mode.
pub(super) fn run(args: &McpListArgs, at: McpContext<'_>) -> CommandResult {
    let cancel = CancellationToken::new();
    let servers = interrupt::until_done(&cancel, async {
        let pool = at.pool(Arc::new(()))?;
        if !args.no_connect {
            pool.start(&cancel).await;
        }
        let servers = McpServers::new(&pool.servers(), &at.gathered.resolved.others);
        pool.close().await;
        if cancel.is_cancelled() { Err(CliError::from(FiringError::Interrupted)) } else { Ok(servers) }
    })?;
    let failed = servers.servers.iter().any(|server| server.state.is_failure());
    if at.global.json {
        json::print(&Report::Mcp(servers), at.out)?;
    } else {
        at.out.print(&human::mcp::servers(&servers, at.around))?;
    }
    Ok(u8::from(failed && at.global.strict))
}
