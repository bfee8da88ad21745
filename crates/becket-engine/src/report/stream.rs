//! The recipients of run events: observers that are called, and subscribers that read a bounded stream.

use crate::report::run_event::{Observer, RunEvent};
use std::fmt;
use std::sync::Arc;
use tokio::sync::broadcast;

/// The number of events that a slow subscriber may lag behind before it loses the oldest and receives a notice of that.
const BACKLOG: usize = 1_024;

/// The listeners of an engine.
pub(crate) struct Listeners {
    observers: Vec<Arc<dyn Observer>>,
    subscribers: broadcast::Sender<RunEvent>,
}

impl Listeners {
    pub(crate) fn new(observers: Vec<Arc<dyn Observer>>) -> Self {
        Listeners { observers, subscribers: broadcast::Sender::new(BACKLOG) }
    }

    /// Returns whether there is any recipient; if not, no event is built.
    pub(crate) fn any(&self) -> bool {
        !self.observers.is_empty() || self.subscribers.receiver_count() > 0
    }

    pub(crate) fn tell(&self, event: &RunEvent) {
        for observer in &self.observers {
            observer.on(event);
        }
        if self.subscribers.receiver_count() > 0 {
            // A receiver that has just been dropped is not an error of the firing.
            let _ = self.subscribers.send(event.clone());
        }
    }

    pub(crate) fn subscribe(&self) -> RunEvents {
        RunEvents { receiver: self.subscribers.subscribe() }
    }
}

impl fmt::Debug for Listeners {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Listeners").field("observers", &self.observers.len()).finish_non_exhaustive()
    }
}

/// A stream of everything that happens in an engine, in order.
#[derive(Debug)]
pub struct RunEvents {
    receiver: broadcast::Receiver<RunEvent>,
}

/// An item of [`RunEvents::next`].
#[derive(Debug, Clone)]
pub enum StreamItem {
    /// The next event.
    Event(Box<RunEvent>),
    /// The reader was too slow: the number of events that were lost.
    Lagged(u64),
}

impl RunEvents {
    /// Waits for the next event; `None` once the engine is gone.
    pub async fn next(&mut self) -> Option<StreamItem> {
        match self.receiver.recv().await {
            Ok(event) => Some(StreamItem::Event(Box::new(event))),
            Err(broadcast::error::RecvError::Lagged(missed)) => Some(StreamItem::Lagged(missed)),
            Err(broadcast::error::RecvError::Closed) => None,
        }
    }
}
