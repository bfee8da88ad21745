//! Events of a session, reported to a Python function (`protocol.md` H13).
//!
//! A separate thread calls it, in the order of the events; those that belong to a firing precede its outcome. If the
//! function does not keep up, some events are dropped, and it receives their number.

use crate::attach;
use crate::objects::to_python;
use becket_embed::view::happened::SessionEvent;
use becket_engine::{Observer, RunEvent};
use pyo3::prelude::*;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::{self, ThreadId};
use tokio::sync::oneshot;

/// The maximum number of queued events.
const MOST: usize = 4_096;

enum QueueItem {
    Event(Box<SessionEvent>),
    /// Everything before it has been reported.
    Mark(oneshot::Sender<()>),
}

/// A reporter of events to one function.
pub(crate) struct EventReporter {
    lines: SyncSender<QueueItem>,
    missed: AtomicU64,
    thread: ThreadId,
}

impl EventReporter {
    /// Starts its thread, which ends with the reporter.
    ///
    /// # Errors
    /// Errors if the system can't create a thread.
    pub(crate) fn start(function: Py<PyAny>) -> std::io::Result<Arc<Self>> {
        let (lines, waiting) = sync_channel(MOST);
        let thread =
            thread::Builder::new().name("becket-events".into()).spawn(move || report(&waiting, &function))?;
        Ok(Arc::new(EventReporter { lines, missed: AtomicU64::new(0), thread: thread.thread().id() }))
    }

    /// Waits until all events so far have been reported.
    pub(crate) async fn all_reported(&self) {
        // The function itself may fire: it can't wait for its own end.
        if thread::current().id() == self.thread {
            return;
        }
        let (mark, reported) = oneshot::channel();
        if self.lines.try_send(QueueItem::Mark(mark)).is_ok() {
            // The receiver ends with its thread when the interpreter shuts down.
            drop(reported.await);
        }
    }

    fn enqueue(&self, event: SessionEvent) -> bool {
        self.lines.try_send(QueueItem::Event(Box::new(event))).is_ok()
    }
}

/// The observer that an engine holds.
pub(crate) struct QueueObserver(pub(crate) Arc<EventReporter>);

impl Observer for QueueObserver {
    fn on(&self, event: &RunEvent) {
        let teller = &self.0;
        let missed = teller.missed.swap(0, Ordering::Relaxed);
        if missed > 0 && !teller.enqueue(SessionEvent::Missed { events: missed }) {
            teller.missed.fetch_add(missed, Ordering::Relaxed);
        }
        if !teller.enqueue(event.into()) {
            teller.missed.fetch_add(1, Ordering::Relaxed);
        }
    }
}

fn report(lines: &Receiver<QueueItem>, function: &Py<PyAny>) {
    while let Ok(line) = lines.recv() {
        match line {
            QueueItem::Event(event) => {
                if attach::attach(|py| call(py, function, &event)).is_none() {
                    return;
                }
            }
            QueueItem::Mark(mark) => drop(mark.send(())),
        }
    }
}

fn call(py: Python<'_>, function: &Py<PyAny>, event: &SessionEvent) {
    let called = to_python(py, event).and_then(|event| function.call1(py, (event,)));
    if let Err(error) = called {
        error.write_unraisable(py, Some(function.bind(py)));
    }
}
