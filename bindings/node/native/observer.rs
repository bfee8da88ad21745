//! Reports the events of a session to JavaScript as `becket serve` does (`protocol.md` H13).

use crate::channel::{Channel, MessageKind};
use becket_embed::view::happened::SessionEvent;
use becket_engine::{Observer, RunEvent};
use std::sync::Arc;

/// The observer that an engine holds. Does nothing once its JavaScript thread has ended.
pub(crate) struct ChannelObserver(pub(crate) Arc<Channel>);

impl Observer for ChannelObserver {
    fn on(&self, event: &RunEvent) {
        // INVARIANT: all keys of events are strings, so they can be serialized.
        if let Ok(text) = serde_json::to_string(&SessionEvent::from(event)) {
            self.0.send(MessageKind::Event, 0, 0, text);
        }
    }
}
