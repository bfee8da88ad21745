//! The last fired events with hooks of a session, to explain why a hook ran or did not.
//!
//! The last event of each kind is kept, shared with the run that fired it.

use becket_engine::{RunEvent, RunEventKind};
use becket_model::{Event, EventKind};
use std::sync::{Arc, Mutex, PoisonError};

/// The last event of each kind, the newest last. Cheap to clone; all clones are the same.
#[derive(Debug, Clone, Default)]
pub(super) struct LastFired(Arc<Mutex<Vec<Arc<Event>>>>);

impl LastFired {
    /// Records a fired event; other run events are ignored.
    pub(super) fn on(&self, news: &RunEvent) {
        if let RunEventKind::Fired { event } = &news.what {
            let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            kept.retain(|known| known.kind() != event.kind());
            kept.push(Arc::clone(event));
        }
    }

    /// Returns the last event, or the last one of a kind.
    pub(super) fn last(&self, only: Option<EventKind>) -> Option<Arc<Event>> {
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.iter().rev().find(|event| only.is_none_or(|only| event.kind() == only)).cloned()
    }
}
