//! One configured server, with the connection that all callers share.
//!
//! INVARIANT: at most one attempt at a time is available; of many callers that find it broken, one replaces it.
//! INVARIANT: once the slot is retired, no attempt is begun.

use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};
use std::time::Duration;

use becket_process::CancellationToken;
use tokio::time::Instant;

use super::attempt::{Attempt, Start};
use super::common::Common;
use super::state::ServerState;
use crate::challenge::Challenge;
use crate::config::{ConfiguredServer, DisabledReason, ServerConfig, ServerConfigError, Status};
use crate::connect_error::ConnectError;

/// The pauses before reconnecting a server after its first failure, and after further ones.
const PAUSES: [Duration; 2] = [Duration::from_millis(250), Duration::from_secs(1)];
/// The minimum lifetime of a connection that resets the count of failures.
const LASTING: Duration = Duration::from_secs(5);

/// A server.
pub(super) struct Slot {
    pub(super) name: Arc<str>,
    config: Result<ServerConfig, ServerConfigError>,
    status: Status,
    line: RwLock<Line>,
}

struct Line {
    attempt: Option<Arc<Attempt>>,
    /// The number of consecutive attempts without a lasting connection.
    failures: usize,
    /// A token that fires when it may be connected.
    after: Option<CancellationToken>,
    is_retired: bool,
}

/// The reason why no attempt is available.
#[derive(Debug)]
pub(super) enum NoAttempt {
    /// The server must not be connected.
    Disabled(DisabledReason),
    /// The server has recently demanded a login.
    NeedsAuth(Challenge),
    /// The configuration is invalid.
    Never(Arc<ConnectError>),
    /// The server is no longer configured, or the pool is closed.
    Retired,
}

impl Slot {
    /// Creates the slot of a server that was not needed yet. It is not connected before `after` fires.
    pub(super) fn new(
        common: &Common,
        configured: &ConfiguredServer,
        after: Option<CancellationToken>,
    ) -> Arc<Self> {
        let name: Arc<str> = configured.name.to_string().into();
        let (config, status) = (configured.config.clone(), configured.status.clone());
        drop(common.states.publisher(&name, initial_state(&config, &status)));
        let line = Line { attempt: None, failures: 0, after, is_retired: false };
        Arc::new(Self { name, config, status, line: RwLock::new(line) })
    }

    /// Returns whether it has this configuration, wherever that is written.
    pub(super) fn is(&self, configured: &ConfiguredServer) -> bool {
        self.config == configured.config && self.status == configured.status
    }

    /// Returns the time limit on a call, if the configuration has one.
    pub(super) fn timeout(&self) -> Option<Duration> {
        self.config.as_ref().ok()?.timeout
    }

    /// Returns the last attempt.
    pub(super) fn attempt(&self) -> Option<Arc<Attempt>> {
        self.read().attempt.clone()
    }

    /// Returns the shared attempt; begins one if there is no usable one.
    pub(super) fn begin(&self, common: &Arc<Common>) -> Result<Arc<Attempt>, NoAttempt> {
        if let Some(attempt) = self.attempt().filter(|attempt| attempt.is_usable()) {
            return Ok(attempt);
        }
        let config = self.usable()?;
        if let Some(challenge) = common.needed.is_needed(&self.name, config) {
            // The last caller has recorded it; a new process has not.
            if self.read().attempt.is_none() {
                let challenge = challenge.clone();
                drop(common.states.publisher(&self.name, ServerState::NeedsAuth { challenge }));
            }
            return Err(NoAttempt::NeedsAuth(challenge));
        }
        let mut line = self.write();
        match &line.attempt {
            Some(attempt) if attempt.is_usable() => Ok(Arc::clone(attempt)),
            Some(_) | None => self.renew(&mut line, common, config, false),
        }
    }

    /// Replaces this attempt, unless that has been done already. Returns the old one to the caller that removed it.
    pub(super) fn replace(
        &self,
        common: &Arc<Common>,
        old: &Arc<Attempt>,
    ) -> Result<Option<Arc<Attempt>>, NoAttempt> {
        let config = self.usable()?;
        let mut line = self.write();
        if !line.attempt.as_ref().is_some_and(|attempt| Arc::ptr_eq(attempt, old)) {
            return Ok(None);
        }
        self.renew(&mut line, common, config, true)?;
        Ok(Some(Arc::clone(old)))
    }

    /// Cancels and returns the attempt; the next caller begins another.
    pub(super) fn let_go(&self, common: &Common) -> Option<Arc<Attempt>> {
        let mut line = self.write();
        let old = line.attempt.take()?;
        drop(common.states.publisher(&self.name, initial_state(&self.config, &self.status)));
        Some(old)
    }

    /// Replaces a connected attempt that now needs a login, unless that has been done already.
    pub(super) fn require_login(
        &self,
        common: &Common,
        old: &Arc<Attempt>,
        challenge: Challenge,
    ) -> Option<Arc<Attempt>> {
        let mut line = self.write();
        line.attempt.as_ref().filter(|attempt| Arc::ptr_eq(attempt, old))?;
        drop(common.states.publisher(&self.name, ServerState::NeedsAuth { challenge }));
        line.attempt.take()
    }

    /// Retires the slot: no attempt is begun from now on. Returns the current one.
    pub(super) fn retire(&self) -> Option<Arc<Attempt>> {
        let mut line = self.write();
        line.is_retired = true;
        line.attempt.take()
    }

    fn renew(
        &self,
        line: &mut Line,
        common: &Arc<Common>,
        config: &ServerConfig,
        renews: bool,
    ) -> Result<Arc<Attempt>, NoAttempt> {
        if line.is_retired || common.closed.is_cancelled() {
            return Err(NoAttempt::Retired);
        }
        let not_before = line.not_before();
        let attempt = Attempt::begin(
            common,
            Start {
                server: Arc::clone(&self.name),
                config: config.clone(),
                publisher: common.states.publisher(&self.name, ServerState::Waiting),
                not_before,
                renews,
                after: line.after.clone(),
            },
        );
        line.attempt = Some(Arc::clone(&attempt));
        Ok(attempt)
    }

    /// Returns the configuration, if the server may be used.
    pub(super) fn usable(&self) -> Result<&ServerConfig, NoAttempt> {
        match (&self.status, &self.config) {
            (Status::Disabled(why), _) => Err(NoAttempt::Disabled(why.clone())),
            (Status::Allowed, Err(error)) => {
                Err(NoAttempt::Never(Arc::new(ConnectError::Config(error.clone()))))
            }
            (Status::Allowed, Ok(config)) => Ok(config),
        }
    }

    /// Returns true if the server is no longer configured, or the pool is closed.
    pub(super) fn is_retired(&self) -> bool {
        self.read().is_retired
    }

    fn read(&self) -> RwLockReadGuard<'_, Line> {
        self.line.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, Line> {
        self.line.write().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns the initial state of a server.
pub(super) fn initial_state(
    config: &Result<ServerConfig, ServerConfigError>,
    status: &Status,
) -> ServerState {
    match (status, config) {
        (Status::Disabled(why), _) => ServerState::Disabled { why: why.clone() },
        (Status::Allowed, Err(error)) => {
            ServerState::Failed { why: Arc::new(ConnectError::Config(error.clone())) }
        }
        (Status::Allowed, Ok(_)) => ServerState::Waiting,
    }
}

impl Line {
    /// Returns the earliest time of the next attempt, based on the end of the last one.
    fn not_before(&mut self) -> Option<Instant> {
        let (lasted, ended) = self.attempt.as_ref()?.ended()?;
        self.failures = if lasted < LASTING { self.failures + 1 } else { 0 };
        let pause = PAUSES[self.failures.checked_sub(1)?.min(PAUSES.len() - 1)];
        Some(ended + pause)
    }
}
