//! The MCP servers that `mcp_tool` handlers may call (H6): those of one file, connected before the event is fired.
//!
//! A server that can't be connected is told and stops nothing: a handler that needs it fails by name.

use crate::error::CliError;
use becket_agent::mcp::HookCalls;
use becket_embed::text;
use becket_engine::{CancellationToken, Environment};
use becket_mcp::{Options, Pool, ServerState, ServerView, config};
use std::ffi::OsString;
use std::path::Path;
use std::sync::Arc;

/// Connected servers. Clones are the same ones.
#[derive(Clone)]
pub(crate) struct Mcp {
    pool: Pool,
}

impl Mcp {
    /// Connects the servers of a file; they start in `start`.
    ///
    /// # Errors
    /// Where the file can't be read or configures no servers.
    pub(crate) async fn connect(
        file: &Path,
        start: &Path,
        environment: &Environment,
        cancel: &CancellationToken,
    ) -> Result<Self, CliError> {
        let variables: Vec<(OsString, OsString)> =
            environment.vars().map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
        let configured = config::read(&text::read(file)?, file, &variables)
            .map_err(|error| CliError::McpConfig { why: error.to_string() })?;
        let pool = Pool::new(Options::new(variables, start), Arc::new(()));
        pool.configure(configured);
        pool.start(cancel).await;
        Ok(Mcp { pool })
    }

    /// What keeps servers from being called, a line each.
    pub(crate) fn notices(&self) -> Vec<String> {
        let notice = |view: ServerView| match view.state {
            ServerState::Connected { .. } => None,
            ServerState::Failed { why } => {
                Some(format!("the server `{}` is not connected: {why}", view.name))
            }
            ServerState::Disabled { why } => {
                Some(format!("the server `{}` is not connected: {why}", view.name))
            }
            ServerState::NeedsAuth { .. } => {
                Some(format!("the server `{}` is not connected: it needs authentication", view.name))
            }
            ServerState::Waiting | ServerState::Connecting | ServerState::Closed => {
                Some(format!("the server `{}` is not connected", view.name))
            }
        };
        self.pool.servers().into_iter().filter_map(notice).collect()
    }

    /// What hooks may call.
    pub(crate) fn hooks(&self) -> HookCalls {
        HookCalls::new(self.pool.clone())
    }

    /// Ends the servers, and waits until nothing of them is left.
    pub(crate) async fn close(&self) {
        self.pool.close().await;
    }
}
