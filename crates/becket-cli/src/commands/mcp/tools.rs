//! `becket mcp tools`: the tools of a server, as a model sees them.

use super::McpContext;
use crate::args::McpToolsArgs;
use crate::error::{CliError, CommandResult};
use crate::interrupt;
use crate::report::{human, json};
use becket_embed::view::Report;
use becket_embed::view::mcp::McpTools;
use becket_engine::CancellationToken;
use std::sync::Arc;

/// Connects the server and shows its tools.
pub(super) fn run(args: &McpToolsArgs, at: McpContext<'_>) -> CommandResult {
    at.server(&args.server)?;
    let cancel = CancellationToken::new();
    let (tools, names) = interrupt::until_done(&cancel, async {
        let pool = at.pool(Arc::new(()))?;
        let tools = at.gathered.tools(&args.server, &pool, &cancel).await;
        pool.close().await;
        tools.map_err(CliError::mcp)
    })?;
    let tools = McpTools::new(&args.server, &tools, &names, args.schema || at.global.json);
    if at.global.json {
        json::print(&Report::McpTools(tools), at.out)?;
    } else {
        at.out.print(&human::mcp::tools(&tools))?;
    }
    Ok(0)
}
