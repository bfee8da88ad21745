//! Calls of hooks to MCP servers (`protocol.md` H6).

use becket_engine::{McpAnswer, McpCall, McpTools};
use becket_mcp::{Connect, Pool, ToolCall};
use futures_util::future::BoxFuture;

/// The servers of a pool, for [`becket_engine::Builder::mcp_tools`]. Calls connect no server and fire no hook.
#[derive(Clone)]
pub struct HookCalls(Pool);

impl HookCalls {
    /// Creates the calls to the servers of this pool.
    #[must_use]
    pub fn new(pool: Pool) -> Self {
        Self(pool)
    }
}

impl McpTools for HookCalls {
    fn call<'a>(&'a self, call: McpCall<'a>) -> BoxFuture<'a, Result<McpAnswer, String>> {
        let McpCall { server, tool, input, limit, cancel } = call;
        let call = ToolCall { server, tool, input, limit, connect: Connect::Never };
        Box::pin(async move {
            let answer = self.0.call(call, cancel).await.map_err(|error| error.to_string())?;
            Ok(McpAnswer::new(answer.text(), answer.is_error))
        })
    }
}

impl std::fmt::Debug for HookCalls {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("HookCalls").finish_non_exhaustive()
    }
}
