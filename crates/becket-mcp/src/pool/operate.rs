//! An operation on a server: gets the connection, makes the request, and retries if possible, within the single limit
//! of the caller.
//!
//! INVARIANT: a request is repeated only if the server can't have executed it: its session had expired, it demanded
//! authentication, or the request was never sent (`protocol.md` X4). Each of these is retried once.

use std::sync::Arc;

use becket_process::CancellationToken;

use super::attempt::Attempt;
use super::call::Connect;
use super::face::PoolState;
use super::slot::{NoAttempt, Slot};
use crate::call_error::CallError;
use crate::connect_error::ConnectError;
use crate::connection::{Clock, Connection, OperationError};
use crate::fault::{Fault, ServerOutput};
use crate::operation::Operation;
use becket_base::suggest;

/// The server, the operation and the limits of a request.
#[derive(Clone, Copy)]
pub(super) struct Request<'a> {
    pub(super) server: &'a str,
    pub(super) operation: &'a Operation,
    pub(super) connect: Connect,
}

/// A connection, and its slot.
struct Lease {
    slot: Arc<Slot>,
    attempt: Arc<Attempt>,
    connection: Arc<Connection>,
}

/// The retries so far.
#[derive(Default)]
struct RetryState {
    session: bool,
    auth: bool,
    connection: bool,
}

impl PoolState {
    /// Runs the request, until the clock has run out or the token fires. `work` may be repeated.
    pub(super) async fn within<T, F>(
        &self,
        request: Request<'_>,
        clock: &Clock,
        cancel: &CancellationToken,
        work: impl Fn(Arc<Connection>) -> F,
    ) -> Result<T, CallError>
    where
        F: Future<Output = Result<T, OperationError>>,
    {
        let (server, operation) = (request.server.to_owned(), || request.operation.clone());
        tokio::select! {
            biased;
            () = cancel.cancelled() => Err(CallError::Cancelled { server, operation: operation() }),
            done = self.operate(request, work) => done,
            () = clock.run_out() => Err(CallError::TimedOut { server, operation: operation(), limit: clock.limit() }),
        }
    }

    async fn operate<T, F>(
        &self,
        request: Request<'_>,
        work: impl Fn(Arc<Connection>) -> F,
    ) -> Result<T, CallError>
    where
        F: Future<Output = Result<T, OperationError>>,
    {
        let mut retried = RetryState::default();
        loop {
            let lease = self.connection(request).await?;
            let failed = match work(Arc::clone(&lease.connection)).await {
                Ok(done) => return Ok(done),
                Err(failed) => failed,
            };
            if !self.retry(&lease, &failed, request.connect, &mut retried) {
                self.require_login(&lease, &failed).await;
                return Err(error(request, failed));
            }
        }
    }

    /// Returns whether a retry makes sense.
    fn retry(
        &self,
        lease: &Lease,
        failed: &OperationError,
        connect: Connect,
        retried: &mut RetryState,
    ) -> bool {
        let OperationError::Gone { fault, unseen: true, .. } = failed else { return false };
        let (done, is_allowed) = if matches!(fault, Fault::SessionExpired) {
            (&mut retried.session, true)
        } else if let Fault::AuthNeeded(challenge) = fault {
            // A retry does not help with missing scopes; it may with a missing session.
            (&mut retried.auth, !challenge.is_insufficient_scope())
        } else {
            (&mut retried.connection, connect == Connect::IfNeeded)
        };
        if std::mem::replace(done, true) || !is_allowed {
            return false;
        }
        // The next caller replaces a broken connection; this one may look intact to others.
        if let Ok(Some(old)) = lease.slot.replace(&self.common, &lease.attempt) {
            self.draining.drain(&self.common, old);
        }
        true
    }

    /// Records a demand for authentication: a server that needs a login for every call is not contacted again; one
    /// that needs more scopes for this call still is for others.
    async fn require_login(&self, lease: &Lease, failed: &OperationError) {
        let OperationError::Gone { fault: Fault::AuthNeeded(challenge), .. } = failed else { return };
        let Ok(config) = lease.slot.usable() else { return };
        if challenge.is_insufficient_scope() {
            return self.common.needed.note_more(&lease.slot.name, challenge.clone());
        }
        self.common.needed.note(&lease.slot.name, config, challenge.clone()).await;
        if let Some(old) = lease.slot.require_login(&self.common, &lease.attempt, challenge.clone()) {
            self.draining.drain(&self.common, old);
        }
    }

    /// Returns the connection of a server, opened if needed and allowed.
    async fn connection(&self, request: Request<'_>) -> Result<Lease, CallError> {
        loop {
            let slot = self.slot(request.server)?;
            let attempt = match request.connect {
                Connect::IfNeeded => slot.begin(&self.common),
                Connect::Never => match slot.attempt() {
                    Some(attempt) if attempt.is_there() => Ok(attempt),
                    Some(_) | None => Err(NoAttempt::Never(Arc::new(ConnectError::NotYet))),
                },
            };
            let attempt = match attempt {
                Ok(attempt) => attempt,
                // Its configuration was changed or removed meanwhile.
                Err(NoAttempt::Retired) if !self.common.closed.is_cancelled() => continue,
                Err(why) => return Err(self.no_attempt(request.server, why)),
            };
            match attempt.settled().await {
                Ok(connection) => {
                    let connection = Arc::clone(connection);
                    return Ok(Lease { slot, attempt, connection });
                }
                Err(_) if self.common.closed.is_cancelled() => return Err(closed(request.server)),
                // The next slot may not be in the table yet.
                Err(why) if slot.is_retired() && matches!(**why, ConnectError::Cancelled) => {}
                Err(why) => return Err(not_connected(request.server, Arc::clone(why))),
            }
        }
    }

    pub(super) fn slot(&self, server: &str) -> Result<Arc<Slot>, CallError> {
        let table = self.table();
        if let Some(slot) = table.get(server) {
            return Ok(Arc::clone(slot));
        }
        if self.common.closed.is_cancelled() {
            return Err(closed(server));
        }
        let known: Vec<&str> = table.slots().map(|slot| &*slot.name).collect();
        Err(CallError::NoSuchServer {
            server: server.to_owned(),
            meant: suggest(server, &known).map(str::to_owned),
            known: known.into_iter().map(str::to_owned).collect(),
        })
    }

    pub(super) fn no_attempt(&self, server: &str, why: NoAttempt) -> CallError {
        match why {
            NoAttempt::Disabled(why) => CallError::Disabled { server: server.to_owned(), why },
            NoAttempt::NeedsAuth(challenge) => CallError::NeedsAuth { server: server.to_owned(), challenge },
            NoAttempt::Never(why) => not_connected(server, why),
            NoAttempt::Retired => closed(server),
        }
    }
}

fn closed(server: &str) -> CallError {
    CallError::Died { server: server.to_owned(), fault: Fault::Closed, output: ServerOutput::default() }
}

fn not_connected(server: &str, why: Arc<ConnectError>) -> CallError {
    let server = server.to_owned();
    match why.challenge().cloned() {
        Some(challenge) => CallError::NeedsAuth { server, challenge },
        None => CallError::NotConnected { server, why },
    }
}

fn error(request: Request<'_>, failed: OperationError) -> CallError {
    let (server, operation) = (request.server.to_owned(), request.operation.clone());
    match failed {
        OperationError::NoSuchTool(tools) => {
            let known: Vec<&str> = tools.iter().map(|tool| tool.name.as_str()).collect();
            let tool = if let Operation::Tool(tool) = operation { tool } else { String::new() };
            let meant = suggest(&tool, &known).map(str::to_owned);
            let known = known.into_iter().map(str::to_owned).collect();
            CallError::NoSuchTool { server, tool, known, meant }
        }
        OperationError::Gone { fault: Fault::AuthNeeded(challenge), .. } => {
            CallError::NeedsAuth { server, challenge }
        }
        OperationError::Gone { fault, output, .. } => CallError::Died { server, fault, output },
        OperationError::Refused { code, message, .. } => {
            CallError::Refused { server, operation, code, message }
        }
        OperationError::Unexpected(what) => CallError::Protocol { server, operation, what },
        OperationError::TooManyRounds(rounds) => CallError::TooManyRounds { server, operation, rounds },
    }
}
