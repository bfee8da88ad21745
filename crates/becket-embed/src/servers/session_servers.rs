//! The servers of one session: connected when a hook calls the first of them, and ended with the session.
//!
//! A separate task connects and ends them; callers wait for it, and may be dropped at any time.
//!
//! INVARIANT: once that task runs, it ends the servers as soon as the session is closed, cancelled or dropped. Afterwards no
//! server is started.

use super::mcp_config::LoadedServers;
use super::server_pool::ServerPool;
use becket_engine::{CancellationToken, McpAnswer, McpCall, McpTools};
use futures_util::future::BoxFuture;
use std::mem;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::SetOnce;

/// The error of a call after the end of the session.
const OVER: &str = "the session has ended, and its MCP servers with it";

/// The servers of a session. Dropping it ends them.
pub(crate) struct SessionServers(Arc<ServersState>);

/// The servers that the hooks of a session may call.
struct ServersState {
    state: Mutex<State>,
    /// The token that ends the servers, also while they are being connected.
    cancel: CancellationToken,
}

enum State {
    /// The servers have not been needed yet.
    Waiting(Box<LoadedServers>),
    Begun(Keeper),
    /// The servers could not be started.
    Over,
}

/// The state of the task that owns them.
#[derive(Clone)]
struct Keeper {
    connected: Arc<SetOnce<ServerPool>>,
    /// The token that is cancelled when the servers have ended.
    over: CancellationToken,
}

impl SessionServers {
    /// Creates servers that end with `cancel`, or when this is dropped.
    pub(crate) fn new(configured: LoadedServers, cancel: CancellationToken) -> Self {
        SessionServers(Arc::new(ServersState {
            state: Mutex::new(State::Waiting(Box::new(configured))),
            cancel,
        }))
    }

    /// Returns the tools that hooks may call. Requires a runtime.
    pub(crate) fn calls(&self) -> impl McpTools + 'static {
        Calls(self.0.clone())
    }

    /// Ends them, and waits for their end.
    pub(crate) async fn close(&self) {
        self.0.cancel.cancel();
        let begun = match &*self.0.state() {
            State::Begun(keeper) => Some(keeper.over.clone()),
            State::Waiting(_) | State::Over => None,
        };
        if let Some(over) = begun {
            over.cancelled().await;
        }
    }
}

impl Drop for SessionServers {
    fn drop(&mut self) {
        self.0.cancel.cancel();
    }
}

impl ServersState {
    /// Returns the task that owns them, and starts it if there is none.
    ///
    /// # Errors
    /// Errors if the session has ended.
    fn keeper(&self) -> Result<Keeper, String> {
        let mut state = self.state();
        // Under the lock, so that a concurrent close sees the task.
        if self.cancel.is_cancelled() {
            return Err(OVER.to_owned());
        }
        let keeper = match mem::replace(&mut *state, State::Over) {
            State::Waiting(configured) => Keeper::begin(*configured, self.cancel.clone()),
            State::Begun(keeper) => keeper,
            State::Over => return Err(OVER.to_owned()),
        };
        *state = State::Begun(keeper.clone());
        Ok(keeper)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Keeper {
    fn begin(configured: LoadedServers, cancel: CancellationToken) -> Self {
        let keeper = Keeper { connected: Arc::default(), over: CancellationToken::new() };
        let (connected, over) = (keeper.connected.clone(), keeper.over.clone().drop_guard());
        tokio::spawn(async move {
            let servers = ServerPool::connect(configured, &cancel).await;
            // INVARIANT: this is the only place that sets it.
            drop(connected.set(servers.clone()));
            cancel.cancelled().await;
            servers.close().await;
            drop(over);
        });
        keeper
    }

    /// Waits until the servers are connected, or can't be.
    ///
    /// # Errors
    /// Errors if the servers have ended before.
    async fn connected(&self) -> Result<&ServerPool, String> {
        tokio::select! {
            biased;
            () = self.over.cancelled() => Err(OVER.to_owned()),
            connected = self.connected.wait() => Ok(connected),
        }
    }
}

/// The interface for calls of hooks.
struct Calls(Arc<ServersState>);

impl McpTools for Calls {
    fn call<'a>(&'a self, call: McpCall<'a>) -> BoxFuture<'a, Result<McpAnswer, String>> {
        Box::pin(async move {
            let keeper = self.0.keeper()?;
            keeper.connected().await?.call(call).await
        })
    }
}
