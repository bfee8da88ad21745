//! A transport that outlives its handshakes: after a refused one it is used for the next.
//!
//! `rmcp` uses a [`Wire`], and the link owns the [`Session`].
//!
//! INVARIANT: once `stop` is cancelled, nothing more is received or sent, except for the farewell.

use std::sync::Arc;
use std::time::Duration;

use becket_process::CancellationToken;
use rmcp::RoleClient;
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use tokio::sync::Mutex;
use tokio::time::timeout;

use super::link::{Link, SendError};
use super::state::State;
use crate::fault::Fault;

/// An opened transport.
pub(crate) trait Session: Send + Sync + 'static {
    /// Sends a message. It is queued before this returns, so that none overtakes another.
    fn send(
        self: Arc<Self>,
        message: TxJsonRpcMessage<RoleClient>,
    ) -> impl Future<Output = Result<(), SendError>> + Send + 'static;

    /// Returns the next message; `None` once the session is over.
    fn receive(&self) -> impl Future<Output = Option<RxJsonRpcMessage<RoleClient>>> + Send;

    /// Called when `rmcp` has no more messages.
    fn close(&self) {}

    /// Says goodbye to the server, as its transport defines.
    fn goodbye(&self) -> impl Future<Output = ()> + Send {
        std::future::ready(())
    }

    /// Drops its resources: at once if they are unused, otherwise as soon as their users notice the stop.
    fn release(&self) {}
}

/// The transport of `rmcp`, one for each handshake.
pub(crate) struct Wire<S>(Arc<S>);

impl<S> Wire<S> {
    pub(super) fn new(session: &Arc<S>) -> Self {
        Self(Arc::clone(session))
    }
}

impl<S: Session> Transport<RoleClient> for Wire<S> {
    type Error = SendError;

    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleClient>,
    ) -> impl Future<Output = Result<(), SendError>> + Send + 'static {
        Arc::clone(&self.0).send(message)
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleClient>> {
        self.0.receive().await
    }

    async fn close(&mut self) -> Result<(), SendError> {
        self.0.close();
        Ok(())
    }
}

/// The life of a session: its state, and the token that ends it.
#[derive(Clone, Default)]
pub(crate) struct Lifetime {
    pub(super) state: Arc<State>,
    pub(super) stop: CancellationToken,
}

impl Lifetime {
    /// Ends the session for this reason.
    pub(super) fn broke(&self, fault: Fault) {
        self.state.broke(fault);
        self.stop.cancel();
    }
}

/// A type that can open a session.
pub(crate) trait Opener: Send + Sync + 'static {
    /// The type of the session.
    type Session: Session;

    /// Opens a session. Dropping the future cancels this.
    fn open(&self, lifetime: &Lifetime) -> impl Future<Output = Result<Self::Session, Fault>> + Send;
}

/// A link with one session, which is opened at the first handshake.
pub(crate) struct SessionLink<O: Opener> {
    pub(super) opener: O,
    lifetime: Lifetime,
    session: Mutex<Option<Arc<O::Session>>>,
}

impl<O: Opener> SessionLink<O> {
    /// Creates the link. Nothing is opened yet.
    pub(super) fn with(opener: O) -> Self {
        Self { opener, lifetime: Lifetime::default(), session: Mutex::default() }
    }
}

impl<O: Opener> Link for SessionLink<O> {
    type Wire = Wire<O::Session>;

    async fn wire(&self) -> Result<Self::Wire, Fault> {
        let mut session = self.session.lock().await;
        if let Some(session) = &*session {
            return Ok(Wire::new(session));
        }
        let opened = tokio::select! {
            biased;
            () = self.lifetime.stop.cancelled() => Err(Fault::Closed),
            opened = self.opener.open(&self.lifetime) => opened,
        };
        Ok(Wire::new(session.insert(Arc::new(opened?))))
    }

    fn state(&self) -> &Arc<State> {
        &self.lifetime.state
    }

    async fn end(&self, grace: Duration) {
        self.lifetime.broke(Fault::Closed);
        if let Some(session) = self.session.lock().await.take() {
            let _ = timeout(grace, session.goodbye()).await;
            session.release();
        }
    }
}

impl<O: Opener> Drop for SessionLink<O> {
    fn drop(&mut self) {
        self.lifetime.stop.cancel();
        if let Some(session) = self.session.get_mut() {
            session.release();
        }
    }
}
