//! The MCP servers that `mcp_tool` handlers of a session may call (H6): those of one file, connected when the first of
//! them is called, and ended with the session.
//!
//! INVARIANT: a server that is started is ended, also where the handler that has started it is gone by then.

use crate::lend::Mcp;
use becket_embed::Host;
use becket_engine::{CancellationToken, Environment, McpAnswer, McpCall, McpTools};
use futures_util::future::BoxFuture;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tokio::sync::OnceCell;

/// What all sessions of this process are opened with.
pub(super) struct Lender {
    pub(super) host: Host,
    /// The file of the servers that `mcp_tool` handlers may call, where there is one.
    pub(super) servers: Option<PathBuf>,
}

/// The servers of one session. Clones are the same.
#[derive(Clone)]
pub(super) struct Servers(Arc<Lent>);

struct Lent {
    file: PathBuf,
    start: PathBuf,
    environment: Environment,
    /// Ends them while they are being connected.
    cancel: CancellationToken,
    connected: OnceCell<Mcp>,
}

impl Servers {
    /// The servers of a file, which is read once one of them is needed; they start in `start`.
    pub(super) fn of(file: &Path, start: &Path, environment: Environment, cancel: CancellationToken) -> Self {
        let (file, start) = (file.to_owned(), start.to_owned());
        Servers(Arc::new(Lent { file, start, environment, cancel, connected: OnceCell::new() }))
    }

    /// Connects them, if that was not done.
    ///
    /// # Errors
    /// Their file can't be used.
    async fn connected(&self) -> Result<Mcp, String> {
        let lent = self.0.clone();
        // A task of its own: whoever waits for it may be gone before it is done.
        let connecting = tokio::spawn(async move {
            let connect = || Mcp::connect(&lent.file, &lent.start, &lent.environment, &lent.cancel);
            lent.connected.get_or_try_init(connect).await.cloned().map_err(|error| error.to_string())
        });
        connecting.await.unwrap_or_else(|_| Err("becket itself broke down over the servers".to_owned()))
    }

    /// Ends them, and waits until nothing of them is left.
    pub(super) async fn close(&self) {
        self.0.cancel.cancel();
        // Waits for those who connect, and connects nothing itself.
        if let Ok(mcp) = self.0.connected.get_or_try_init(async || Err(())).await {
            mcp.close().await;
        }
    }
}

impl McpTools for Servers {
    fn call<'a>(&'a self, call: McpCall<'a>) -> BoxFuture<'a, Result<McpAnswer, String>> {
        Box::pin(async move { self.connected().await?.hooks().call(call).await })
    }
}
