//! Connected servers. Their owner closes them; dropping the pool kills them.

use super::mcp_config::LoadedServers;
use becket_engine::{CancellationToken, McpAnswer, McpCall, McpTools};
use becket_mcp::{Pool, ServerState, ServerView};
use becket_tools::mcp::HookCalls;
use futures_util::future::BoxFuture;
use std::sync::Arc;

/// Servers, connected or failed. Clones share them.
#[derive(Clone)]
pub struct ServerPool {
    pool: Pool,
}

impl ServerPool {
    /// Connects servers, and waits until each is connected or has failed. `cancel` abandons those that are not
    /// connected by then. A server that can't be connected is not fatal: a hook that needs it fails and names it.
    pub async fn connect(configured: LoadedServers, cancel: &CancellationToken) -> Self {
        let LoadedServers { servers, options } = configured;
        // They have no host services: their questions are not answered.
        let pool = Pool::new(options, Arc::new(()));
        pool.configure(servers);
        pool.start(cancel).await;
        ServerPool { pool }
    }

    /// Returns the problems that keep servers from being called, one line each.
    pub fn notices(&self) -> Vec<String> {
        self.pool.servers().into_iter().filter_map(notice).collect()
    }

    /// Ends the servers, and waits for their end.
    pub async fn close(&self) {
        self.pool.close().await;
    }
}

/// Calls of hooks, which connect nothing and fire no events.
impl McpTools for ServerPool {
    fn call<'a>(&'a self, call: McpCall<'a>) -> BoxFuture<'a, Result<McpAnswer, String>> {
        Box::pin(async move {
            let server = call.server;
            let answer = HookCalls::new(self.pool.clone()).call(call).await;
            answer
                .map_err(|why| self.pool.servers().iter().find_map(|view| wrong(view, server)).unwrap_or(why))
        })
    }
}

/// Returns the problem in the entry of the server with this name.
fn wrong(view: &ServerView, server: &str) -> Option<String> {
    if view.name != server {
        return None;
    }
    let why = view.configured.config.as_ref().err()?;
    Some(format!("the MCP server `{server}` can't be used: {why}"))
}

fn notice(view: ServerView) -> Option<String> {
    let why = match view.state {
        ServerState::Connected { .. } => return None,
        ServerState::Failed { why } => format!(": {why}"),
        ServerState::Disabled { why } => format!(": {why}"),
        ServerState::NeedsAuth { .. } => ": it needs authentication".to_owned(),
        ServerState::Waiting | ServerState::Connecting | ServerState::Closed => String::new(),
    };
    Some(format!("the server `{}` is not connected{why}", view.name))
}
