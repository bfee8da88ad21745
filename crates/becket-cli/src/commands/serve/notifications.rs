//! Run events of a session, sent to a client that has subscribed to them (`protocol.md` H13).
//!
//! Notifications are sent on the task that fires, so that they precede the answer to the firing. A client that does not keep
//! up loses some of them, and receives their number.

use super::answers::OutgoingMessage;
use super::outgoing::MessageQueue;
use becket_embed::view::happened::SessionEvent;
use becket_engine::{Observer, RunEvent};
use schemars::JsonSchema;
use serde::Serialize;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// Notifies one client of one session.
pub(super) struct Notifier {
    pub(super) session: Arc<str>,
    pub(super) out: MessageQueue,
    pub(super) is_wanted: AtomicBool,
    missed: AtomicU64,
}

/// `run/event`: something happened.
#[derive(Serialize, JsonSchema)]
pub(super) struct InSession<'a> {
    session: &'a str,
    #[serde(flatten)]
    what: SessionEvent,
}

impl Notifier {
    pub(super) fn new(session: Arc<str>, out: MessageQueue) -> Self {
        Notifier { session, out, is_wanted: AtomicBool::new(false), missed: AtomicU64::new(0) }
    }

    fn send(&self, what: SessionEvent) {
        self.out.send(&OutgoingMessage::new(None, "run/event", &InSession { session: &self.session, what }));
    }
}

/// The observer that an engine holds.
pub(super) struct EventObserver(pub(super) Arc<Notifier>);

impl Observer for EventObserver {
    fn on(&self, event: &RunEvent) {
        let notifier = &self.0;
        if !notifier.is_wanted.load(Ordering::Acquire) {
            return;
        }
        if !notifier.out.is_roomy() {
            notifier.missed.fetch_add(1, Ordering::Relaxed);
            return;
        }
        let missed = notifier.missed.swap(0, Ordering::Relaxed);
        if missed > 0 {
            notifier.send(SessionEvent::Missed { events: missed });
        }
        notifier.send(event.into());
    }
}
