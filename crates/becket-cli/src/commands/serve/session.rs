//! An open session of a client, in the wire format.

use super::answers::{EnvFiles, MethodResult, SessionOpenResult, to_result};
use super::calls::Calls;
use super::fault::Fault;
use super::hook::ClientHook;
use super::notifications::Notifier;
use super::params::OfEvent;
use becket_embed::view::Report;
use becket_embed::view::fired::FireReport;
use becket_embed::{Registration, Session as Open};
use becket_engine::{CancellationToken, ReadyEvent};
use becket_model::Event;
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// A session, which lives until it is closed, or its connection ends.
pub(super) struct Session {
    pub(super) open: Open,
    pub(super) notifier: Arc<Notifier>,
    pub(super) calls: Calls,
}

impl Session {
    /// Creates an event from a client's fields.
    ///
    /// # Errors
    /// Returns the mismatch as a message.
    pub(super) fn event(&self, wants: OfEvent) -> Result<Event, String> {
        self.open.event(&wants.event, wants.input)
    }

    /// Runs the hooks of an event until `cancel` is cancelled.
    pub(super) async fn fire(&self, event: ReadyEvent, cancel: &CancellationToken) -> MethodResult {
        let (event, outcome) = self.open.fire(event, cancel).await.map_err(|_| Fault::Cancelled)?;
        to_result(&Report::Fire(Box::new(FireReport::new(&outcome, event.body.subject(), Vec::new()))))
    }

    /// Returns the hooks that an event would run.
    pub(super) fn plan(&self, event: &Event) -> MethodResult {
        to_result(&self.open.plan(event))
    }

    /// Returns the hooks that an event would run, and the reasons why others would not.
    pub(super) fn explain(&self, event: &Event) -> MethodResult {
        to_result(&Report::Explain(self.open.explain(event)))
    }

    /// Adds a hook of the client.
    ///
    /// # Errors
    /// Errors if its id is taken, or it is invalid.
    pub(super) fn register(&self, wants: &Registration) -> Result<(), String> {
        let hook = ClientHook {
            calls: self.calls.clone(),
            session: self.open.id().clone(),
            id: wants.id.clone(),
            on_failure: wants.on_failure.map(Into::into),
        };
        self.open.register(wants, Arc::new(hook))
    }

    /// Enables or disables notifications about events.
    pub(super) fn set_subscribed(&self, is_subscribed: bool) {
        self.notifier.is_wanted.store(is_subscribed, Ordering::Release);
    }

    /// Returns the results of background hooks.
    pub(super) fn background(&self) -> MethodResult {
        to_result(&self.open.background())
    }

    /// Returns the environment files that hooks have filled (H12).
    pub(super) fn env_files(&self) -> MethodResult {
        to_result(&EnvFiles { files: self.open.env_files() })
    }

    /// Reloads the configuration.
    ///
    /// # Errors
    /// Errors if the configuration can no longer be read; it then stays unchanged.
    pub(super) fn reload(&self) -> Result<SessionOpenResult, String> {
        self.open.reload()?;
        Ok(self.opened())
    }

    /// Returns the description of the configuration.
    pub(super) fn opened(&self) -> SessionOpenResult {
        SessionOpenResult {
            session: self.open.id().to_string(),
            events: self.open.events(),
            findings: self.open.check().findings,
        }
    }

    /// Ends everything that the session runs, and waits until it has ended.
    pub(super) async fn close(&self) {
        self.set_subscribed(false);
        self.open.close().await;
    }
}
