//! The recipients of run events: observers that are called, and subscribers that read a bounded stream.

use crate::report::run_event::{Observer, RunEvent};
use std::fmt;
use std::sync::{Arc, OnceLock};
use tokio::sync::broadcast;

/// The number of events by which a slow subscriber may lag before it loses the oldest and is notified.
const BACKLOG: usize = 1_024;

/// The listeners of an engine.
pub(crate) struct Listeners {
    observers: Vec<Arc<dyn Observer>>,
    /// Created for the first subscriber: it allocates the whole backlog from the start.
    subscribers: OnceLock<broadcast::Sender<RunEvent>>,
}

impl Listeners {
    pub(crate) fn new(observers: Vec<Arc<dyn Observer>>) -> Self {
        Listeners { observers, subscribers: OnceLock::new() }
    }

    /// Returns whether there is any recipient; if not, no event is built.
    pub(crate) fn any(&self) -> bool {
        !self.observers.is_empty() || self.channel().is_some()
    }

    pub(crate) fn emit(&self, event: &RunEvent) {
        for observer in &self.observers {
            observer.on(event);
        }
        if let Some(channel) = self.channel() {
            // A receiver that has just been dropped is not an error of the firing.
            let _ = channel.send(event.clone());
        }
    }

    /// Returns the channel to subscribers, if there is one.
    fn channel(&self) -> Option<&broadcast::Sender<RunEvent>> {
        self.subscribers.get().filter(|channel| channel.receiver_count() > 0)
    }

    pub(crate) fn subscribe(&self) -> RunEvents {
        RunEvents { receiver: self.subscribers.get_or_init(|| broadcast::Sender::new(BACKLOG)).subscribe() }
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
    /// Waits for the next event; returns `None` once the engine is gone.
    pub async fn next(&mut self) -> Option<StreamItem> {
        match self.receiver.recv().await {
            Ok(event) => Some(StreamItem::Event(Box::new(event))),
            Err(broadcast::error::RecvError::Lagged(missed)) => Some(StreamItem::Lagged(missed)),
            Err(broadcast::error::RecvError::Closed) => None,
        }
    }
}
