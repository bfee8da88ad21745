//! One connection to one server, from its first use to its end.
//!
//! A task of the pool connects and watches it: callers wait for the outcome and may be dropped at any time.
//!
//! INVARIANT: dropping it first ends the connection and everything that was started for it.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use becket_process::CancellationToken;
use tokio::sync::SetOnce;
use tokio::time::{Instant, sleep, sleep_until, timeout};

use super::common::Common;
use super::listing::{CachedList, list_tools};
use super::state::ServerState;
use super::state_broadcast::StatePublisher;
use crate::catalog::Tools;
use crate::config::ServerConfig;
use crate::connect_error::ConnectError;
use crate::connection::{ConnectParams, Connection, open};
use crate::fault::Fault;
use crate::lists::Debounce;
use crate::owned_task::OwnedTask;

/// The outcome of connecting.
pub(super) type Outcome = Result<Arc<Connection>, Arc<ConnectError>>;

/// The time limit for an attempt to stop: a process that it has started is ended by then, or is killed.
const STOPPING: Duration = Duration::from_secs(5);
/// The pauses before a remote server is retried after a failure that may be temporary.
const RETRIES: [Duration; 2] = [Duration::from_millis(250), Duration::from_secs(1)];
/// An attempt to connect.
pub(super) struct Attempt {
    keeper: OwnedTask,
    stop: CancellationToken,
    known: Arc<AttemptState>,
    renews: bool,
}

/// The parameters of an attempt.
pub(super) struct Start {
    pub(super) server: Arc<str>,
    pub(super) config: ServerConfig,
    pub(super) publisher: StatePublisher,
    /// The earliest time for the attempt.
    pub(super) not_before: Option<Instant>,
    /// True if it replaces a connection that was open a moment ago.
    pub(super) renews: bool,
    /// A token that fires when the previous connection is over.
    pub(super) after: Option<CancellationToken>,
}

/// The state of an attempt.
#[derive(Default)]
struct AttemptState {
    outcome: SetOnce<Outcome>,
    connected: OnceLock<Instant>,
    ended: OnceLock<Instant>,
}

impl Attempt {
    pub(super) fn begin(common: &Arc<Common>, start: Start) -> Arc<Self> {
        let (stop, known) = (common.closed.child_token(), Arc::new(AttemptState::default()));
        let (settle, renews) = (Settle(Arc::clone(&known)), start.renews);
        let keeper = OwnedTask::spawn(keep(Arc::clone(common), start, stop.clone(), settle));
        Arc::new(Self { keeper, stop, known, renews })
    }

    /// Returns its outcome, if there is one.
    pub(super) fn outcome(&self) -> Option<&Outcome> {
        self.known.outcome.get()
    }

    /// Waits for its outcome.
    pub(super) async fn settled(&self) -> &Outcome {
        self.known.outcome.wait().await
    }

    /// Returns whether callers that must not connect may use it: it is connected, or replaces a connection that was.
    pub(super) fn is_there(&self) -> bool {
        self.renews || self.outcome().is_some()
    }

    /// Returns whether waiting for it, or using its outcome, makes sense.
    pub(super) fn is_usable(&self) -> bool {
        match self.outcome() {
            None => !self.stop.is_cancelled(),
            Some(Ok(connection)) => !connection.broken().is_cancelled(),
            Some(Err(_)) => false,
        }
    }

    /// Returns the lifetime of the connection, and the time at which it, or the attempt, ended; `None` while it
    /// continues.
    pub(super) fn ended(&self) -> Option<(Duration, Instant)> {
        let ended = *self.known.ended.get()?;
        Some((self.known.connected.get().map_or(Duration::ZERO, |begun| ended - *begun), ended))
    }

    /// Cancels connecting. An established connection stays.
    pub(super) fn give_up(&self) {
        if self.outcome().is_none() {
            self.stop.cancel();
        }
    }

    /// Waits until no call is active.
    pub(super) async fn idle(&self) {
        if let Some(Ok(connection)) = self.outcome() {
            connection.idle().await;
        }
    }

    /// Ends it and waits for the end: the server has `exit_grace` to exit on its own.
    pub(super) async fn end(&self, exit_grace: Duration) {
        match self.outcome() {
            Some(Ok(connection)) => connection.close(exit_grace).await,
            Some(Err(_)) | None => {
                self.stop.cancel();
                // It ends its processes; those that take too long are killed when this is dropped.
                let _ = timeout(STOPPING, self.keeper.over().cancelled()).await;
                // It was connected at that moment.
                if let Some(Ok(connection)) = self.outcome() {
                    connection.close(exit_grace).await;
                }
            }
        }
    }
}

/// A guard that reports the outcome; if it is dropped before, it reports that there is none.
struct Settle(Arc<AttemptState>);

impl Settle {
    fn with(&self, outcome: Outcome) {
        let times = if outcome.is_ok() { &self.0.connected } else { &self.0.ended };
        let _ = times.set(Instant::now());
        // Only the first one counts.
        let _ = self.0.outcome.set(outcome);
    }
}

impl Drop for Settle {
    fn drop(&mut self) {
        if self.0.outcome.get().is_none() {
            self.with(Err(Arc::new(ConnectError::Cancelled)));
        }
        let _ = self.0.ended.set(Instant::now());
    }
}

async fn keep(common: Arc<Common>, start: Start, stop: CancellationToken, settle: Settle) {
    let connected = tokio::select! {
        biased;
        () = stop.cancelled() => Err(ConnectError::Cancelled),
        () = turn(&start) => connect(&common, &start, &stop).await,
    };
    match connected {
        Ok((connection, tools)) => {
            let connection = Arc::new(connection);
            start.publisher.connected(connection.info(), tools);
            settle.with(Ok(Arc::clone(&connection)));
            look_after(&common, &start, &connection).await;
        }
        Err(why) => {
            if let Some(challenge) = why.challenge() {
                // Recorded before any waiter sees it: a waiter must not retry.
                common.needed.note(&start.server, &start.config, challenge.clone()).await;
            }
            let why = Arc::new(why);
            start.publisher.publish(state_of(&why));
            settle.with(Err(why));
        }
    }
}

/// Waits until the attempt may connect.
async fn turn(start: &Start) {
    if let Some(after) = &start.after {
        after.cancelled().await;
    }
    if let Some(not_before) = start.not_before {
        sleep_until(not_before).await;
    }
}

/// Connects and lists the tools, and retries after a failure that may be temporary (`protocol.md` X2). Only the
/// handshake is repeated.
async fn connect(
    common: &Common,
    start: &Start,
    stop: &CancellationToken,
) -> Result<(Connection, usize), ConnectError> {
    let Common { options, runner, host, lanes, connector, catalog, .. } = common;
    let _lane = tokio::select! {
        biased;
        () = stop.cancelled() => return Err(ConnectError::Cancelled),
        lane = lanes.enter(&start.config) => lane,
    };
    start.publisher.publish(ServerState::Connecting);
    let params = ConnectParams { runner, options, host, server: &start.server, connector, catalog };
    let mut pauses = RETRIES.into_iter();
    loop {
        catalog.renewed(&start.server);
        let ticket = catalog.tools.begin(&start.server);
        let why = match open(&params, &start.config, stop).await {
            Ok((connection, tools)) => {
                let count = tools.len();
                // If they have changed since, the next caller requests them again.
                let _ = ticket.store(Arc::new(Tools::new(tools)));
                return Ok((connection, count));
            }
            Err(why) => why,
        };
        let again = !start.config.transport.is_local() && may_pass(&why);
        let Some(pause) = pauses.next().filter(|_| again) else { return Err(why) };
        tokio::select! {
            biased;
            () = stop.cancelled() => return Err(why),
            () = sleep(pause) => {}
        }
    }
}

/// Returns whether the failure may be temporary. A server that refuses will refuse again.
fn may_pass(why: &ConnectError) -> bool {
    let Some(fault) = why.fault() else { return false };
    match fault {
        Fault::Unreachable(_) | Fault::BrokenOff(_) => true,
        Fault::Status { status, .. } => *status == 429 || *status >= 500,
        Fault::Spawn(_)
        | Fault::Ended(_)
        | Fault::LineTooLong(_)
        | Fault::Flood(_)
        | Fault::NotReading(_)
        | Fault::StdinClosed
        | Fault::Closed
        | Fault::AuthNeeded(_)
        | Fault::Headers(_)
        | Fault::SessionExpired
        | Fault::TooLarge(_)
        | Fault::NotMcp(_)
        | Fault::OtherOrigin(..)
        | Fault::NotLocal(_) => false,
    }
}

fn state_of(why: &Arc<ConnectError>) -> ServerState {
    match why.challenge() {
        Some(challenge) => ServerState::NeedsAuth { challenge: challenge.clone() },
        None => ServerState::Failed { why: Arc::clone(why) },
    }
}

/// Watches the connection until it breaks: lists its tools again when they change, once for a burst of changes.
async fn look_after(common: &Common, start: &Start, connection: &Connection) {
    let mut changes = Debounce::default();
    loop {
        tokio::select! {
            biased;
            () = connection.broken().cancelled() => break,
            () = connection.changed() => changes.note(Instant::now().into_std()),
            () = due(&changes) => {
                if changes.take(Instant::now().into_std()) {
                    refresh(common, start, connection).await;
                }
            }
        }
    }
    let (fault, output) = connection.fault().await;
    start.publisher.publish(ServerState::Failed { why: Arc::new(ConnectError::Lost { fault, output }) });
    connection.close(common.options.exit_grace).await;
}

async fn due(changes: &Debounce) {
    match changes.due() {
        Some(due) => sleep_until(due.into()).await,
        None => std::future::pending().await,
    }
}

/// Lists the tools again. If the server returns no new list, the old one is kept; the change is reported anyway.
async fn refresh(common: &Common, start: &Start, connection: &Connection) {
    let (catalog, limit) = (&*common.catalog, common.options.connect_timeout);
    let cached = CachedList { catalog, server: &start.server, limit };
    let tools = tokio::select! {
        biased;
        () = connection.broken().cancelled() => return,
        tools = list_tools(cached, connection) => tools,
    };
    if let Ok(tools) = tools {
        start.publisher.connected(connection.info(), tools.list.len());
    }
}
