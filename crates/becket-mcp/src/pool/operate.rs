//! An operation on a server: gets the connection, makes the request, and retries if possible, under the one limit of
//! the caller.
//!
//! INVARIANT: a request is repeated only if the server can't have executed it: its session had expired, it demanded
//! authentication, or the request was never sent (`protocol.md` X4). Each of these is retried once.

use std::sync::Arc;

use becket_process::CancellationToken;

use super::attempt::Attempt;
use super::call::Connect;
use super::face::Shared;
use super::slot::{NoAttempt, Slot};
use crate::asked::Asked;
use crate::call_error::CallError;
use crate::connect_error::ConnectError;
use crate::connection::{Clock, Connection, Failed};
use crate::fault::{Fault, Said};
use crate::suggest::suggest;

/// The server, the operation and the limits of a request.
#[derive(Clone, Copy)]
pub(super) struct Errand<'a> {
    pub(super) server: &'a str,
    pub(super) asked: &'a Asked,
    pub(super) connect: Connect,
}

/// An operation over a connection. It may be repeated.
pub(super) trait Work: Sync {
    type Done: Send;

    fn over(&self, connection: &Connection) -> impl Future<Output = Result<Self::Done, Failed>> + Send;
}

/// A connection, and its slot.
struct Got {
    slot: Arc<Slot>,
    attempt: Arc<Attempt>,
    connection: Arc<Connection>,
}

/// The retries so far.
#[derive(Default)]
struct Mended {
    session: bool,
    auth: bool,
    way: bool,
}

impl Shared {
    /// Runs the request, until the clock has run out or the token fires.
    pub(super) async fn within<W: Work>(
        &self,
        errand: Errand<'_>,
        clock: &Clock,
        cancel: &CancellationToken,
        work: &W,
    ) -> Result<W::Done, CallError> {
        let (server, asked) = (errand.server.to_owned(), || errand.asked.clone());
        tokio::select! {
            biased;
            () = cancel.cancelled() => Err(CallError::Cancelled { server, asked: asked() }),
            done = self.operate(errand, work) => done,
            () = clock.run_out() => Err(CallError::TimedOut { server, asked: asked(), limit: clock.limit() }),
        }
    }

    async fn operate<W: Work>(&self, errand: Errand<'_>, work: &W) -> Result<W::Done, CallError> {
        let mut mended = Mended::default();
        loop {
            let got = self.connection(errand).await?;
            let failed = match work.over(&got.connection).await {
                Ok(done) => return Ok(done),
                Err(failed) => failed,
            };
            if !self.mend(&got, &failed, errand.connect, &mut mended) {
                self.shut_out(&got, &failed).await;
                return Err(error(errand, failed));
            }
        }
    }

    /// Returns whether a retry makes sense.
    fn mend(&self, got: &Got, failed: &Failed, connect: Connect, mended: &mut Mended) -> bool {
        let Failed::Gone { fault, unseen: true, .. } = failed else { return false };
        let (done, is_allowed) = if matches!(fault, Fault::SessionExpired) {
            (&mut mended.session, true)
        } else if let Fault::AuthNeeded(challenge) = fault {
            // A retry does not help with missing scopes; it may with a missing session.
            (&mut mended.auth, !challenge.is_insufficient_scope())
        } else {
            (&mut mended.way, connect == Connect::IfNeeded)
        };
        if std::mem::replace(done, true) || !is_allowed {
            return false;
        }
        // The next caller replaces a broken one; this one may look intact to others.
        if let Ok(Some(old)) = got.slot.replace(&self.common, &got.attempt) {
            self.drains.drain(&self.common, old);
        }
        true
    }

    /// A server that wants a login for every call is not contacted again; one that wants more scopes for this call,
    /// only for others.
    async fn shut_out(&self, got: &Got, failed: &Failed) {
        let Failed::Gone { fault: Fault::AuthNeeded(challenge), .. } = failed else { return };
        let Ok(config) = got.slot.usable() else { return };
        if challenge.is_insufficient_scope() {
            return self.common.needed.note_more(&got.slot.name, challenge.clone());
        }
        self.common.needed.note(&got.slot.name, config, challenge.clone()).await;
        if let Some(old) = got.slot.shut_out(&self.common, &got.attempt, challenge.clone()) {
            self.drains.drain(&self.common, old);
        }
    }

    /// Returns the connection of a server, opened if needed and allowed.
    async fn connection(&self, errand: Errand<'_>) -> Result<Got, CallError> {
        loop {
            let slot = self.slot(errand.server)?;
            let attempt = match errand.connect {
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
                Err(why) => return Err(self.no_attempt(errand.server, why)),
            };
            match attempt.settled().await {
                Ok(connection) => {
                    let connection = Arc::clone(connection);
                    return Ok(Got { slot, attempt, connection });
                }
                Err(_) if self.common.closed.is_cancelled() => return Err(closed(errand.server)),
                Err(why) if self.is_replaced(&slot) && matches!(**why, ConnectError::Cancelled) => {}
                Err(why) => return Err(not_connected(errand.server, Arc::clone(why))),
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

    fn is_replaced(&self, slot: &Arc<Slot>) -> bool {
        !self.table().get(&slot.name).is_some_and(|now| Arc::ptr_eq(now, slot))
    }
}

fn closed(server: &str) -> CallError {
    CallError::Died { server: server.to_owned(), fault: Fault::Closed, said: Said::default() }
}

fn not_connected(server: &str, why: Arc<ConnectError>) -> CallError {
    let server = server.to_owned();
    match why.challenge().cloned() {
        Some(challenge) => CallError::NeedsAuth { server, challenge },
        None => CallError::NotConnected { server, why },
    }
}

fn error(errand: Errand<'_>, failed: Failed) -> CallError {
    let (server, asked) = (errand.server.to_owned(), errand.asked.clone());
    match failed {
        Failed::NoSuchTool(tools) => {
            let known: Vec<&str> = tools.iter().map(|tool| tool.name.as_str()).collect();
            let tool = if let Asked::Tool(tool) = asked { tool } else { String::new() };
            let meant = suggest(&tool, &known).map(str::to_owned);
            let known = known.into_iter().map(str::to_owned).collect();
            CallError::NoSuchTool { server, tool, known, meant }
        }
        Failed::Gone { fault: Fault::AuthNeeded(challenge), .. } => {
            CallError::NeedsAuth { server, challenge }
        }
        Failed::Gone { fault, said, .. } => CallError::Died { server, fault, said },
        Failed::Refused { code, message, .. } => CallError::Refused { server, asked, code, message },
        Failed::Unexpected(what) => CallError::Protocol { server, asked, what },
        Failed::TooManyRounds(rounds) => CallError::TooManyRounds { server, asked, rounds },
    }
}
