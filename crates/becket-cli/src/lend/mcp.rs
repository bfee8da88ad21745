//! The MCP servers that `mcp_tool` handlers may call (H6): those of one file, connected before the event is fired.
//!
//! A server that can't be connected is told and stops nothing: a handler that needs it fails by name.

use crate::error::CliError;
use crate::event::read;
use becket_engine::{CancellationToken, Environment, McpAnswer, McpCall, McpTools};
use becket_mcp::{Options, Outcome, Servers, ToolCall, config};
use std::ffi::OsString;
use std::future::Future;
use std::path::Path;
use std::pin::Pin;
use std::sync::Arc;

/// Connected servers. Clones are the same ones.
#[derive(Clone)]
pub(crate) struct Mcp(Arc<Servers>);

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
        let configured = config::read(&read::file(file)?, file, &variables)
            .map_err(|error| CliError::McpConfig { why: error.to_string() })?;
        let servers = Servers::connect(configured, &Options::new(variables, start), cancel).await;
        Ok(Mcp(Arc::new(servers)))
    }

    /// What keeps servers from being called, a line each.
    pub(crate) fn notices(&self) -> Vec<String> {
        let failed = self.0.outcomes().filter_map(|(name, outcome)| match outcome {
            Outcome::Connected { .. } => None,
            Outcome::Failed { why } => Some(format!("the server `{name}` is not connected: {why}")),
        });
        failed.collect()
    }

    /// Ends the servers, and waits until nothing of them is left.
    pub(crate) async fn close(&self) {
        self.0.close().await;
    }
}

impl McpTools for Mcp {
    fn call<'a>(
        &'a self,
        call: McpCall<'a>,
    ) -> Pin<Box<dyn Future<Output = Result<McpAnswer, String>> + Send + 'a>> {
        Box::pin(async move {
            let McpCall { server, tool, input, limit, cancel } = call;
            let called = self.0.call(ToolCall { server, tool, input, limit }, cancel).await;
            let answer = called.map_err(|error| error.to_string())?;
            Ok(McpAnswer { text: answer.text(), is_error: answer.is_error })
        })
    }
}
