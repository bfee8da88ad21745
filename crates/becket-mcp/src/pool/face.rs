//! The face: the servers of a host, connected when they are needed, called by name.

use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::time::Duration;

use becket_process::CancellationToken;
use futures_util::future::join_all;

use super::attempt::Attempt;
use super::board::Changes;
use super::call::{Connect, ToolCall};
use super::common::Common;
use super::drains::Drains;
use super::operate::Errand;
use super::slot::{Slot, begins};
use super::state::{ServerState, ServerView};
use super::table::{Entry, Table};
use super::works::{Call, Greeting, Tools};
use crate::asked::Asked;
use crate::call_error::CallError;
use crate::config::Configured;
use crate::connection::{Clock, ServerInfo, Times};
use crate::content::CallResult;
use crate::host::Host;
use crate::options::Options;
use crate::tool::ToolList;

/// The servers of a host (`protocol.md` X2, X4, X7). A clone is the same pool.
///
/// Await [`Pool::close`] before the host goes. When the last clone is dropped without it, every connection is ended there
/// and then, and every server that is a process is killed by the time the drop returns. All methods need a runtime that
/// drives I/O and time.
#[derive(Clone)]
pub struct Pool(Arc<Shared>);

pub(super) struct Shared {
    pub(super) common: Arc<Common>,
    table: RwLock<Arc<Table>>,
    pub(super) drains: Drains,
    /// One reconfigures, or closes, at a time.
    changing: Mutex<()>,
}

impl Pool {
    /// A pool without servers. What `host` offers is asked once, now; `()` is a host that lends nothing.
    #[must_use]
    pub fn new(options: Options, host: Arc<dyn Host>) -> Self {
        let common = Arc::new(Common::new(options, host));
        let (table, drains, changing) = (RwLock::default(), Drains::default(), Mutex::new(()));
        Self(Arc::new(Shared { common, table, drains, changing }))
    }

    /// Takes over a configuration; nothing is connected by this. A server whose entry has not changed keeps its connection. Of
    /// one that has changed, or is gone, the calls that are under way have [`Options::drain_grace`]; what replaces it is
    /// connected after that. Does nothing once the pool is closed.
    pub fn configure(&self, configured: Vec<Configured>) {
        self.0.configure(configured);
    }

    /// Connects all servers that may be used, as many at once as there are lanes, and waits until each is connected or has
    /// failed; one that fails is nobody else's trouble. `cancel` gives up those that are not connected by then. If the
    /// future is dropped, the pool goes on connecting.
    pub async fn start(&self, cancel: &CancellationToken) {
        if cancel.is_cancelled() {
            return;
        }
        let table = self.0.table();
        let begun = table.slots().filter_map(|slot| slot.begin(&self.0.common).ok());
        let begun: Vec<Arc<Attempt>> = begun.collect();
        join_all(begun.iter().map(|attempt| settled(attempt, cancel))).await;
    }

    /// All servers in the order of the configuration, as they stand now.
    #[must_use]
    pub fn servers(&self) -> Vec<ServerView> {
        self.0.table().entries().iter().map(|entry| self.0.view(entry)).collect()
    }

    /// Tells how it stands with each server, and each change from then on.
    #[must_use]
    pub fn changes(&self) -> Changes {
        Changes::new(&self.0.common.board)
    }

    /// Connects a server if it is not, and says what it is. The options' time to connect is the limit.
    ///
    /// # Errors
    /// There is no such server, or it can't be connected.
    pub async fn connect(
        &self,
        server: &str,
        cancel: &CancellationToken,
    ) -> Result<Arc<ServerInfo>, CallError> {
        let asked = &Asked::Connection;
        let errand = Errand { server, asked, connect: Connect::IfNeeded };
        self.0.within(errand, &self.0.patient(), cancel, &Greeting).await
    }

    /// Gives up the connection to a server as [`Pool::configure`] does, and connects it anew.
    ///
    /// # Errors
    /// As [`Pool::connect`].
    pub async fn reconnect(
        &self,
        server: &str,
        cancel: &CancellationToken,
    ) -> Result<Arc<ServerInfo>, CallError> {
        let slot = self.0.slot(server)?;
        if let Some(old) = slot.attempt()
            && let Ok(Some(old)) = slot.replace(&self.0.common, &old)
        {
            self.0.drains.drain(&self.0.common, old);
        }
        self.connect(server, cancel).await
    }

    /// The tools of a server, which is connected if it is not. They are asked for again if the server has said that they have
    /// changed; where that fails, the old list stays.
    ///
    /// # Errors
    /// There is no such server, or it can't be connected.
    pub async fn tools(&self, server: &str, cancel: &CancellationToken) -> Result<Arc<ToolList>, CallError> {
        let asked = &Asked::Tools;
        let errand = Errand { server, asked, connect: Connect::IfNeeded };
        self.0.within(errand, &self.0.patient(), cancel, &Tools).await
    }

    /// Calls a tool (`protocol.md` H6, X4, X6). It is called a second time only where the server can't have done it the
    /// first time.
    ///
    /// At the limit, when `cancel` fires, or when the future is dropped, the server is told that nobody waits any longer
    /// (`notifications/cancelled`) and this returns without waiting for what it makes of that.
    ///
    /// # Errors
    /// There is no such server or tool, it is not connected, or there was no good answer in time. A tool that says itself
    /// that it failed is an answer: [`CallResult::is_error`].
    pub async fn call(
        &self,
        call: ToolCall<'_>,
        cancel: &CancellationToken,
    ) -> Result<CallResult, CallError> {
        let ToolCall { server, tool, input, limit, connect } = call;
        let own = self.0.slot(server)?.timeout();
        let clock = self.0.clock(own.map_or(limit, |own| own.min(limit)));
        let asked = Asked::Tool(tool.to_owned());
        let (errand, work) =
            (Errand { server, asked: &asked, connect }, Call { tool: tool.into(), input, clock: &clock });
        self.0.within(errand, &clock, cancel, &work).await
    }

    /// Ends all connections, also those that are being made or drained, and waits until nothing of them is left. A server
    /// that is a process: stdin closed, [`Options::exit_grace`], SIGTERM to the group, [`Options::term_grace`], SIGKILL.
    /// Calls that are under way fail; nothing is connected from now on. Twice is once.
    pub async fn close(&self) {
        self.0.close().await;
    }
}

/// Waits until an attempt is over; gives it up when the token fires.
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

impl Shared {
    pub(super) fn table(&self) -> Arc<Table> {
        Arc::clone(&self.table.read().unwrap_or_else(PoisonError::into_inner))
    }

    pub(super) fn clock(&self, limit: Duration) -> Arc<Clock> {
        let Options { longest_pause, longest_call, .. } = self.common.options;
        Clock::start(Times { limit, longest_pause, longest: longest_call })
    }

    /// For what has the limits of connecting alone; longer than that, as it may wait for a lane.
    fn patient(&self) -> Arc<Clock> {
        self.clock(Duration::MAX)
    }

    fn configure(&self, configured: Vec<Configured>) {
        let _changing = self.changing.lock().unwrap_or_else(PoisonError::into_inner);
        if self.common.closed.is_cancelled() {
            return;
        }
        let old = self.table();
        let table = Table::new(configured, |configured| match old.get(&configured.name.to_string()) {
            Some(slot) if slot.is(configured) => Arc::clone(slot),
            Some(slot) => Slot::new(&self.common, configured, self.retire(slot)),
            None => Slot::new(&self.common, configured, None),
        });
        for slot in old.slots().filter(|slot| table.get(&slot.name).is_none()) {
            self.retire(slot);
            self.common.board.end(&slot.name);
        }
        *self.table.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(table);
    }

    /// Fires when nothing of its connection is left; none where there was none.
    fn retire(&self, slot: &Slot) -> Option<CancellationToken> {
        slot.retire().map(|attempt| self.drains.drain(&self.common, attempt))
    }

    fn view(&self, entry: &Entry) -> ServerView {
        let Entry { name, configured, slot } = entry;
        let state = match slot {
            Some(_) => self.common.board.state(name).unwrap_or(ServerState::Closed),
            None => begins(&configured.config, &configured.status),
        };
        let attempt = slot.as_ref().and_then(|slot| slot.attempt());
        let tools = match attempt.as_ref().and_then(|attempt| attempt.outcome()) {
            Some(Ok(connection)) if matches!(state, ServerState::Connected { .. }) => {
                Some(connection.tools())
            }
            Some(_) | None => None,
        };
        ServerView { name: name.to_string(), configured: Arc::clone(configured), state, tools }
    }

    async fn close(&self) {
        {
            let _changing = self.changing.lock().unwrap_or_else(PoisonError::into_inner);
            self.common.closed.cancel();
            let table = self.table();
            for slot in table.slots() {
                self.retire(slot);
                self.common.board.end(&slot.name);
            }
        }
        self.drains.all_over().await;
        self.common.runner.all_gone().await;
        self.common.board.close();
    }
}
