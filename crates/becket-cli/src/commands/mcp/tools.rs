//! `becket mcp tools`: the tools of a server, as a model sees them.

use super::McpContext;
use crate::args::McpToolsArgs;
use crate::error::CommandResult;
use crate::interrupt;
use crate::mcp::{pool, tools_of};
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
        let pool = pool(at.gathered, at.session, Arc::new(()), at.around)?;
        let tools = tools_of(&args.server, &pool, at.gathered, &cancel).await;
        pool.close().await;
        tools
    })?;
    let tools = McpTools::new(&args.server, &tools, &names, args.schema || at.global.json);
    if at.global.json {
        json::print(&Report::McpTools(tools), at.out)?;
    } else {
        at.out.print(&human::mcp::tools(&tools))?;
    }
    Ok(0)
}
