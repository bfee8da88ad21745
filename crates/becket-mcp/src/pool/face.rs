//! The servers of a host, connected on demand, called by name.

use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::time::Duration;

use becket_process::CancellationToken;
use futures_util::future::join_all;

use super::attempt::Attempt;
use super::call::{Connect, PromptCall, ToolCall};
use super::common::Common;
use super::draining::DrainingConnections;
use super::listing::{CachedList, find_tool, list_prompts, list_resources, list_tools};
use super::operate::Request;
use super::slot::{Slot, initial_state};
use super::state::{ServerState, ServerView};
use super::state_broadcast::Changes;
use super::table::{Entry, Table};
use crate::auth::{LoggedOut, Login};
use crate::call_error::CallError;
use crate::config::ConfiguredServer;
use crate::connection::{Clock, Connection, OperationError, ServerInfo, Times};
use crate::host::{Host, ProgressListener};
use crate::login_error::LoginError;
use crate::operation::Operation;
use crate::options::Options;
use crate::output::CallResult;
use crate::prompt::{Prompt, PromptResult};
use crate::resource::{ResourceContents, Resources};
use crate::tool::ToolList;

/// The servers of a host (`protocol.md` X2, X4, X7). Clones share the same pool.
///
/// Await [`Pool::close`] before the host exits. If the last clone is dropped without it, every connection is ended at
/// once, and every server that is a process is killed by the time the drop returns. All methods need a runtime that
/// drives I/O and time.
#[derive(Clone)]
pub struct Pool(Arc<PoolState>);

pub(super) struct PoolState {
    pub(super) common: Arc<Common>,
    table: RwLock<Arc<Table>>,
    pub(super) draining: DrainingConnections,
    /// Serializes changes of the configuration and closing.
    changing: Mutex<()>,
}

impl Pool {
    /// Creates a pool without servers. The offers of `host` are queried once, now; `()` is a host that offers nothing.
    #[must_use]
    pub fn new(options: Options, host: Arc<dyn Host>) -> Self {
        let common = Arc::new(Common::new(options, host));
        let (table, draining, changing) = (RwLock::default(), DrainingConnections::default(), Mutex::new(()));
        Self(Arc::new(PoolState { common, table, draining, changing }))
    }

    /// Applies a configuration; this connects no server. A server whose entry has not changed keeps its connection. If
    /// it has changed, or is removed, its active calls have [`Options::drain_grace`]; its replacement is connected
    /// after that. Does nothing once the pool is closed.
    pub fn configure(&self, configured: Vec<ConfiguredServer>) {
        self.0.configure(configured);
    }

    /// Connects all servers that may be used, as many at once as there are lanes, and waits until each is connected or
    /// has failed; a failure does not affect the others. `cancel` cancels those that are not connected by then. If the
    /// future is dropped, the pool continues to connect.
    pub async fn start(&self, cancel: &CancellationToken) {
        if cancel.is_cancelled() {
            return;
        }
        let table = self.0.table();
        let begun = table.slots().filter_map(|slot| slot.begin(&self.0.common).ok());
        let begun: Vec<Arc<Attempt>> = begun.collect();
        join_all(begun.iter().map(|attempt| settled(attempt, cancel))).await;
    }

    /// Returns all servers in the order of the configuration, with their current states.
    #[must_use]
    pub fn servers(&self) -> Vec<ServerView> {
        self.0.table().entries().iter().map(|entry| self.0.view(entry)).collect()
    }

    /// Returns the state of each server, and each change from then on.
    #[must_use]
    pub fn changes(&self) -> Changes {
        Changes::new(&self.0.common.states)
    }

    /// Connects a server if needed, and returns its description. The time limit is that of [`Options`].
    ///
    /// # Errors
    /// Errors if the server does not exist, or can't be connected.
    pub async fn connect(
        &self,
        server: &str,
        cancel: &CancellationToken,
    ) -> Result<Arc<ServerInfo>, CallError> {
        let info = |connection: Arc<Connection>| async move { Ok(Arc::clone(connection.info())) };
        self.0.patiently(server, &Operation::Connection, cancel, info).await
    }

    /// Ends the connection to a server as [`Pool::configure`] does, and reconnects it, even if it demanded a login a
    /// moment ago.
    ///
    /// # Errors
    /// Errors as [`Pool::connect`] does.
    pub async fn reconnect(
        &self,
        server: &str,
        cancel: &CancellationToken,
    ) -> Result<Arc<ServerInfo>, CallError> {
        let slot = self.0.slot(server)?;
        if let Ok(config) = slot.usable() {
            self.0.common.needed.clear(&slot.name, config).await;
        }
        if let Some(old) = slot.attempt()
            && let Ok(Some(old)) = slot.replace(&self.0.common, &old)
        {
            self.0.draining.drain(&self.0.common, old);
        }
        self.connect(server, cancel).await
    }

    /// Returns the tools of a server, which is connected if needed (`protocol.md` X5). They are listed again if the
    /// server has announced a change; if that fails, the old list is kept.
    ///
    /// # Errors
    /// Errors if the server does not exist, can't be connected, or returns no list and never returned one.
    pub async fn tools(&self, server: &str, cancel: &CancellationToken) -> Result<Arc<ToolList>, CallError> {
        let cached = self.0.cached_list(server);
        let list = |connection: Arc<Connection>| async move { list_tools(cached, &connection).await };
        let tools = self.0.patiently(server, &Operation::Tools, cancel, list).await?;
        Ok(Arc::clone(&tools.list))
    }

    /// Returns the resources of a server and their families, as [`Pool::tools`] does for tools (`protocol.md` X8).
    ///
    /// # Errors
    /// Errors as [`Pool::tools`] does.
    pub async fn resources(
        &self,
        server: &str,
        cancel: &CancellationToken,
    ) -> Result<Arc<Resources>, CallError> {
        let cached = self.0.cached_list(server);
        let list = |connection: Arc<Connection>| async move { list_resources(cached, &connection).await };
        self.0.patiently(server, &Operation::Resources, cancel, list).await
    }

    /// Returns the prompts of a server, as [`Pool::tools`] does for tools (`protocol.md` X8).
    ///
    /// # Errors
    /// Errors as [`Pool::tools`] does.
    pub async fn prompts(
        &self,
        server: &str,
        cancel: &CancellationToken,
    ) -> Result<Arc<Vec<Prompt>>, CallError> {
        let cached = self.0.cached_list(server);
        let list = |connection: Arc<Connection>| async move { list_prompts(cached, &connection).await };
        self.0.patiently(server, &Operation::Prompts, cancel, list).await
    }

    /// Reads a resource; the time limit works as that of a call (`protocol.md` X8).
    ///
    /// # Errors
    /// Errors if the server does not exist, or gave no valid answer in time.
    pub async fn read_resource(
        &self,
        server: &str,
        uri: &str,
        limit: Duration,
        cancel: &CancellationToken,
    ) -> Result<Vec<ResourceContents>, CallError> {
        let (clock, operation) = (self.0.clock_for(server, limit)?, Operation::Resource(uri.to_owned()));
        let request = Request { server, operation: &operation, connect: Connect::IfNeeded };
        let clock = &clock;
        let read = |connection: Arc<Connection>| async move { connection.read_resource(uri, clock).await };
        self.0.within(request, clock, cancel, read).await
    }

    /// Gets a prompt, filled in by its server; the time limit works as that of a call (`protocol.md` X8).
    /// [`Prompt::arguments`] parses typed arguments.
    ///
    /// # Errors
    /// Errors if the server does not exist, or gave no valid answer in time.
    pub async fn prompt(
        &self,
        server: &str,
        prompt: PromptCall<'_>,
        cancel: &CancellationToken,
    ) -> Result<PromptResult, CallError> {
        let PromptCall { name, arguments, limit } = prompt;
        let (clock, operation) = (self.0.clock_for(server, limit)?, Operation::Prompt(name.to_owned()));
        let request = Request { server, operation: &operation, connect: Connect::IfNeeded };
        let (clock, arguments) = (&clock, &arguments);
        let get =
            |connection: Arc<Connection>| async move { connection.prompt(name, arguments, clock).await };
        self.0.within(request, clock, cancel, get).await
    }

    /// Calls a tool (`protocol.md` H6, X4, X6). The call is repeated only if the server can't have executed it the
    /// first time.
    ///
    /// At the limit, when `cancel` fires, or when the future is dropped, the call is cancelled at the server
    /// (`notifications/cancelled`) and this returns without waiting for its reaction.
    ///
    /// # Errors
    /// Errors if the server or the tool does not exist, it is not connected, or there was no valid answer in time. A
    /// tool that reports a failure is an answer: [`CallResult::is_error`].
    pub async fn call(
        &self,
        call: ToolCall<'_>,
        cancel: &CancellationToken,
    ) -> Result<CallResult, CallError> {
        self.0.call(call, None, cancel).await
    }

    /// Calls a tool as [`Pool::call`] does, with a listener to the progress of this call.
    ///
    /// # Errors
    /// Errors as [`Pool::call`] does.
    pub async fn call_with_progress(
        &self,
        call: ToolCall<'_>,
        listener: ProgressListener,
        cancel: &CancellationToken,
    ) -> Result<CallResult, CallError> {
        self.0.call(call, Some(listener), cancel).await
    }

    /// Begins a login to a server (`protocol.md` X3). No browser is opened: the user has to open [`Login::url`]. After
    /// its end, [`Pool::reconnect`] uses the tokens.
    ///
    /// # Errors
    /// Errors if the server does not exist, has no login, or its login can't be begun.
    pub async fn login(&self, server: &str) -> Result<Login, LoginError> {
        self.0.login(server).await
    }

    /// Deletes the tokens of a server, and ends its connection.
    ///
    /// # Errors
    /// Errors if the server does not exist, has no login, or the tokens could not be deleted.
    pub async fn logout(&self, server: &str) -> Result<LoggedOut, LoginError> {
        self.0.logout(server).await
    }

    /// Ends all connections, including those that are being opened or drained, and waits until nothing of them
    /// remains. The steps for a server that is a process: stdin closed, [`Options::exit_grace`], SIGTERM to the group,
    /// [`Options::term_grace`], SIGKILL. Active calls fail; no server is connected from now on. Idempotent.
    pub async fn close(&self) {
        self.0.close().await;
    }
}

/// Waits until an attempt is settled; cancels it when the token fires.
async fn settled(attempt: &Attempt, cancel: &CancellationToken) {
    tokio::select! {
        biased;
        _ = attempt.settled() => {}
        () = cancel.cancelled() => {
            attempt.give_up();
            attempt.settled().await;
        }
    }
}

impl PoolState {
    pub(super) fn table(&self) -> Arc<Table> {
        Arc::clone(&self.table.read().unwrap_or_else(PoisonError::into_inner))
    }

    pub(super) fn clock(&self, limit: Duration) -> Arc<Clock> {
        Clock::start(self.times(limit))
    }

    fn times(&self, limit: Duration) -> Times {
        let Options { longest_pause, longest_call, .. } = self.common.options;
        Times { limit, longest_pause, longest: longest_call }
    }

    /// Returns the clock of a call; the server's own limit counts if it is shorter.
    fn clock_for(&self, server: &str, limit: Duration) -> Result<Arc<Clock>, CallError> {
        self.clock_for_listener(server, limit, None)
    }

    fn clock_for_listener(
        &self,
        server: &str,
        limit: Duration,
        listener: Option<ProgressListener>,
    ) -> Result<Arc<Clock>, CallError> {
        let own = self.slot(server)?.timeout();
        Ok(Clock::start_for(self.times(own.map_or(limit, |own| own.min(limit))), listener))
    }

    async fn call(
        &self,
        call: ToolCall<'_>,
        listener: Option<ProgressListener>,
        cancel: &CancellationToken,
    ) -> Result<CallResult, CallError> {
        let ToolCall { server, tool, input, limit, connect } = call;
        let clock = self.clock_for_listener(server, limit, listener)?;
        let (operation, cached) = (Operation::Tool(tool.to_owned()), self.cached_list(server));
        let request = Request { server, operation: &operation, connect };
        let (clock, tool, input) = (&clock, &Arc::from(tool), &input);
        let call = |connection: Arc<Connection>| async move {
            find_tool(cached, tool, &connection).await.map_err(OperationError::before_the_call)?;
            connection.call(tool, input, clock).await
        };
        self.within(request, clock, cancel, call).await
    }

    fn cached_list<'a>(&'a self, server: &'a str) -> CachedList<'a> {
        CachedList { catalog: &self.common.catalog, server, limit: self.common.options.connect_timeout }
    }

    /// Runs an operation with the limits of connecting, without a limit of its own, as it may wait for a lane.
    async fn patiently<T, F>(
        &self,
        server: &str,
        operation: &Operation,
        cancel: &CancellationToken,
        work: impl Fn(Arc<Connection>) -> F,
    ) -> Result<T, CallError>
    where
        F: Future<Output = Result<T, OperationError>>,
    {
        let request = Request { server, operation, connect: Connect::IfNeeded };
        self.within(request, &self.clock(Duration::MAX), cancel, work).await
    }

    fn configure(&self, configured: Vec<ConfiguredServer>) {
        let _changing = self.changing.lock().unwrap_or_else(PoisonError::into_inner);
        if self.common.closed.is_cancelled() {
            return;
        }
        self.common.catalog.make_room(configured.len());
        let old = self.table();
        let table = Table::new(configured, |configured| match old.get(&configured.name.to_string()) {
            Some(slot) if slot.is(configured) => Arc::clone(slot),
            Some(slot) => Slot::new(&self.common, configured, self.retire(slot)),
            None => Slot::new(&self.common, configured, None),
        });
        for slot in old.slots().filter(|slot| table.get(&slot.name).is_none()) {
            self.retire(slot);
            self.common.catalog.forget(&slot.name);
            self.common.states.end(&slot.name);
        }
        *self.table.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(table);
    }

    /// Retires a slot. The returned token fires when nothing of its connection remains; `None` if there was none.
    fn retire(&self, slot: &Slot) -> Option<CancellationToken> {
        self.common.needed.forget(&slot.name);
        slot.retire().map(|attempt| self.draining.drain(&self.common, attempt))
    }

    fn view(&self, entry: &Entry) -> ServerView {
        let Entry { name, configured, slot } = entry;
        let state = match slot {
            Some(_) => self.common.states.state(name).unwrap_or(ServerState::Closed),
            None => initial_state(&configured.config, &configured.status),
        };
        let is_connected = matches!(state, ServerState::Connected { .. });
        let tools = is_connected.then(|| self.common.catalog.last_tools(name)).flatten();
        ServerView { name: name.to_string(), configured: Arc::clone(configured), state, tools }
    }

    async fn close(&self) {
        {
            let _changing = self.changing.lock().unwrap_or_else(PoisonError::into_inner);
            self.common.closed.cancel();
            let table = self.table();
            for slot in table.slots() {
                self.retire(slot);
                self.common.states.end(&slot.name);
            }
        }
        self.draining.all_over().await;
        self.common.runner.all_gone().await;
        self.common.states.close();
    }
}
