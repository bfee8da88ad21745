//! `becket mcp resources`: the resources of a server, or the content of one.

use super::McpContext;
use crate::error::{CliError, CommandResult};
use crate::interrupt;
use crate::report::{human, json};
use becket_embed::view::Report;
use becket_embed::view::mcp::{McpContents, McpResources};
use becket_engine::CancellationToken;
use std::sync::Arc;
use std::time::Duration;

/// The time limit for reading.
const LIMIT: Duration = Duration::from_secs(120);

/// Lists resources, or reads one.
pub(super) fn run(server: &str, uri: Option<&str>, at: McpContext<'_>) -> CommandResult {
    at.server(server)?;
    match uri {
        Some(uri) => read(server, uri, at),
        None => listed(server, at),
    }
}

fn listed(server: &str, at: McpContext<'_>) -> CommandResult {
    let cancel = CancellationToken::new();
    let resources = interrupt::until_done(&cancel, async {
        let pool = at.pool(Arc::new(()))?;
        let resources = pool.resources(server, &cancel).await;
        pool.close().await;
        resources.map_err(CliError::mcp)
    })?;
    let resources = McpResources::new(server, &resources);
    if at.global.json {
        json::print(&Report::McpResources(resources), at.out)?;
    } else {
        at.out.print(&human::mcp::resources(&resources))?;
    }
    Ok(0)
}

fn read(server: &str, uri: &str, at: McpContext<'_>) -> CommandResult {
    let cancel = CancellationToken::new();
    let contents = interrupt::until_done(&cancel, async {
        let pool = at.pool(Arc::new(()))?;
        let contents = pool.read_resource(server, uri, LIMIT, &cancel).await;
        pool.close().await;
        contents.map_err(CliError::mcp)
    })?;
    let contents = McpContents::new(server, contents);
    if at.global.json {
        json::print(&Report::McpContents(contents), at.out)?;
    } else {
        at.out.print(&human::mcp::contents(&contents))?;
    }
    Ok(0)
}
