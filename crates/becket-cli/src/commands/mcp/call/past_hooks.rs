//! A call without hooks and rules.

use super::super::McpContext;
use super::CallRequest;
use crate::error::CliError;
use becket_embed::view::mcp::{McpCalled, McpEnded};
use becket_engine::CancellationToken;
use becket_mcp::{CallError, CallResult, Connect, Pool, ToolCall};
use std::sync::Arc;
use std::time::Instant;

/// Connects the server, calls the tool, and ends the server.
pub(super) async fn call(
    wanted: &CallRequest<'_>,
    at: McpContext<'_>,
    cancel: &CancellationToken,
) -> Result<McpCalled, CliError> {
    let pool = at.pool(Arc::new(()))?;
    let done = in_pool(wanted, &pool, at, cancel).await;
    pool.close().await;
    done
}

async fn in_pool(
    wanted: &CallRequest<'_>,
    pool: &Pool,
    at: McpContext<'_>,
    cancel: &CancellationToken,
) -> Result<McpCalled, CliError> {
    let server = &wanted.args.server;
    let (_, names) = at.gathered.tools(server, pool, cancel).await.map_err(CliError::mcp)?;
    let name = wanted.tool(&names)?;
    let (tool, input, begun) = (&*name.name, wanted.input.clone(), Instant::now());
    let call = ToolCall { server, tool, input, limit: wanted.limit, connect: Connect::IfNeeded };
    let mut called = McpCalled::new(&name.full, false);
    match pool.call(call, cancel).await {
        Ok(result) => answered(&mut called, &result),
        Err(error @ CallError::Cancelled { .. }) => return Err(CliError::mcp(error)),
        Err(error) => called.record_end(McpEnded::Failed, error.to_string()),
    }
    called.ms = Some(begun.elapsed().as_secs_f64() * 1e3);
    Ok(called)
}

fn answered(called: &mut McpCalled, result: &CallResult) {
    called.response = Some(result.tool_response());
    called.text = Some(result.text());
    if result.is_error {
        called.record_end(McpEnded::Failed, "the tool reported a failure".to_owned());
    }
}
